import { KeysetList, KeysetOrder } from '../../../platform/database/keyset-list.ts';
import { statement } from '../../../platform/database/statement.ts';
import type { UsageCount } from '../entities/usage-count.entity.ts';

export type UsageCounts = Pick<UsageCount, 'views' | 'embedTokens' | 'introspections' | 'users'>;

export interface BusyGroup extends UsageCounts {
  userGroupId: number;
  /** Null for a group that is deleted, like its name. */
  providedId: string | null;
  name: string | null;
}

const COUNTS = 'c.views, c.embed_tokens AS "embedTokens", c.introspections, c.users';

type CountsKey = Pick<UsageCount, 'workspaceId' | 'userGroupId' | 'unit'>;

/** Reads the counts of a group, or of a workspace, whose time begins in a period. */
export const listCounts = statement<
  CountsKey & { from: number; to: number },
  UsageCounts & { startAt: number }
>(
  'usage.list-counts',
  () => `
    SELECT c.start_at AS "startAt", ${COUNTS} FROM usage_count c
    WHERE c.workspace_id = :workspaceId AND c.user_group_id = CAST(:userGroupId AS integer)
      AND c.unit = :unit AND c.start_at >= CAST(:from AS bigint) AND c.start_at < CAST(:to AS bigint)`,
);

/** Lists the groups of a day or a month, the busiest first. Its index is for days and months of groups alone. */
export const busiestGroups = new KeysetList<
  Pick<UsageCount, 'workspaceId' | 'unit' | 'startAt'>,
  BusyGroup
>(
  'usage.busiest-groups',
  new KeysetOrder<BusyGroup>(
    [
      ['views', 'c.views'],
      ['embedTokens', 'c.embed_tokens'],
      ['introspections', 'c.introspections'],
      ['userGroupId', 'c.user_group_id'],
    ],
    'DESC',
  ),
  (page) => `
    SELECT c.user_group_id AS "userGroupId", g.provided_id AS "providedId", g.name, ${COUNTS}
    FROM usage_count c LEFT JOIN user_group g ON g.id = c.user_group_id
    WHERE c.workspace_id = :workspaceId AND c.unit = :unit AND c.start_at = CAST(:startAt AS bigint)
      AND c.unit <> 'hour' AND c.user_group_id > 0 AND ${page}`,
);

export const findGroup = statement<
  { workspaceId: number; providedId: string },
  { id: number; providedId: string; properties: string }
>(
  'usage.find-group',
  () => `
    SELECT g.id, g.provided_id AS "providedId", g.properties FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId`,
);
