/**
 * The schema of the database, for pipelines that change it themselves: the migrations in their order, the
 * entities, and the commands of the service.
 * @packageDocumentation
 */
import { ActivityRecord } from './activity/activity.entity.ts';
import { ApiToken } from './api-token/api-token.entity.ts';
import { AuditEvent } from './audit/audit-event.entity.ts';
import { configOf, type UserGroupOptions } from './config/options.ts';
import { ConsoleSession } from './console/console-session.entity.ts';
import { ChangeEvent } from './database/change-event.entity.ts';
import { listMigrations, type MigrationState, prepareDatabase } from './database/schema/migrate.ts';
import { EncryptionKeyRecord } from './encryption-key/encryption-key.entity.ts';
import { EventConsumerRecord } from './event/event-consumer.entity.ts';
import { RegisteredDataSource } from './registry/things/registered-data-source.entity.ts';
import { RegisteredSchema } from './registry/things/registered-schema.entity.ts';
import { DataSourceMapping } from './user-group/entities/data-source-mapping.entity.ts';
import { IdempotencyKey } from './user-group/entities/idempotency-key.entity.ts';
import { UserGroup } from './user-group/entities/user-group.entity.ts';
import { UserGroupToken } from './user-group/entities/user-group-token.entity.ts';
import { WebhookAttempt } from './webhook/delivery/webhook-attempt.entity.ts';
import { WebhookBacklog } from './webhook/delivery/webhook-backlog.entity.ts';
import { WebhookDelivery } from './webhook/delivery/webhook-delivery.entity.ts';
import { WebhookProgress } from './webhook/delivery/webhook-progress.entity.ts';
import { WebhookReplay } from './webhook/delivery/webhook-replay.entity.ts';
import { WebhookEndpoint } from './webhook/endpoint/webhook-endpoint.entity.ts';
import { Notice } from './webhook/notice/notice.entity.ts';
import { Workspace } from './workspace/workspace.entity.ts';

export { migrations } from './database/migrations/index.ts';
export type { MigrationState, UserGroupOptions };

/** Every entity of the service. */
export const entities: (new () => object)[] = [
  ActivityRecord,
  ApiToken,
  AuditEvent,
  ChangeEvent,
  ConsoleSession,
  DataSourceMapping,
  EncryptionKeyRecord,
  EventConsumerRecord,
  IdempotencyKey,
  Notice,
  RegisteredDataSource,
  RegisteredSchema,
  UserGroup,
  UserGroupToken,
  WebhookAttempt,
  WebhookBacklog,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookProgress,
  WebhookReplay,
  Workspace,
];

/**
 * Runs the pending migrations, one process at a time; a service that starts does the same.
 * @returns the names of those that were run
 * @throws ConfigError, OperatorError with one line
 */
export async function migrateUserGroups(options: UserGroupOptions): Promise<string[]> {
  return (await prepareDatabase(configOf(options))).migrated;
}

/** Every migration in order, with whether this database has it. @throws ConfigError, OperatorError */
export async function listUserGroupMigrations(
  options: UserGroupOptions,
): Promise<MigrationState[]> {
  return listMigrations(configOf(options));
}
