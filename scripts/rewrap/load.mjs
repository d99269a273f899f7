import { performance } from 'node:perf_hooks';
import { Api } from '../durability/api.mjs';

/** A step that reaches every group of a caller before it comes back, unless it divides their number. */
const STRIDE = 7919;

/**
 * Callers that look up, rotate and create, one call after the other, each on groups that no other
 * touches. What they are told is kept in `tokens`; what they are told wrongly is thrown by `stop`.
 */
export class Load {
  latencies = [];
  isOver = false;

  constructor(url, tokens, callers) {
    this.api = new Api(url);
    this.tokens = tokens;
    this.ids = [...tokens.keys()];
    this.callers = callers;
    this.running = Array.from({ length: callers }, (_, caller) => this.run(caller));
    // A failure is heard when the load is stopped.
    for (const caller of this.running) caller.catch(() => undefined);
  }

  /** Milliseconds of each call since this was asked for the last time. */
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
    for (let turn = 0; !this.isOver; turn++) {
      const seen = this.pick(caller, 2 * turn);
      if ((await this.call('GET', { user_group_id: seen })) !== this.tokens.get(seen)) {
        throw new Error(`a look-up of "${seen}" gave another token`);
      }
      const rotated = this.pick(caller, 2 * turn + 1);
      const current_token = this.tokens.get(rotated);
      this.tokens.set(rotated, await this.call('POST', { current_token }));
      const made = `made by ${caller} in turn ${turn}`;
      this.tokens.set(made, await this.call('GET', { user_group_id: made, name: 'Made' }));
    }
  }

  pick(caller, turn) {
    const own = Math.floor(this.ids.length / this.callers);
    return this.ids[((turn * STRIDE) % own) * this.callers + caller];
  }

  async call(method, body) {
    const started = performance.now();
    const answer = await this.api.send(method, body);
    this.latencies.push(performance.now() - started);
    if (answer.status !== 200) throw new Error(`${method} was answered ${answer.body.code}`);
    return answer.body.user_group.token;
  }
}
