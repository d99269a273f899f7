import { ActivityRecord } from '../activity/activity.entity.ts';
import { ApiToken } from '../api-token/api-token.entity.ts';
import { AuditEvent } from '../audit/audit-event.entity.ts';
import { ChangeEvent, ChangeRemoval } from '../change-log/change-event.entity.ts';
import { ConsoleSession } from '../console/session/console-session.entity.ts';
import { EncryptionKeyRecord } from '../encryption-key/encryption-key.entity.ts';
import { EventConsumerRecord } from '../event/consumer/event-consumer.entity.ts';
import { IdempotentResponse } from '../idempotency/idempotent-response.entity.ts';
import { SweepTimeRecord } from '../database/upkeep/sweep-time.entity.ts';
import { DataSourceMapping } from '../mapping/data-source-mapping.entity.ts';
import { RegisteredDataSource, RegisteredSchema } from '../mapping/registered-things.entity.ts';
import { IdempotencyKey } from '../user-group/entities/idempotency-key.entity.ts';
import { EndedToken } from '../user-group/entities/ended-token.entity.ts';
import { RevokedEmbedToken } from '../user-group/entities/revoked-embed-token.entity.ts';
import { UserGroupToken } from '../user-group/entities/user-group-token.entity.ts';
import { UserGroupVersion } from '../user-group/entities/user-group-version.entity.ts';
import { UserGroup } from '../user-group/entities/user-group.entity.ts';
import { Reminder } from '../webhook/entities/reminder.entity.ts';
import { WebhookAttempt } from '../webhook/entities/webhook-attempt.entity.ts';
import { WebhookBacklog } from '../webhook/entities/webhook-backlog.entity.ts';
import { WebhookDelivery } from '../webhook/entities/webhook-delivery.entity.ts';
import { WebhookEndpoint } from '../webhook/entities/webhook-endpoint.entity.ts';
import { WebhookProgress } from '../webhook/entities/webhook-progress.entity.ts';
import { WebhookReplay } from '../webhook/entities/webhook-replay.entity.ts';
import { WorkspaceHistory } from '../workspace/workspace-history.entity.ts';
import { Workspace } from '../workspace/workspace.entity.ts';

/** Every entity of the service. */
export const entities: (new () => object)[] = [
  ActivityRecord,
  ApiToken,
  AuditEvent,
  ChangeEvent,
  ChangeRemoval,
  ConsoleSession,
  DataSourceMapping,
  EncryptionKeyRecord,
  EndedToken,
  EventConsumerRecord,
  IdempotencyKey,
  IdempotentResponse,
  Reminder,
  RegisteredDataSource,
  RegisteredSchema,
  RevokedEmbedToken,
  SweepTimeRecord,
  UserGroup,
  UserGroupToken,
  UserGroupVersion,
  WebhookAttempt,
  WebhookBacklog,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookProgress,
  WebhookReplay,
  Workspace,
  WorkspaceHistory,
];
