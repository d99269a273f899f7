import { performance } from 'node:perf_hooks';
import { Api } from './api.mjs';

/** Callers that each make one call after the other. A subclass says which, in `run`. */
export class Callers {
  isOver = false;
  latencies = [];

  constructor(url) {
    this.api = new Api(url);
  }

  /** Lets callers 0 to `count` - 1 run; what goes wrong is thrown by `stop`. */
  start(count) {
    this.running = Array.from({ length: count }, (_, caller) => this.run(caller));
    for (const caller of this.running) caller.catch(() => undefined);
    return this;
  }

  /** The body of an answer that has to be a success; its time is measured. */
  async call(method, body) {
    const started = performance.now();
    const answer = await this.api.send(method, body);
    this.latencies.push(performance.now() - started);
    if (answer.status !== 200) throw new Error(`${method} was answered ${answer.body.code}`);
    return answer.body;
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
}

export function describeLatencies(latencies) {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0);
  return `${sorted.length} calls, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}
