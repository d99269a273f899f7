import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../durability/api.mjs';

const CALLERS = 4;
const PAUSE_MS = 5;

/** Callers that look up one group each, over and over; what fails is thrown by `stop`. */
export class LookUps {
  latencies = [];
  isOver = false;

  constructor(url) {
    this.api = new Api(url);
    this.running = Array.from({ length: CALLERS }, (_, caller) => this.run(caller));
    for (const caller of this.running) caller.catch(() => undefined);
  }

  /** Milliseconds of each look-up since this was asked for the last time. */
  takeLatencies() {
    return this.latencies.splice(0);
  }

  async stop() {
    this.isOver = true;
    try {
      await Promise.all(this.running);
    } finally {
      this.api.close();
    }
  }

  async run(caller) {
    const user_group_id = `looked up ${caller}`;
    await this.api.send('GET', { user_group_id, name: 'Looked up' });
    while (!this.isOver) {
      const started = performance.now();
      const { status, body } = await this.api.send('GET', { user_group_id });
      this.latencies.push(performance.now() - started);
      if (status !== 200) throw new Error(`a look-up was answered ${body.code}`);
      await sleep(PAUSE_MS);
    }
  }
}
