import { Injectable } from '@nestjs/common';
import { DAY_MS, currentTime } from '../../platform/common/time.ts';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../platform/common/access/caller.ts';
import { AuditUnavailable } from './audit.errors.ts';
import { ServiceError } from '../../platform/common/problem/problem.ts';
import { randomNumber } from '../../platform/common/secret/random-bytes.ts';
import { redactor } from '../../platform/common/secret/secrets.ts';
import { Config } from '../../platform/config/config.ts';
import { CHANGE, insertChanges } from '../change-log/change-log.ts';
import { translateDatabaseError } from '../../platform/database/database-errors.ts';
import { columnsOf, type Dialect } from '../../platform/database/dialect.ts';
import { statement, type Step } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { type AuditAction, auditActions, isChange } from './audit-actions.ts';

/** Lists the actions that are events, too. */
export const changeKinds = (): readonly string[] => auditActions.filter(isChange);

/** The caller, the operator or the service itself, as the one that acts. */
export type AuditActor = Pick<Caller, 'apiTokenId' | 'requestId' | 'address'> & {
  workspaceId: number | null;
  /** Whether the service itself acts, without a request. */
  isService?: boolean;
};

export const installationOperator: AuditActor = {
  workspaceId: null,
  apiTokenId: null,
  requestId: null,
  address: null,
};

/** The service itself, acting in a workspace without a request. */
export function ofService(workspaceId: number): AuditActor {
  return { workspaceId, apiTokenId: null, requestId: null, address: null, isService: true };
}

/** An action with its object. */
export interface AuditEntry {
  action: AuditAction;
  /** The object of the action, by the id that the API shows; null if the statement that records the event adds it. */
  object?: { type: string; id: string | number | null };
  /** The id that the object had before, if the action has changed it. */
  previousId?: string;
  /** The changed user group; absent if the action affects the whole workspace, or no group. */
  userGroupId?: number;
  /** Version of the group after the change, or the generation of its changed token. */
  version?: number;
  /** The changed fields before the change; never a secret. */
  before?: object;
  /** The changed fields after the change; never a secret. */
  after?: object;
  details?: object;
}

export type AuditRecord = readonly [actor: AuditActor, entry: AuditEntry];

/** The members of an event but its workspace. */
export const EVENT_MEMBERS = {
  publicId: 'bigint',
  occurredAt: 'bigint',
  action: 'text',
  actorType: 'text',
  apiTokenId: 'integer',
  requestId: 'text',
  address: 'text',
  objectType: 'text',
  objectId: 'text',
  before: 'text',
  after: 'text',
  details: 'text',
  keepUntil: 'bigint',
} as const;

const EVENT = { ...EVENT_MEMBERS, workspaceId: 'integer' } as const;

/** The members of an event with its change. */
export const RECORDED = { ...EVENT, ...CHANGE } as const;

/** Undefined is stored as null, and is not sent. */
type Values<Members> = Record<keyof Members, string | number | null | undefined>;

export type RecordedEvent = Values<typeof EVENT> & Partial<Values<typeof CHANGE>>;

/** An event of a workspace that the statement knows. */
export type WorkspaceEvent = Values<typeof EVENT_MEMBERS>;

const { columns, members } = columnsOf(EVENT);

/** Steps of a statement that record the events, and their changes, in the order of the rows of `events`. */
export function recordingSteps(dialect: Dialect, events: string): Step[] {
  return [
    { name: 'change_row', table: 'change_event', sql: insertChanges(dialect, events) },
    {
      name: 'audit_row',
      table: 'audit_event',
      sql: `INSERT INTO audit_event (${columns}) SELECT ${members} FROM ${events}`,
    },
  ];
}

const insertEvents = statement<{ events: readonly RecordedEvent[] }>(
  'audit-event.insert',
  (dialect) => [
    { name: 'events', columns: RECORDED, isInline: true },
    ...recordingSteps(dialect, 'events'),
  ],
);

/**
 * Records events in the transaction of the change itself, so that neither exists without the other; changes also go
 * into the change log.
 */
@Injectable()
export class AuditLog {
  private readonly redact: (text: string) => string;

  /** @internal */
  constructor(
    private readonly statements: Statements,
    private readonly config: Config,
  ) {
    this.redact = redactor(config.bootstrapApiToken, { whole: true });
  }

  /** Returns an id as events show it, or undefined if that is the id itself. @internal */
  redactId(id: string): string | undefined {
    const redacted = this.redact(id);
    return redacted === id ? undefined : redacted;
  }

  /**
   * Records an event by the manager of a transaction. The audit log redacts texts that look like tokens.
   * @throws TypeError for a `userGroupId` without its group as the object; AuditUnavailable, DatabaseUnavailable
   */
  async record(manager: EntityManager, actor: AuditActor, entry: AuditEntry): Promise<void> {
    if (entry.userGroupId !== undefined && entry.object?.type !== 'user_group') {
      throw new TypeError('an entry with a userGroupId has that group as its object');
    }
    await this.recordAll(manager, [[actor, entry]]);
  }

  /** Adds the events, and their changes to the change log. @throws as `record` @internal */
  async recordAll(manager: EntityManager, records: readonly AuditRecord[]): Promise<void> {
    if (records.length === 0) return;
    const events = records.map((record) => this.toRecorded(record));
    try {
      await this.statements.run(manager, insertEvents, { events });
    } catch (error) {
      throw translateAuditError(translateDatabaseError(error));
    }
  }

  /** Returns an event as it is stored. @internal */
  toRecorded([actor, entry]: AuditRecord): RecordedEvent {
    const { action, object, previousId, userGroupId, version } = entry;
    const changedId = object && idOf(object);
    const change = isChange(action) && {
      kind: action,
      userGroupId,
      changedId,
      previousId,
      version,
    };
    return {
      ...this.toEvent(actor, entry),
      workspaceId: actor.workspaceId ?? undefined,
      ...change,
    };
  }

  /** Returns the members of an event but its workspace. @internal */
  toEvent(actor: AuditActor, entry: AuditEntry): WorkspaceEvent {
    const { action, object, before, after, details } = entry;
    const now = currentTime();
    const { apiTokenId, requestId, address } = actor;
    const keepMs = keepDays(this.config, actor, action) * DAY_MS;
    const id = object && idOf(object);
    return {
      publicId: randomNumber(),
      occurredAt: now,
      action,
      actorType: actorType(actor),
      apiTokenId: apiTokenId ?? undefined,
      requestId: requestId === null ? undefined : this.redact(requestId),
      address: address ?? undefined,
      objectType: object?.type,
      objectId: id && this.redact(id),
      before: this.toText(before),
      after: this.toText(after),
      details: this.toText(details),
      keepUntil: keepMs === Infinity ? undefined : now + keepMs,
    };
  }

  private toText(value: object | undefined): string | undefined {
    return value && this.redact(JSON.stringify(value));
  }
}

/** Returns AuditUnavailable for an error of `recordingSteps`, and others unchanged. */
export function translateAuditError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  const { table, message } = error as Error & { table?: string };
  return /\b(audit|change)_event\b/.test(`${table} ${message}`)
    ? new AuditUnavailable(error)
    : error;
}

/** Returns the days of retention: fewer for events that anybody can cause, or that are frequent; never more than for the rest. */
function keepDays(
  { auditRetentionDays, auditRefusalRetentionDays, auditTokenAccessRetentionDays }: Config,
  { workspaceId }: AuditActor,
  action: AuditAction,
): number {
  const days = auditRetentionDays === 0 ? Infinity : auditRetentionDays;
  if (action === 'user_group_token.show') return Math.min(days, auditTokenAccessRetentionDays);
  if (action === 'authentication.refuse' && workspaceId === null) {
    return Math.min(days, auditRefusalRetentionDays);
  }
  return days;
}

function idOf({ id }: NonNullable<AuditEntry['object']>): string | undefined {
  return id === null ? undefined : String(id);
}

/** Only the command line and the start have no request. */
function actorType({ apiTokenId, requestId, isService }: AuditActor): string {
  if (isService) return 'service';
  if (apiTokenId !== null) return 'api_token';
  return requestId === null ? 'operator' : 'unknown';
}
