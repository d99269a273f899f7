import { Injectable } from '@nestjs/common';
import { getRandomValues } from 'node:crypto';
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
  'user_group_token.show',
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
  publicId: number;
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

/** In the order of a `Row`. */
const COLUMNS = `public_id, workspace_id, occurred_at, action, actor_type, api_token_id, request_id,
      address, object_type, object_id, before, after, details, keep_until`;

const insertEvent = statement<Row & Record<keyof Row, string | number | null>>(
  'audit-event.insert',
  () => `
    INSERT INTO audit_event (${COLUMNS})
    VALUES (:publicId, :workspaceId, :occurredAt, :action, :actorType, :apiTokenId, :requestId,
      :address, :objectType, :objectId, :before, :after, :details, :keepUntil)`,
);

/** Rows as JSON arrays, in the order of the columns. */
const insertEvents = statement<{ rows: string }>(
  'audit-event.insert-many',
  ({ elementsOf }) => `
    INSERT INTO audit_event (${COLUMNS})
    SELECT CAST(e.value ->> 0 AS bigint), CAST(e.value ->> 1 AS integer),
      CAST(e.value ->> 2 AS bigint), e.value ->> 3, e.value ->> 4, CAST(e.value ->> 5 AS integer),
      e.value ->> 6, e.value ->> 7, e.value ->> 8, e.value ->> 9, e.value ->> 10, e.value ->> 11,
      e.value ->> 12, CAST(e.value ->> 13 AS bigint)
    FROM ${elementsOf(':rows')}`,
);

/** Records who did what, in the transaction of the change itself: neither is there without the other. */
@Injectable()
export class AuditLog {
  private readonly redact: (text: string) => string;

  constructor(
    private readonly statements: Statements,
    private readonly config: Config,
  ) {
    this.redact = redactor(config.bootstrapApiToken, { whole: true });
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

  /** Adds many events by one statement. */
  async recordAll(
    manager: EntityManager,
    events: readonly (readonly [AuditActor, AuditEntry])[],
  ): Promise<void> {
    const rows = events.map(([actor, entry]) =>
      Object.values<unknown>({ ...this.toRow(actor, entry) }),
    );
    await this.statements.run(manager, insertEvents, { rows: JSON.stringify(rows) });
  }

  private toRow(actor: AuditActor, { action, object, before, after, details }: AuditEntry): Row {
    const now = Date.now();
    const { workspaceId, apiTokenId, requestId, address } = actor;
    const keepMs = keepDays(this.config, actor, action) * DAY_MS;
    return {
      publicId: randomNumber(),
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
      keepUntil: keepMs === Infinity ? null : now + keepMs,
    };
  }

  private toText(value: object | undefined): string | null {
    return value === undefined ? null : this.redact(JSON.stringify(value));
  }
}

/** One of the 2^53 that are exact in JSON. */
function randomNumber(): number {
  const [high, low] = getRandomValues(new Uint32Array(2)) as unknown as [number, number];
  return (high >>> 11) * 2 ** 32 + low;
}

/** Those that many can write, or that are many, may have to go sooner; nothing stays longer than the rest. */
function keepDays(
  { auditRetentionDays, refusalRetentionDays, shownTokenRetentionDays }: Config,
  { workspaceId }: AuditActor,
  action: AuditAction,
): number {
  const days = auditRetentionDays === 0 ? Infinity : auditRetentionDays;
  if (action === 'user_group_token.show') return Math.min(days, shownTokenRetentionDays);
  if (action === 'authentication.refuse' && workspaceId === null) {
    return Math.min(days, refusalRetentionDays);
  }
  return days;
}

/** Only the command line and the start have no request. */
function actorType({ apiTokenId, requestId }: AuditActor): string {
  if (apiTokenId !== null) return 'api_token';
  return requestId === null ? 'operator' : 'unknown';
}
