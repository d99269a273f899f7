import { Injectable, type Type } from '@nestjs/common';
import { currentTime, toWireTime } from '../../platform/common/time.ts';
import { serviceVersion } from '../../platform/common/version.ts';
import { Config } from '../../platform/config/config.ts';
import { variablesOf } from '../../platform/config/variable.ts';
import { ChangeFeed } from '../../core/change-log/change-feed.ts';
import { isPooled } from '../../platform/database/data-source-options.ts';
import { AppliedMigrations } from '../../platform/database/schema/applied-migrations.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { EncryptionKeyRepository } from '../../core/encryption-key/encryption-key.repository.ts';
import { KeyRing } from '../../core/encryption-key/key-ring.ts';
import { EventConsumerRepository } from '../event/consumer/event-consumer.repository.ts';
import { workspaceRateLimitOf } from '../../core/rate-limit/rate-limits.ts';
import { EncryptedTokens } from '../key-administration/encrypted-tokens.ts';
import type {
  SystemEventConsumer,
  SystemReplica,
  SystemResponse,
  SystemRetention,
  SystemDatabase,
} from './dto/system-response.dto.ts';

const describeDatabase = statement<object, SystemDatabase>(
  'system.describe-database',
  ({ kind, serverVersion }) => `SELECT '${kind}' AS kind, ${serverVersion} AS version`,
);

const listReplicas = statement<object, { connectedAt: number; polledAt: number }>(
  'system.list-replicas',
  ({ pollers }) =>
    `SELECT "connectedAt", "polledAt" FROM ${pollers} ORDER BY "connectedAt" LIMIT 100`,
);

/** Returns the retention periods of the service, its features and its plugins. */
function retentionOf(config: Config): SystemRetention {
  // Behind a pooler the configuration is a copy without its class.
  const read: [Type, object][] = [
    [Config, config],
    ...config.settings.map((one): [Type, object] => [one.constructor as Type, one]),
  ];
  const periods = read.flatMap(([type, values]) =>
    variablesOf(type).flatMap(({ property, retention }) =>
      retention ? [[retention[0], values[property as keyof typeof values]]] : [],
    ),
  );
  return Object.fromEntries(periods) as SystemRetention;
}

/** Describes the installation, without secrets and without data of a single workspace. */
@Injectable()
export class SystemService {
  private readonly startedAt = currentTime() - Math.round(process.uptime() * 1000);

  constructor(
    private readonly config: Config,
    private readonly statements: Statements,
    private readonly migrations: AppliedMigrations,
    private readonly changes: ChangeFeed,
    private readonly ring: KeyRing,
    private readonly keys: EncryptionKeyRepository,
    private readonly tokens: EncryptedTokens,
    private readonly consumers: EventConsumerRepository,
  ) {}

  /** @throws DatabaseUnavailable */
  async get(workspaceId: number): Promise<SystemResponse> {
    const { config } = this;
    // Together, because each may wait for a connection and for a lock.
    const [[database], migrations, replicas, isRewrapRemaining, eventConsumers] = await Promise.all(
      [
        this.statements.read(describeDatabase, {}),
        this.migrations.count(),
        this.listReplicas(),
        this.isRewrapRemaining(workspaceId),
        this.listConsumers(),
      ],
    );
    const { kind, version } = database!;
    return {
      success: 1,
      system: {
        version: serviceVersion,
        node: process.version,
        started_at: toWireTime(this.startedAt),
        database: { kind, version },
        migrations,
        change_feed: { lease_up: this.changes.isCurrent(), channel_up: this.changes.isConnected() },
        replicas,
        encryption_keys: this.ring.keys.map((key) => ({
          id: key.id,
          encrypts: key === this.ring.current,
        })),
        rewrap_remaining: isRewrapRemaining,
        event_consumers: eventConsumers,
        retention: retentionOf(config),
        limits: {
          calls_per_minute: config.rateLimitPerMinute,
          workspace_calls_per_minute: workspaceRateLimitOf(config),
          introspections_per_minute: config.introspectionRateLimitPerMinute,
          failed_authentications_per_minute: config.authenticationFailureLimitPerMinute,
          body_bytes: config.bodyLimit,
        },
        plugins: config.plugins.map(({ definition: { name } }) => name),
      },
    };
  }

  /** Null behind a pooler, which hands the connection of one process to another. */
  private async listReplicas(): Promise<SystemReplica[] | null> {
    if (this.config.databaseUrl === undefined || isPooled(this.config)) return null;
    return (await this.statements.read(listReplicas, {})).map(({ connectedAt, polledAt }) => ({
      connected_at: toWireTime(connectedAt),
      polled_at: toWireTime(polledAt),
    }));
  }

  private async isRewrapRemaining(workspaceId: number): Promise<boolean | null> {
    const recorded = await this.keys.list();
    const current = this.ring.current.id;
    const others = recorded.filter(({ id, forgottenAt }) => id !== current && forgottenAt === null);
    return this.tokens.hasAnyOf(
      workspaceId,
      others.map(({ id }) => id),
    );
  }

  private async listConsumers(): Promise<SystemEventConsumer[]> {
    const now = currentTime();
    return (await this.consumers.list()).map(({ name, leaseUntil }) => ({
      name,
      running: leaseUntil !== null && leaseUntil > now,
      lease_until: leaseUntil === null ? null : toWireTime(leaseUntil),
    }));
  }
}
