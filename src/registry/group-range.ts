import { statement } from '../database/statement';

/** The groups of a workspace behind `after`, up to `until`, by their internal ids. */
export interface GroupRange {
  workspaceId: number;
  after: number;
  until: number;
}

const ENTRIES_AT_ONCE = 2000;

/**
 * Where a range of groups ends that together have so many entries of mappings, or those of one group
 * more; null if no group is behind `after`. Ranges bound each statement: one over every group would
 * meet the time limit for statements, or block the process.
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
 * The groups of a `GroupRange` with the entries of their mappings, as `g` and `m`. The range stands
 * there for both: PostgreSQL would read every mapping, because it does not conclude one from the other.
 */
export const ENTRIES_IN_RANGE = `
  user_group g
  JOIN data_source_mapping m ON m.user_group_id = g.id AND g.workspace_id = :workspaceId
    AND g.id > CAST(:after AS bigint) AND g.id <= CAST(:until AS bigint)
    AND m.user_group_id > CAST(:after AS bigint) AND m.user_group_id <= CAST(:until AS bigint)`;
