import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../common/caller';
import { AuditUnavailable, DatabaseUnavailable } from '../common/errors';
import { redactor } from '../common/secrets';
import { Config } from '../config/config';
import { translateDatabaseError } from '../database/database-errors';
import { statement, Statements } from '../database/statement';

/** What can be recorded: `noun.verb`; docs/audit-log.md describes each. */
export const auditActions = [
  'api_token.issue',
  'api_token.revoke',
  'api_token.rotate',
  'api_token.update',
  'authentication.refuse',
  'authorization.refuse',
  'data_source.create',
  'data_source.delete',
  'data_source.update',
  'encryption_key.forget',
  'encryption_key.rewrap',
  'schema.create',
  'schema.delete',
  'schema.update',
  'user_group.create',
  'user_group.delete',
  'user_group.export',
  'user_group.resume',
  'user_group.suspend',
  'user_group.update',
  'user_group_token.revoke',
  'user_group_token.rotate',
  'workspace.create',
  'workspace.update',
] as const;

type AuditAction = (typeof auditActions)[number];

/** Who did it: of a `Caller`, what an event tells. */
export type AuditActor = Pick<Caller, 'apiTokenId' | 'requestId' | 'address'> & {
  /** Null where it is unknown. */
  workspaceId: number | null;
};

/** The operator at the command line, acting on what belongs to no workspace. */
export const installationOperator: AuditActor = {
  workspaceId: null,
  apiTokenId: null,
  requestId: null,
  address: null,
};

export interface AuditEntry {
  action: AuditAction;
  /** What was acted on; its id as the API knows it. */
  object?: { type: string; id: string | number };
  /** The fields that changed, as they were; never a secret. */
  before?: object;
  /** The fields that changed, as they are now; never a secret. */
  after?: object;
  details?: object;
}

interface Row {
  workspaceId: number | null;
  occurredAt: number;
  action: string;
  actorType: string;
  apiTokenId: number | null;
  requestId: string | null;
  address: string | null;
  objectType: string | null;
  objectId: string | null;
  before: string | null;
  after: string | null;
  details: string | null;
  keepUntil: number | null;
}

const DAY_MS = 86_400_000;

const insertEvent = statement<Row & Record<keyof Row, string | number | null>>(
  'audit-event.insert',
  () => `
    INSERT INTO audit_event (workspace_id, occurred_at, action, actor_type, api_token_id, request_id,
      address, object_type, object_id, before, after, details, keep_until)
    VALUES (:workspaceId, :occurredAt, :action, :actorType, :apiTokenId, :requestId,
      :address, :objectType, :objectId, :before, :after, :details, :keepUntil)`,
);

/** Records who did what, in the transaction of the change itself: neither is there without the other. */
@Injectable()
export class AuditLog {
  private readonly keepMs: number | null;
  private readonly redact: (text: string) => string;

  constructor(
    private readonly statements: Statements,
    { auditRetentionDays, bootstrapApiToken }: Config,
  ) {
    this.redact = redactor(bootstrapApiToken, { whole: true });
    this.keepMs = auditRetentionDays === 0 ? null : auditRetentionDays * DAY_MS;
  }

  /**
   * Adds one event. What looks like a token is made unreadable, wherever it stands.
   * @throws AuditUnavailable, which takes the change back; DatabaseUnavailable
   */
  async record(manager: EntityManager, actor: AuditActor, entry: AuditEntry): Promise<void> {
    try {
      await this.statements.run(manager, insertEvent, this.toRow(actor, entry));
    } catch (thrown) {
      const error = translateDatabaseError(thrown);
      throw error instanceof DatabaseUnavailable ? error : new AuditUnavailable(thrown);
    }
  }

  private toRow(actor: AuditActor, { action, object, before, after, details }: AuditEntry): Row {
    const now = Date.now();
    const { workspaceId, apiTokenId, requestId, address } = actor;
    return {
      workspaceId,
      occurredAt: now,
      action,
      actorType: actorType(actor),
      apiTokenId,
      requestId: requestId && this.redact(requestId),
      address,
      objectType: object?.type ?? null,
      objectId: object ? this.redact(String(object.id)) : null,
      before: this.toText(before),
      after: this.toText(after),
      details: this.toText(details),
      keepUntil: this.keepMs === null ? null : now + this.keepMs,
    };
  }

  private toText(value: object | undefined): string | null {
    return value === undefined ? null : this.redact(JSON.stringify(value));
  }
}

/** Only the command line and the start have no request. */
function actorType({ apiTokenId, requestId }: AuditActor): string {
  if (apiTokenId !== null) return 'api_token';
  return requestId === null ? 'operator' : 'unknown';
}
