import { setImmediate } from 'node:timers/promises';
import { statement } from '../../platform/database/statement.ts';

/** A range of a workspace's groups by internal id: above `after`, up to `until`. */
export interface GroupRange {
  workspaceId: number;
  after: number;
  until: number;
}

const ENTRIES_AT_ONCE = 2000;

/**
 * Finds the end of a range of groups with about `ENTRIES_AT_ONCE` mapping entries in all; null if no group follows `after`.
 * Ranges bound each statement: one over all groups would exceed the time limit for statements, or block the process.
 */
export const findRangeEnd = statement<
  { workspaceId: number; after: number },
  { until: number | null }
>(
  'group-range.find-end',
  () => `
    SELECT max(part.id) AS until
    FROM (
      SELECT g.id FROM (
        SELECT id FROM user_group
        WHERE workspace_id = :workspaceId AND id > CAST(:after AS bigint)
        ORDER BY id LIMIT ${ENTRIES_AT_ONCE}
      ) g
      LEFT JOIN data_source_mapping m ON m.user_group_id = g.id
      ORDER BY g.id LIMIT ${ENTRIES_AT_ONCE}
    ) part`,
);

/**
 * Yields the ranges of all groups of a workspace.
 * @param find runs `findRangeEnd`
 */
export async function* groupRanges(
  workspaceId: number,
  find: (parameters: Omit<GroupRange, 'until'>) => Promise<{ until: number | null }[]>,
): AsyncGenerator<GroupRange> {
  for (let after = 0; ;) {
    const [end] = await find({ workspaceId, after });
    if (!end?.until) return;
    yield { workspaceId, after, until: end.until };
    after = end.until;
    // Lets other calls run, because statements of SQLite block the process.
    await setImmediate();
  }
}

/**
 * Joins the groups of a `GroupRange` with the entries of their mappings, as `g` and `m`. It states the range for both:
 * PostgreSQL would not derive one from the other, and read every mapping.
 */
export const ENTRIES_IN_RANGE = `
  user_group g
  JOIN data_source_mapping m ON m.user_group_id = g.id AND g.workspace_id = :workspaceId
    AND g.id > CAST(:after AS bigint) AND g.id <= CAST(:until AS bigint)
    AND m.user_group_id > CAST(:after AS bigint) AND m.user_group_id <= CAST(:until AS bigint)`;
