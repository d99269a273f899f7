import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { OperatorError } from '../common/problem/operator-error.ts';
import { errorCatalogue } from '../common/problem/problem.ts';
import type { ExtensionCall } from '../common/extension/extensions.ts';
import type { ObservedRequest } from '../common/http/observing/observe-requests.ts';
import type { HistogramMetric, Metric, ReadMetric } from '../common/extension/metric.ts';

export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route template and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });

  private readonly problems = new Counter({
    name: 'http_problems_total',
    help: 'Responses that were not a success, by the code of their problem.',
    labelNames: ['code'],
    registers: [this.registry],
  });

  private readonly extensionCalls = new Histogram({
    name: 'extension_call_duration_seconds',
    help: 'Duration of calls to plugins, or to the application around the service, by result: returned, failed, timed_out.',
    labelNames: ['extension', 'call', 'result'],
    buckets: [0.001, 0.01, 0.1, 0.5, 1, 2, 10, 30],
    registers: [this.registry],
  });

  /** Has the owner of each exported name, such as `plugin seats`. */
  private readonly owners = new Map<string, string>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // Codes start at 0: Prometheus cannot see the step from nothing to one.
    for (const { code } of errorCatalogue) this.problems.inc({ code }, 0);
    for (const one of this.registry.getMetricsAsArray()) {
      const isHistogram = this.registry.getSingleMetric(one.name) instanceof Histogram;
      for (const name of namesOf(one.name, isHistogram)) this.owners.set(name, 'service');
    }
  }

  observeRequest({ method, route, status, problem, seconds }: ObservedRequest): void {
    this.requests.observe({ method, route, status }, seconds);
    if (problem !== undefined) this.problems.inc({ code: problem });
  }

  observeExtension({ extension, call, result, seconds }: ExtensionCall): void {
    this.extensionCalls.observe({ extension, call, result }, seconds);
  }

  /**
   * Exports a metric.
   * @param owner such as `plugin seats`
   * @throws OperatorError if another one exports one of its names; Error if it is invalid, or as `start` of a histogram
   */
  watch(metric: Metric, owner: string): void {
    for (const name of namesOf(metric.name, metric.type === 'histogram')) {
      const other = this.owners.get(name);
      if (other !== undefined) {
        throw new OperatorError(
          `The ${owner} cannot have the metric ${metric.name}: the ${other} exports ${name === metric.name ? 'it' : name} already. Choose another name.`,
        );
      }
      this.owners.set(name, owner);
    }
    if (metric.type === 'histogram') this.startHistogram(metric);
    else this.watchValues(metric);
  }

  private startHistogram({ name, help, label, buckets, values = [], start }: HistogramMetric) {
    const labelsOf = (value = '') => (label === undefined ? {} : { [label]: value });
    const histogram = new Histogram({
      name,
      help,
      labelNames: Object.keys(labelsOf()),
      buckets: [...buckets],
      registers: [this.registry],
    });
    for (const value of values) histogram.zero(labelsOf(value));
    start((value, labelValue) => {
      histogram.observe(labelsOf(labelValue), value);
    });
  }

  private watchValues({ type, name, help, label, read }: ReadMetric): void {
    const Kind = type === 'counter' ? Counter : Gauge;
    new Kind({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.registry],
      collect() {
        this.reset();
        const values = read();
        if (values === null) this.remove();
        else if (typeof values === 'number') this.inc(values);
        else for (const [key, value] of Object.entries(values)) this.inc({ [label!]: key }, value);
      },
    });
  }
}

/** Returns the names of the series of a metric. */
function namesOf(name: string, isHistogram: boolean): string[] {
  return isHistogram ? [name, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
}
