import type { INestApplication } from '@nestjs/common';
import type { HttpServer } from './common/http/http-server.ts';
import type { Plugin } from './common/plugin.ts';
import { serviceVersion } from './common/version.ts';
import { containMetric } from './common/contain-metric.ts';
import { type Expected, Extensions } from './common/extensions.ts';
import { reasonOf } from './common/reason-of.ts';
import type { Watched } from './common/watched.ts';
import { ChangeFeed } from './database/change-feed.ts';
import { ConnectionPool } from './database/connection-pool.ts';
import { ChangeRetention } from './database/upkeep/change-retention.ts';
import { EncryptionCount } from './encryption-key/encryption-count.ts';
import { EventStreams } from './event/event-streams.ts';
import { IntrospectionService } from './introspection/introspection.service.ts';
import { Metrics } from './metrics/metrics.ts';
import { WebhookDeliverer } from './webhook/delivery/webhook-deliverer.ts';
import { WebhookFanOut } from './webhook/delivery/webhook-fan-out.ts';
import { WebhookWorker } from './webhook/delivery/webhook-worker.ts';
import { EndpointOverflow } from './webhook/endpoint/endpoint-overflow.ts';
import { EndpointHealth } from './webhook/endpoint/endpoint-health.ts';
import { UserGroupSnapshots } from './user-group/snapshot/user-group-snapshots.ts';
import { TokenIssuer } from './user-group/token/token-issuer.ts';

/** Exports values of the parts of the application as metrics. */
export function watchApplication(app: INestApplication): void {
  const metrics = app.get(Metrics);
  const introspection = app.get(IntrospectionService);
  const snapshots = app.get(UserGroupSnapshots);
  const issuer = app.get(TokenIssuer);
  const pool = app.get(ConnectionPool);
  const changes = app.get(ChangeFeed);
  const encryptions = app.get(EncryptionCount);
  const streams = app.get(EventStreams);
  const webhooks = app.get(WebhookDeliverer);
  const fanOut = app.get(WebhookFanOut);
  const worker = app.get(WebhookWorker);
  const overflow = app.get(EndpointOverflow);
  const health = app.get(EndpointHealth);
  const retention = app.get(ChangeRetention);
  webhooks.observe = (attempt) => {
    metrics.observeWebhookAttempt(attempt);
  };
  app.get(Extensions).observe = (call) => {
    metrics.observeExtension(call);
  };
  const watched: Watched[] = [
    {
      type: 'gauge',
      name: 'user_group_service_info',
      help: '1, with the version of the service.',
      label: 'version',
      read: () => ({ [serviceVersion]: 1 }),
    },
    {
      type: 'counter',
      name: 'introspections_total',
      help: 'Introspections by what was answered: active or inactive.',
      label: 'result',
      read: () => introspection.counts,
    },
    {
      type: 'counter',
      name: 'user_group_snapshots_total',
      help: 'User groups that were answered from memory (hit), or had to be asked for (miss).',
      label: 'result',
      read: () => snapshots.counts,
    },
    {
      type: 'counter',
      name: 'token_rotations_total',
      help: 'Tokens of user groups that were replaced, by imports too; rotations that an Idempotency-Key only answered again are not counted.',
      read: () => issuer.rotations,
    },
    {
      type: 'counter',
      name: 'webhook_attempts_total',
      help: 'Attempts to send webhooks by what came of them: delivered, refused (another status), unanswered.',
      label: 'result',
      read: () => webhooks.counts,
    },
    {
      type: 'gauge',
      name: 'webhook_lag_seconds',
      help: 'How far the making of deliveries is behind the changes, as far as this process knows.',
      read: () => fanOut.lagSeconds,
    },
    {
      type: 'gauge',
      name: 'webhook_endpoints_due',
      help: 'Endpoints for which deliveries were due when this process looked last, once a second.',
      read: () => worker.dueEndpoints,
    },
    {
      type: 'gauge',
      name: 'webhook_overdue_seconds',
      help: 'For how long the delivery that had waited longest was due when this process looked last, once a second.',
      read: () => worker.overdueSeconds,
    },
    {
      type: 'counter',
      name: 'webhook_endpoints_skipping_total',
      help: 'How often this process has begun to leave out events of an endpoint, since too many deliveries waited.',
      read: () => overflow.begun,
    },
    {
      type: 'counter',
      name: 'webhook_endpoints_disabled_total',
      help: 'Endpoints that this process has switched off, by reason: gone (they answered 410), failing.',
      label: 'reason',
      read: () => health.disabled,
    },
    {
      type: 'gauge',
      name: 'change_consumer_lag_seconds',
      help: 'How far a consumer for which changes are kept is behind, as this process has seen it once an hour.',
      label: 'consumer',
      read: () => retention.lagSeconds,
    },
    {
      type: 'gauge',
      name: 'database_connections',
      help: 'Connections to PostgreSQL that are busy or idle, and calls that are waiting for one.',
      label: 'state',
      read: () => ({ ...pool.usage() }),
    },
    {
      type: 'gauge',
      name: 'encryption_key_encryptions',
      help: 'How often the key that encrypts was used, over all replicas, as far as this one knows; not more than 2^32.',
      label: 'key',
      read: () => encryptions.known,
    },
    {
      type: 'gauge',
      name: 'change_channel_up',
      help: 'Whether changes of other processes are received at once (1) or within 750 ms (0).',
      read: () => toNumber(changes.isConnected()),
    },
    {
      type: 'gauge',
      name: 'change_lease_up',
      help: 'Whether answers may come from memory (1), or the database is asked for each (0).',
      read: () => toNumber(changes.isConnected() === null ? null : changes.isCurrent()),
    },
    {
      type: 'gauge',
      name: 'event_streams',
      help: 'Event streams that are open.',
      read: () => streams.count,
    },
    {
      type: 'counter',
      name: 'event_stream_ends_total',
      help: 'Event streams that have ended, by reason.',
      label: 'reason',
      read: () => streams.ends,
    },
  ];
  for (const one of watched) metrics.watch(one);
}

/** Exports as metrics what the server refuses or cuts before it is a call. */
export function watchHttp(metrics: Metrics, { malformed, connections }: HttpServer): void {
  metrics.watch({
    type: 'counter',
    name: 'http_malformed_total',
    help: 'Requests that were refused before they reached a route, by the code of their problem.',
    label: 'code',
    read: () => malformed.counts,
  });
  metrics.watch({
    type: 'counter',
    name: 'http_connections_cut_total',
    help: 'Connections that were cut because of their client, by reason.',
    label: 'reason',
    read: () => connections.cuts,
  });
}

/** Exports what plugins tell of themselves. @throws ExtensionFailed for metrics that cannot be exported */
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

const METRICS: Expected<Watched[]> = {
  is: (value): value is Watched[] => Array.isArray(value) && value.every(isObject),
  what: 'a list of metrics',
};

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function toNumber(isSo: boolean | null): number | null {
  return isSo === null ? null : Number(isSo);
}
