import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { startTestService } from '../support/test-service.ts';

/** The facts that a page adds to the help of a metric: the values of its label, and when it is absent. */
const DETAILS: Record<string, string> = {
  change_channel_up: 'Only on PostgreSQL, from the first call on, and not with only a pooler.',
  change_consumer_lag_seconds:
    '`consumer` is `webhooks` (0 while there is no endpoint) or `consumers`, the slowest of the [durable consumers](../extend/events.md) (0 without one). Measured at the start, too, and also with `WEBHOOK_DELIVERY=off`.',
  change_lease_up: 'Only on PostgreSQL, from the first call on.',
  database_connections: '`state` is `busy`, `idle` or `waiting`. Only on PostgreSQL.',
  event_stream_ends_total:
    '`reason` is one of those of [`end`](events.md#follow), or `gone`: the client has disconnected.',
  extension_call_duration_seconds:
    'See [extensions that misbehave](../extend/plugins.md#extensions-that-misbehave).',
  http_connections_cut_total:
    '`reason` is `not_read` (the client left its response unread), `memory` (unread responses together took too much memory, and this one was unread for longest) or `too_many_waiting` (requests that were sent without waiting for responses).',
  http_malformed_total:
    'For example no HTTP, no or two `Host`, two `Authorization`, headers too large or too slow, `CONNECT`, a wrong `Expect`. A client that connects and sends nothing is a `request_timeout`.',
  http_problems_total:
    '`code` is one of the [errors](errors.md). `api_token_invalid`, `credentials_missing`, `credentials_malformed` and `address_not_allowed` are failed authentications.',
  webhook_endpoints_due:
    'It counts endpoints that are being sent to, and those that wait for a turn.',
  webhook_endpoints_skipping_total:
    'See [when too many wait](../guides/webhooks.md#when-too-many-wait).',
  webhook_lag_seconds: 'Usually about a second. Absent with `WEBHOOK_DELIVERY=off`.',
};

/** Metrics of the Node process, which depend on its version and its system. */
const OF_NODE = /^(process|nodejs)_/;

/** The page docs/reference/metrics.md: every metric of the service itself. */
export async function metricsDocument(): Promise<string> {
  const service = await startTestService('sqlite');
  const metrics = await service.app.get(Metrics).registry.getMetricsAsJSON();
  const labels = new Map(
    service.app
      .get(Metrics)
      .registry.getMetricsAsArray()
      .map((one) => [one.name, labelsOf(one)]),
  );
  await service.close();
  const own = metrics
    .filter(({ name }) => !OF_NODE.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const stale = Object.keys(DETAILS).filter((name) => !own.some((metric) => metric.name === name));
  if (stale.length > 0) throw new Error(`no metric is called ${stale.join(', ')}`);
  const rows = own.map(({ name, type, help }) => {
    const about = [help, DETAILS[name]].filter(Boolean).join(' ');
    return `| \`${name}\` | ${type} | ${labels.get(name)} | ${about} |`;
  });
  return `# Metrics

For operators: \`/metrics\` on \`METRICS_PORT\` has every metric in the format of Prometheus. Which ones to watch is on the page
[Observability](../operate/observability.md#metrics).

A counter counts since the start of the process. Each process has its own values: sum the counters of all replicas.
[Plugins](../extend/plugins.md) can add metrics.

This page is made from the code by \`npm run docs\`.

| Metric | Type | Labels | Meaning |
|---|---|---|---|
${rows.join('\n')}
| \`process_…\`, \`nodejs_…\` | | | Memory, processor time, garbage collection and \`nodejs_eventloop_lag_…\` of the process, from [prom-client](https://github.com/siimon/prom-client). |
`;
}

function labelsOf(metric: object): string {
  const { labelNames } = metric as { labelNames: readonly string[] };
  return labelNames.map((name) => `\`${name}\``).join(', ');
}
