import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../common/caller.ts';
import { AuditUnavailable, DatabaseUnavailable } from '../common/errors.ts';
import { randomNumber } from '../common/random-bytes.ts';
import { redactor } from '../common/secrets.ts';
import { Config } from '../config/config.ts';
import { CHANGE_COLUMNS, insertChanges } from '../database/change-log.ts';
import { translateDatabaseError } from '../database/database-errors.ts';
import { statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';
import { auditActions } from './audit-actions.ts';

type AuditAction = (typeof auditActions)[number];

/** Actions that leave user groups, API tokens and what they depend on as they are. */
const UNCHANGING: ReadonlySet<AuditAction> = new Set<AuditAction>([
  'authentication.refuse',
  'authorization.refuse',
  'console_session.begin',
  'console_session.end',
  'encryption_key.forget',
  'encryption_key.rewrap',
  'user_group.export',
  'user_group_token.show',
  'webhook_endpoint.replay',
]);

/** The kinds of change that the log of changes tells of. */
export const changeKinds: readonly string[] = auditActions.filter(
  (action) => !UNCHANGING.has(action),
);

/** The actor of an event: what the event records of a `Caller`. */
export type AuditActor = Pick<Caller, 'apiTokenId' | 'requestId' | 'address'> & {
  /** Null where it is unknown. */
  workspaceId: number | null;
  /** Whether it is the service itself, which nobody has asked. */
  isService?: boolean;
};

/** The operator at the command line, acting outside of any workspace. */
export const installationOperator: AuditActor = {
  workspaceId: null,
  apiTokenId: null,
  requestId: null,
  address: null,
};

/** The service itself in a workspace: nobody has asked for what it does. */
export function ofService(workspaceId: number): AuditActor {
  return { workspaceId, apiTokenId: null, requestId: null, address: null, isService: true };
}

export interface AuditEntry {
  action: AuditAction;
  /** The object of the action, by the id that the API shows. */
  object?: { type: string; id: string | number };
  /** The user group that is changed; none where the action concerns all of the workspace, or none of them. */
  userGroupId?: number;
  /** Of the group after the change, or the generation of its token that the change is about. */
  version?: number;
  /** The fields that changed, as they were; never a secret. */
  before?: object;
  /** The fields that changed, as they are now; never a secret. */
  after?: object;
  details?: object;
}

/** What `AuditLog` records as one event. */
export type AuditRecord = readonly [actor: AuditActor, entry: AuditEntry];

const DAY_MS = 86_400_000;

const COLUMNS = {
  public_id: 'bigint',
  workspace_id: 'integer',
  occurred_at: 'bigint',
  action: 'text',
  actor_type: 'text',
  api_token_id: 'integer',
  request_id: 'text',
  address: 'text',
  object_type: 'text',
  object_id: 'text',
  before: 'text',
  after: 'text',
  details: 'text',
  keep_until: 'bigint',
} as const;

type Values<Columns> = Record<keyof Columns, string | number | null>;

type Row = Values<typeof COLUMNS> & Partial<Values<typeof CHANGE_COLUMNS>>;

const names = Object.keys(COLUMNS).join(', ');

const insertEvents = statement<{ rows: readonly Row[] }>('audit-event.insert', (dialect) =>
  dialect.insertEach(dialect.recordsOf(':rows', { ...COLUMNS, ...CHANGE_COLUMNS }), [
    insertChanges(dialect),
    `INSERT INTO audit_event (${names}) SELECT ${names} FROM r`,
  ]),
);

/**
 * Records who did what, in the transaction of the change itself, so that neither exists without the
 * other; what has changed goes into the change log, too.
 */
@Injectable()
export class AuditLog {
  private readonly redact: (text: string) => string;

  constructor(
    private readonly statements: Statements,
    private readonly config: Config,
  ) {
    this.redact = redactor(config.bootstrapApiToken, { whole: true });
  }

  /** As `recordAll`, for one event. */
  record(manager: EntityManager, actor: AuditActor, entry: AuditEntry): void {
    this.recordAll(manager, [[actor, entry]]);
  }

  /**
   * Adds events, and the changes among them to the change log, at the end of the transaction of
   * `manager`; if they cannot be added, it fails with AuditUnavailable or DatabaseUnavailable, and is
   * rolled back. In an event it redacts whatever looks like a token, wherever it occurs.
   */
  recordAll(manager: EntityManager, events: readonly AuditRecord[]): void {
    if (events.length === 0) return;
    const rows = events.map(([actor, entry]) => this.toRow(actor, entry));
    this.statements.runLast(manager, insertEvents, { rows }, toFailure);
  }

  private toRow(actor: AuditActor, entry: AuditEntry): Row {
    const { action, object, before, after, details, userGroupId = null, version = null } = entry;
    const id = object ? String(object.id) : null;
    const now = Date.now();
    const { workspaceId, apiTokenId, requestId, address } = actor;
    const keepMs = keepDays(this.config, actor, action) * DAY_MS;
    return {
      public_id: randomNumber(),
      workspace_id: workspaceId,
      occurred_at: now,
      action,
      actor_type: actorType(actor),
      api_token_id: apiTokenId,
      request_id: requestId && this.redact(requestId),
      address,
      object_type: object?.type ?? null,
      object_id: id && this.redact(id),
      before: this.toText(before),
      after: this.toText(after),
      details: this.toText(details),
      keep_until: keepMs === Infinity ? null : now + keepMs,
      ...(!UNCHANGING.has(action) && {
        change_kind: action,
        user_group_id: userGroupId,
        changed_id: id,
        version,
      }),
    };
  }

  private toText(value: object | undefined): string | null {
    return value === undefined ? null : this.redact(JSON.stringify(value));
  }
}

function toFailure(thrown: unknown): unknown {
  const error = translateDatabaseError(thrown);
  return error instanceof DatabaseUnavailable ? error : new AuditUnavailable(thrown);
}

/**
 * Returns how many days an event is kept: fewer for events that anybody can cause, or that are
 * many; never more than for the rest.
 */
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
function actorType({ apiTokenId, requestId, isService }: AuditActor): string {
  if (isService) return 'service';
  if (apiTokenId !== null) return 'api_token';
  return requestId === null ? 'operator' : 'unknown';
}
