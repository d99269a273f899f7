import { statement } from '../../platform/database/statement.ts';
import { HOUR_MS, currentTime } from '../../platform/common/time.ts';
import type { Statements } from '../../platform/database/statements.ts';
import type { ChangeEvent } from './change-event.entity.ts';

/** Position of a reader in the change log: a text that is valid for as long as events are kept. */
export type ChangePosition = string;

export type ChangeRecord = Omit<ChangeEvent, 'id' | 'transactionId'>;

export interface ReadChanges {
  changes: ChangeRecord[];
  /** The position after the changes. */
  position: ChangePosition;
  /** Whether more changes can be read at once. */
  hasMore: boolean;
  /** Whether the database is another server than that of the position: some changes may be repeated, others undone. */
  isRewound?: true;
}

export interface ReadOptions {
  /** Undefined for all workspaces. */
  workspaceId?: number;
  /** Approximate: changes of one transaction are not separated, and PostgreSQL counts those of late commits apart. */
  limit: number;
  /** Whether the changes after the position are kept until they have been read, as for a `ChangeConsumer`. */
  isRetained?: true;
}

/**
 * Returns when a position was reached, in milliseconds since 1970: unread changes have happened since, or were not
 * committed then.
 */
export function reachedAt(position: ChangePosition): number {
  return (JSON.parse(position) as { at: number }).at;
}

/** Thrown for a position that can no longer be read from. */
export class PositionLost extends Error {}

/** The last event before a position. If it is missing or different later, a backup was restored. */
export interface Anchor {
  id: number;
  publicId: number;
}

const findAnchor = statement<{ id: number }, { publicId: number | null; oldest: number | null }>(
  'change-event.find-anchor',
  () => `
    SELECT (SELECT public_id FROM change_event WHERE id = :id) AS "publicId",
      (SELECT min(id) FROM change_event) AS oldest`,
);

const findRemoval = statement<Record<string, never>, { removedUntil: number }>(
  'change-event.find-removal',
  () => 'SELECT removed_until AS "removedUntil" FROM change_removal WHERE id = 1',
);

/** Allows for a wrong clock in another process, which removes events. */
const MARGIN_MS = 60_000;

/**
 * Reads the change log from any position on: each change at least once, as soon as it is committed, whatever the order
 * of commits. The changes of one read are in the order in which they were made, so those of one group are in order.
 */
export abstract class ChangeReader {
  constructor(
    protected readonly statements: Statements,
    private readonly retentionHours: number,
  ) {}

  /** Returns the position before the oldest kept change. */
  abstract start(): ChangePosition;

  /** Returns the position after everything that is committed. @throws DatabaseUnavailable */
  abstract end(): Promise<ChangePosition>;

  /**
   * Reads the changes after a position.
   * @throws PositionLost if changes after it have been removed, or it belongs to another database; DatabaseUnavailable
   */
  abstract read(position: ChangePosition, options: ReadOptions): Promise<ReadChanges>;

  /**
   * Follows the reading of the changes, which may be removed until then.
   * @param at time when the position was reached
   * @throws PositionLost if changes after it may have been removed since, also by a process with another retention
   */
  protected async requireKept(at: number): Promise<void> {
    const [removal] = await this.statements.read(findRemoval, {});
    const removedUntil = Math.max(
      currentTime() - this.retentionHours * HOUR_MS,
      removal?.removedUntil ?? 0,
    );
    if (at < removedUntil + MARGIN_MS) {
      throw new PositionLost('changes behind the position have been removed');
    }
  }

  /** @throws PositionLost if the event is missing although it is not old enough to be removed; DatabaseUnavailable */
  protected async requireAnchor(anchor: Anchor | undefined): Promise<void> {
    if (!anchor) return;
    const [found] = await this.statements.read(findAnchor, { id: anchor.id });
    const { publicId, oldest } = found!;
    const isRemoved = publicId === null && (oldest === null || anchor.id < oldest);
    if (publicId !== anchor.publicId && !isRemoved) {
      throw new PositionLost('the database has been replaced by a backup');
    }
  }
}

/** Parses a position, which has the member if it is one of this database. @throws PositionLost */
export function parsePosition<Position>(text: ChangePosition, member: keyof Position): Position {
  const position = JSON.parse(text) as Position;
  if (position[member] === undefined) throw new PositionLost('it is of another database');
  return position;
}

export const RECORD_COLUMNS = `id, public_id AS "publicId", workspace_id AS "workspaceId", kind,
  user_group_id AS "userGroupId", object_id AS "objectId", previous_object_id AS "previousObjectId", version, occurred_at AS "occurredAt"`;

/** @param row has the columns of a `ChangeRecord`, and perhaps others */
export function toRecord(row: ChangeRecord): ChangeRecord {
  const { publicId, workspaceId, kind, userGroupId, objectId, previousObjectId } = row;
  const { version, occurredAt } = row;
  const of = { userGroupId, objectId, previousObjectId, version };
  return { publicId, workspaceId, kind, ...of, occurredAt };
}

export const findLastEvent = statement<Record<string, never>, Anchor>(
  'change-event.find-last',
  () => 'SELECT id, public_id AS "publicId" FROM change_event ORDER BY id DESC LIMIT 1',
);
