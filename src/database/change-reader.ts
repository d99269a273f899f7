import { type SqlValue, statement } from './statement.ts';
import type { Statements } from './statements.ts';

/** Where a reader of the change log stands: a text that can be kept for as long as events are. */
export type ChangePosition = string;

/** A change as readers of the change log get it. */
export interface ChangeRecord {
  /** The id that callers know: random, and that of its audit event. */
  publicId: number;
  /** Null for what may have changed anything in any workspace. */
  workspaceId: number | null;
  /** `noun.verb`. */
  kind: string;
  /** Null for what concerns no user group, or all of the workspace. */
  userGroupId: number | null;
  /** The object by the id that the API shows. */
  objectId: string | null;
  /** Of the group after the change, or the generation of the token that it is about. */
  version: number | null;
  /** Milliseconds since 1970. */
  occurredAt: number;
}

export interface ReadChanges {
  changes: ChangeRecord[];
  /** Behind the changes. */
  position: ChangePosition;
  /** Whether it lies before others that could have been read. */
  hasMore: boolean;
  /** Whether the database is another server than that of the position: some changes may come again, others be undone. */
  isRewound?: true;
}

export interface ReadOptions {
  /** Undefined for all workspaces. */
  workspaceId?: number;
  /** About how many: changes of one transaction are not separated. */
  limit: number;
  /** Whether what lies behind the position is kept until it has been read, as for a `ChangeConsumer`. */
  isHeld?: true;
}

/** When a position was reached, in milliseconds since 1970: what it has not read has happened since, or was under way then. */
export function reachedAt(position: ChangePosition): number {
  return (JSON.parse(position) as { at: number }).at;
}

/** Thrown for a position that can no longer be read from. */
export class PositionLost extends Error {}

/**
 * Reads the change log from any position on: each change at least once, as soon as it is committed, in
 * whatever order transactions commit. Changes that are read together come in the order in which they
 * were made, so that of one group none comes before an earlier one.
 */
export abstract class ChangeReader {
  /** The position before the oldest change that is kept. */
  abstract start(): ChangePosition;

  /** The position behind everything that is committed. @throws DatabaseUnavailable */
  abstract end(): Promise<ChangePosition>;

  /**
   * Reads on from a position.
   * @throws PositionLost if changes behind it have been removed, or it is that of another database;
   *   DatabaseUnavailable
   */
  abstract read(position: ChangePosition, options: ReadOptions): Promise<ReadChanges>;
}

/** The columns of a `ChangeRecord`. */
export const RECORD_COLUMNS = `id, public_id AS "publicId", workspace_id AS "workspaceId", kind,
  user_group_id AS "userGroupId", object_id AS "objectId", version, occurred_at AS "occurredAt"`;

/** @param row with the columns of a `ChangeRecord`, and perhaps others */
export function toRecord(row: ChangeRecord): ChangeRecord {
  const { publicId, workspaceId, kind, userGroupId, objectId, version, occurredAt } = row;
  return { publicId, workspaceId, kind, userGroupId, objectId, version, occurredAt };
}

/** An event that lies before a position: who restores a backup puts another into its place, or none. */
export interface Witness {
  id: number;
  publicId: number;
}

const findWitness = statement<
  Record<keyof Pick<Witness, 'id'>, SqlValue>,
  { publicId: number | null; oldest: number | null }
>(
  'change-event.find-witness',
  () => `
    SELECT (SELECT public_id FROM change_event WHERE id = :id) AS "publicId",
      (SELECT min(id) FROM change_event) AS oldest`,
);

/** @throws PositionLost if the event is neither there nor so old that it has been removed; DatabaseUnavailable */
export async function requireWitness(
  statements: Statements,
  witness: Witness | undefined,
): Promise<void> {
  if (!witness) return;
  const [found] = await statements.read(findWitness, { id: witness.id });
  const { publicId, oldest } = found!;
  const isRemoved = publicId === null && (oldest === null || witness.id < oldest);
  if (publicId !== witness.publicId && !isRemoved) {
    throw new PositionLost('the database has been replaced by a backup');
  }
}

/** The last event of all, if there is one. */
export const findLastEvent = statement<Record<string, never>, Witness>(
  'change-event.find-last',
  () => `
    SELECT id, public_id AS "publicId" FROM change_event
    WHERE public_id IS NOT NULL ORDER BY id DESC LIMIT 1`,
);

/** Before it is removed, in case a clock of another process goes wrong. */
const MARGIN_MS = 60_000;

/** @param at when the position was reached @throws PositionLost if changes behind it may have been removed since */
export function requireKept(at: number, retentionHours: number): void {
  const keptSince = Date.now() - retentionHours * 3_600_000 + MARGIN_MS;
  if (at < keptSince) throw new PositionLost('changes behind the position have been removed');
}
