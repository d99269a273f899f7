import { setImmediate } from 'node:timers/promises';
import type { GroupReader } from '../../../platform/common/access/caller.ts';
import type { Dialect } from '../../../platform/database/dialect.ts';
import { statement, unnamedStatement } from '../../../platform/database/statement.ts';
import type { Statements } from '../../../platform/database/statements.ts';
import { LACKS_VALID_TOKEN, narrowings } from '../status/status-conditions.ts';
import type { UserGroupFilterDto } from './dto/user-group-query.dto.ts';
import { ENDS, hasIdOfRange, toFilters, type UserGroupFilters } from './user-group-filters.ts';

/**
 * Maximum of groups that one call examines: filtering by properties means reading them, and a filter that matches
 * nothing must not read a whole workspace.
 */
export const MAX_CANDIDATES = 1000;

const groupsWith = (condition: string, order: string) => `
  SELECT g.id FROM user_group g WHERE g.workspace_id = :workspaceId AND ${condition} ORDER BY ${order}`;

/** Reads the groups that can pass a filter, by an index of this filter. */
const sources: Record<string, string | ((dialect: Dialect) => string)> = {
  rangeIds: (dialect) => groupsWith(hasIdOfRange(dialect), 'g.id'),
  namePrefix: ({ byCodePoint }) => {
    const name = byCodePoint('g.name');
    const range = `${name} >= CAST(:namePrefix AS text) AND ${name} < CAST(:nameEnd AS text)`;
    return groupsWith(range, `${name}, g.id`);
  },
  suspended: groupsWith(narrowings.suspended, 'g.id'),
  expired: groupsWith('g.valid_until <= CAST(:now AS bigint)', 'g.valid_until, g.id'),
  incomplete: groupsWith(narrowings.incomplete, 'g.id'),
  unresolved: groupsWith(narrowings.unresolved, 'g.id'),
  ends: groupsWith(ENDS, 'g.valid_until, g.id'),
  inOverlap: `
    SELECT t.user_group_id AS id FROM user_group_token t
    WHERE t.workspace_id = :workspaceId AND t.valid_until > CAST(:now AS bigint)
    ORDER BY t.valid_until, t.user_group_id`,
};

const listBy = (name: string) =>
  unnamedStatement<UserGroupFilters['parameters'], { id: number }>((dialect) => {
    const source = sources[name]!;
    return `${typeof source === 'string' ? source : source(dialect)} LIMIT ${MAX_CANDIDATES + 1}`;
  });

/** The parts in which a call looks for groups without a valid token, for which there is no index: a few milliseconds each. */
const MAX_PARTS = 20;

const hasEndedTokens = statement<{ workspaceId: number }, { id: number }>(
  'indexed-filters.has-ended-tokens',
  () => `
    SELECT w.id FROM workspace w
    WHERE w.id = :workspaceId AND (w.tokens_epoch > 0 OR w.tokens_ended_before IS NOT NULL)`,
);

const listTokenless = statement<
  { workspaceId: number; after: number },
  { id: number; isMatch: boolean | 0 | 1 }
>(
  'indexed-filters.list-tokenless',
  () => `
    SELECT g.id, ${LACKS_VALID_TOKEN} AS "isMatch" FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)
    ORDER BY g.id LIMIT ${MAX_CANDIDATES}`,
);

/** Finds groups without a valid token: all, or more than `MAX_CANDIDATES`; undefined if there are too many to look at. */
async function findTokenless(
  statements: Statements,
  workspaceId: number,
): Promise<{ id: number }[] | undefined> {
  const [ended] = await statements.read(hasEndedTokens, { workspaceId });
  if (!ended) return [];
  const found: { id: number }[] = [];
  for (let part = 0, after = 0; part < MAX_PARTS; part++) {
    const examined = await statements.read(listTokenless, { workspaceId, after });
    found.push(...examined.filter(({ isMatch }) => isMatch));
    if (found.length > MAX_CANDIDATES || examined.length < MAX_CANDIDATES) return found;
    after = examined.at(-1)!.id;
    await setImmediate();
  }
  return undefined;
}

/** Finds the groups that can pass a filter, or more than `MAX_CANDIDATES`; undefined if nothing finds them. */
async function findBy(
  name: string,
  statements: Statements,
  parameters: UserGroupFilters['parameters'] & { workspaceId: number },
): Promise<{ id: number }[] | undefined> {
  if (name === 'no_valid_token') return findTokenless(statements, parameters.workspaceId);
  const isFound = name in sources && !(name === 'namePrefix' && parameters['nameEnd'] === null);
  return isFound ? statements.read(listBy(name), parameters) : undefined;
}

/**
 * Reads the filters of a query, and of the reader, with the groups that can pass them where an index shows that they are few.
 * @throws ValidationFailed
 */
export async function readFilters(
  statements: Statements,
  { workspaceId, range }: GroupReader,
  query: UserGroupFilterDto,
): Promise<UserGroupFilters> {
  const filters = toFilters(query, range);
  for (const name of filters.names) {
    const found = await findBy(name, statements, { ...filters.parameters, workspaceId });
    if (!found || found.length > MAX_CANDIDATES) continue;
    return {
      ...filters,
      isFew: true,
      parameters: { ...filters.parameters, few: found.map(({ id }) => id) },
    };
  }
  return filters;
}
