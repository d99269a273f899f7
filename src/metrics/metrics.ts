import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What is counted elsewhere in the process, since its start. */
interface Introspections {
  counts: Readonly<{ hits: number; misses: number }>;
}

interface Changes {
  /** Null where there is no way to hear of other processes. */
  isConnected: () => boolean | null;
}

/** The Prometheus metrics of the process. */
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route template and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param route template of the route, so that callers cannot create endless label values */
  observeRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
  }

  /** Shows what these two say whenever the metrics are asked for. */
  watch({ counts }: Introspections, changes: Changes): void {
    const registers = [this.registry];
    new Counter({
      name: 'user_group_snapshots_total',
      help: 'User groups that were answered from memory (hit), or had to be asked for (miss).',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset();
        this.inc({ result: 'hit' }, counts.hits);
        this.inc({ result: 'miss' }, counts.misses);
      },
    });
    if (changes.isConnected() === null) return;
    new Gauge({
      name: 'change_channel_up',
      help: 'Whether changes of other processes are heard of at once (1) or within 750 ms (0).',
      registers,
      collect() {
        this.set(changes.isConnected() ? 1 : 0);
      },
    });
  }
}
