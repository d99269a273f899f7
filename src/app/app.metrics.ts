import { type INestApplication, Logger } from '@nestjs/common';
import type { HttpServer } from '../common/http/server/http-server.ts';
import type { Plugin } from '../common/extension/plugin.ts';
import { serviceVersion } from '../common/version.ts';
import { type Expected, type Extension, Extensions } from '../common/extension/extensions.ts';
import { reasonOf } from '../common/problem/reason-of.ts';
import type { Metric } from '../common/extension/metric.ts';
import { ChangeFeed } from '../change-log/change-feed.ts';
import { Statements } from '../database/statements.ts';
import { ChangeRetention } from '../change-log/change-retention.ts';
import { EncryptionCount } from '../encryption-key/encryption-count.ts';
import { EventStreams } from '../event/stream/event-streams.ts';
import { IntrospectionService } from '../introspection/introspection.service.ts';
import { Metrics } from '../metrics/metrics.ts';
import { WebhookDeliverer } from '../webhook/delivery/webhook-deliverer.ts';
import { WebhookFanOut } from '../webhook/delivery/webhook-fan-out.ts';
import { WebhookWorker } from '../webhook/delivery/webhook-worker.ts';
import { EndpointOverflow } from '../webhook/endpoint/endpoint-overflow.ts';
import { EndpointHealth } from '../webhook/endpoint/endpoint-health.ts';
import { UserGroupSnapshots } from '../user-group/snapshot/user-group-snapshots.ts';
import { TokenIssuer } from '../user-group/token/token-issuer.ts';

type Row = [help: string, read: Metric['read'], label?: string];

/** Exports values of the parts of the application, and of its HTTP server, as metrics. */
export function watchApplication(app: INestApplication, { malformed, connections }: HttpServer): void {
  const metrics = app.get(Metrics);
  app.get(WebhookDeliverer).observe = (attempt) => metrics.observeWebhookAttempt(attempt);
  app.get(Extensions).observe = (call) => metrics.observeExtension(call);
  const changes = app.get(ChangeFeed);
  watchRows(metrics, 'gauge', {
    user_group_service_info: ['1, with the version of the service.', () => ({ [serviceVersion]: 1 }), 'version'],
    webhook_lag_seconds: [
      'Age of the oldest change that has no deliveries yet, as far as this process knows.',
      () => app.get(WebhookFanOut).lagSeconds,
    ],
    webhook_endpoints_due: [
      'Endpoints with deliveries that were due at the last check of this process, once a second.',
      () => app.get(WebhookWorker).dueEndpoints,
    ],
    webhook_overdue_seconds: [
      'Time since the oldest pending delivery became due, at the last check of this process.',
      () => app.get(WebhookWorker).overdueSeconds,
    ],
    change_consumer_lag_seconds: [
      'Lag of each consumer for which changes are kept, as this process measures it once a minute.',
      () => app.get(ChangeRetention).lagSeconds,
      'consumer',
    ],
    database_connections: [
      'Connections to PostgreSQL that are busy or idle, and calls that wait for one.',
      () => ({ ...app.get(Statements).poolUsage() }),
      'state',
    ],
    encryption_key_encryptions: [
      'Uses of the key that encrypts, by all replicas, as far as this one knows; 2^32 at most.',
      () => app.get(EncryptionCount).known,
      'key',
    ],
    change_channel_up: [
      '1 while changes of other processes are received at once, 0 while they are received within 750 ms.',
      () => toNumber(changes.isConnected()),
    ],
    change_lease_up: [
      '1 while responses may come from memory, 0 while each one needs the database.',
      () => toNumber(changes.isConnected() === null ? null : changes.isCurrent()),
    ],
    event_streams: ['Event streams that are open.', () => app.get(EventStreams).count],
  });
  watchRows(metrics, 'counter', {
    http_malformed_total: [
      'Requests that were refused before they reached a route, by the code of their problem.',
      () => malformed.counts,
      'code',
    ],
    http_connections_cut_total: [
      'Connections that were cut because of their client, by reason.',
      () => connections.cuts,
      'reason',
    ],
    introspections_total: [
      'Introspections by result: active or inactive.',
      () => app.get(IntrospectionService).counts,
      'result',
    ],
    user_group_snapshots_total: [
      'User groups that were found in memory (hit), or read from the database (miss).',
      () => app.get(UserGroupSnapshots).counts,
      'result',
    ],
    token_rotations_total: [
      'Tokens of user groups that were replaced, also by imports; not the repeated rotations of an Idempotency-Key.',
      () => app.get(TokenIssuer).rotations,
    ],
    webhook_attempts_total: [
      'Attempts to send webhooks by result: delivered, refused (another status), unanswered.',
      () => app.get(WebhookDeliverer).counts,
      'result',
    ],
    webhook_endpoints_skipping_total: [
      'Endpoints of which this process has begun to drop events, because too many deliveries are pending.',
      () => app.get(EndpointOverflow).begun,
    ],
    webhook_endpoints_disabled_total: [
      'Endpoints that this process has disabled, by reason: gone (they returned 410), failing.',
      () => app.get(EndpointHealth).disabled,
      'reason',
    ],
    event_stream_ends_total: ['Event streams that have ended, by reason.', () => app.get(EventStreams).ends, 'reason'],
  });
}

function watchRows(metrics: Metrics, type: Metric['type'], rows: Record<string, Row>): void {
  for (const [name, [help, read, label]] of Object.entries(rows)) metrics.watch({ type, name, help, label, read });
}

/** Exports the metrics of plugins. @throws ExtensionFailed for metrics that cannot be exported */
export function watchPlugins(app: INestApplication, plugins: readonly Plugin[]): void {
  const metrics = app.get(Metrics);
  const extensions = app.get(Extensions);
  for (const { definition, title } of plugins) {
    if (!definition.metrics) continue;
    const extension = extensions.named(title);
    const watched = extension.now('metrics', () => definition.metrics!(app), METRICS);
    for (const one of watched) {
      try {
        metrics.watch(containMetric(extension, one));
      } catch (error) {
        throw extension.failed(`the metric ${one.name}`, `cannot be exported: ${reasonOf(error)}`);
      }
    }
  }
}

const METRICS: Expected<Metric[]> = {
  is: (value): value is Metric[] =>
    Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null),
  what: 'a list of metrics',
};

function toNumber(isSo: boolean | null): number | null {
  return isSo === null ? null : Number(isSo);
}

/** Returns a metric of an extension that is left out while it cannot be read; the log reports this once. */
function containMetric(extension: Extension, watched: Metric): Metric {
  const logger = new Logger('Extension');
  const { name: metric, type, label } = watched;
  let isReported = false;
  const whatIsOne = label === undefined ? 'a number' : 'an object of numbers';
  const expected: Expected<ReturnType<Metric['read']>> = {
    is: (value) => areValues(value, type, label),
    what: type === 'counter' ? `${whatIsOne}, none below 0` : whatIsOne,
  };
  return {
    ...watched,
    read: () => {
      try {
        return extension.now(metric, () => watched.read(), expected);
      } catch (err) {
        const msg = 'a metric cannot be read';
        if (!isReported) logger.error({ msg, extension: extension.name, metric, err });
        isReported = true;
        return null;
      }
    },
  };
}

function areValues(
  values: unknown,
  type: Metric['type'],
  label: string | undefined,
): values is ReturnType<Metric['read']> {
  const isValue = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) && (type === 'gauge' || value >= 0);
  if (values === null) return true;
  if (label === undefined) return isValue(values);
  return typeof values === 'object' && Object.values(values).every(isValue);
}
