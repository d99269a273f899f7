import { currentTime } from '../../../platform/common/time.ts';
import {
  type Anchor,
  type ChangePosition,
  ChangeReader,
  type ChangeRecord,
  findLastEvent,
  parsePosition,
  type ReadChanges,
  type ReadOptions,
  RECORD_COLUMNS,
  toRecord,
} from '../change-reader.ts';
import { statement } from '../../../platform/database/statement.ts';
import { openIn, parseSnapshot, SERVER, type Snapshot, snapshotText, xmaxOf } from './snapshot.ts';

/** Everything that the snapshot sees has been read. */
interface Position {
  snapshot: string;
  at: number;
  /** Server of the snapshot; undefined if any server is valid. */
  server?: string;
  anchor?: Anchor;
}

/** After a restart this much is read again: numbers of transactions may have been assigned twice. */
const REPEATED_MS = 120_000;

interface Row extends ChangeRecord {
  snapshot: string;
  server: string;
  /** Null if there is no change. */
  id: number | null;
  transactionId: number;
  branch: keyof typeof BRANCHES;
  /** Number of the query that has found it. */
  part: number;
}

/** Rows of transactions that were open in the last snapshot, and of those that have begun since. */
const BRANCHES = {
  listed: `transaction_id = ANY(ARRAY(SELECT ${openIn('now.last')}))`,
  later: `transaction_id >= ${xmaxOf('now.last')} AND transaction_id < ${xmaxOf('now.snapshot')}`,
};

/** @param scopes conditions of which each row meets one, by an index */
function reading(scopes: string[]): string {
  const parts = scopes
    .flatMap((scope) => Object.entries(BRANCHES).map((branch) => [scope, ...branch] as const))
    .map(
      ([scope, branch, condition], part) => `
        (SELECT ${RECORD_COLUMNS}, transaction_id AS "transactionId", '${branch}' AS branch, ${part} AS part
        FROM change_event WHERE ${scope} AND ${condition}
        ORDER BY transaction_id FETCH FIRST (CAST(:limit AS integer)) ROWS WITH TIES)`,
    );
  return `
    WITH now AS (SELECT pg_current_snapshot() AS snapshot, CAST(:last AS pg_snapshot) AS last)
    SELECT CAST(now.snapshot AS text) AS snapshot, ${SERVER} AS server, c.*
    FROM now LEFT JOIN LATERAL (${parts.join(' UNION ALL ')}) AS c ON true`;
}

const readAll = statement<{ last: string; limit: number }, Row>('change-event.read', () =>
  reading(['true']),
);

const readWorkspace = statement<{ last: string; limit: number; workspaceId: number }, Row>(
  'change-event.read-workspace',
  () => reading(['workspace_id = CAST(:workspaceId AS integer)', 'workspace_id IS NULL']),
);

const findEnd = statement<Record<string, never>, { snapshot: string; server: string }>(
  'change-event.find-end',
  () => `SELECT CAST(pg_current_snapshot() AS text) AS snapshot, ${SERVER} AS server`,
);

const findOldest = statement<{ since: number }, { snapshot: string; oldest: number | null }>(
  'change-event.find-oldest',
  () => `
    SELECT CAST(pg_current_snapshot() AS text) AS snapshot, min(later.transaction_id) AS oldest
    FROM (
      SELECT transaction_id FROM change_event
      WHERE id > coalesce(
        (SELECT id FROM change_event WHERE occurred_at < :since ORDER BY id DESC LIMIT 1), 0)
      -- Else it would look for the minimum by the index of the numbers, from the oldest on.
      OFFSET 0) AS later`,
);

/**
 * A position is a snapshot of PostgreSQL; the unread rows are those that it did not see. No change is missed, whatever
 * the order of commits, and a long transaction delays no other.
 */
export class PostgresChangeReader extends ChangeReader {
  override start(): ChangePosition {
    return JSON.stringify({ snapshot: '1:1:', at: currentTime() } satisfies Position);
  }

  override async end(): Promise<ChangePosition> {
    const at = currentTime();
    const [found] = await this.statements.read(findEnd, {});
    const [anchor] = await this.statements.read(findLastEvent, {});
    return JSON.stringify({ ...found!, at, ...(anchor && { anchor }) } satisfies Position);
  }

  override async read(position: ChangePosition, options: ReadOptions): Promise<ReadChanges> {
    const last = parsePosition<Position>(position, 'snapshot');
    const at = currentTime();
    let { snapshot } = last;
    let rows = await this.select(snapshot, options);
    const { server } = rows[0]!;
    const isRewound = last.server !== undefined && last.server !== server;
    if (isRewound) {
      await this.requireAnchor(last.anchor);
      snapshot = await this.rewind(last.at - REPEATED_MS);
      rows = await this.select(snapshot, options);
      // The server may have restarted once more.
      if (rows[0]!.server !== server) return { changes: [], position, hasMore: true };
    }
    if (!options.isRetained) await this.requireKept(last.at);
    const { seen, changes, hasMore } = cut(rows, parseSnapshot(snapshot), options.limit);
    const end = changes.at(-1);
    const anchor = end ? { id: end.id!, publicId: end.publicId } : last.anchor;
    const reached = hasMore ? Math.min(at, end?.occurredAt ?? last.at) : at;
    return {
      changes: changes.map(toRecord),
      position: JSON.stringify({
        snapshot: snapshotText(seen),
        server,
        at: reached,
        ...(anchor && { anchor }),
      } satisfies Position),
      hasMore,
      ...(isRewound && { isRewound }),
    };
  }

  private select(last: string, { workspaceId, limit }: ReadOptions): Promise<Row[]> {
    if (workspaceId === undefined) return this.statements.read(readAll, { last, limit });
    return this.statements.read(readWorkspace, { last, limit, workspaceId });
  }

  /** Returns a snapshot before everything that was written since a time, by the numbers of this server. */
  private async rewind(since: number): Promise<string> {
    const [found] = await this.statements.read(findOldest, { since });
    const { xmax } = parseSnapshot(found!.snapshot);
    // A restored backup contains numbers that this server has not reached.
    return snapshotText({ xmax: Math.min(found!.oldest ?? xmax, xmax), open: [] });
  }
}

/** Drops transactions that may be incomplete and returns the snapshot covered by the rest, changes in id order. */
function cut(
  rows: readonly Row[],
  last: Snapshot,
  limit: number,
): { seen: Snapshot; changes: Row[]; hasMore: boolean } {
  const now = parseSnapshot(rows[0]!.snapshot);
  const found = rows.filter(({ id }) => id !== null).sort((a, b) => a.id! - b.id!);
  const listed = found.filter(({ branch }) => branch === 'listed');
  const listedUpTo = lastComplete(listed, limit);
  if (listedUpTo !== undefined) {
    const open = last.open.filter((number) => number > listedUpTo || now.open.includes(number));
    const changes = listed.filter(({ transactionId }) => transactionId <= listedUpTo);
    return { seen: { xmax: last.xmax, open }, changes, hasMore: true };
  }
  const upTo = lastComplete(found, limit);
  if (upTo === undefined) return { seen: now, changes: found, hasMore: false };
  const xmax = upTo + 1;
  return {
    seen: { xmax, open: now.open.filter((number) => number < xmax) },
    changes: found.filter(({ transactionId }) => transactionId < xmax),
    hasMore: true,
  };
}

/** Returns the last transaction that every part has read; undefined if none of them has stopped at its limit. */
function lastComplete(rows: readonly Row[], limit: number): number | undefined {
  const parts = new Map<number, number[]>();
  for (const { part, transactionId } of rows) {
    const numbers = parts.get(part) ?? [];
    parts.set(part, numbers);
    numbers.push(transactionId);
  }
  const stopped = [...parts.values()].filter(({ length }) => length >= limit);
  return stopped.length === 0
    ? undefined
    : Math.min(...stopped.map((numbers) => Math.max(...numbers)));
}
