import type { Dialect } from '../../database/dialect.ts';
import { unnamedStatement } from '../../database/statement.ts';
import type { Statements } from '../../database/statements.ts';
import { narrowings } from '../status/status-conditions.ts';
import type { UserGroupFilterDto } from './dto/user-group-query.dto.ts';
import { ENDS, toFilters, type UserGroupFilters } from './user-group-filters.ts';

/**
 * Maximum of groups that one call examines: filtering by properties means reading them, and a filter that matches
 * nothing must not read a whole workspace.
 */
export const MAX_CANDIDATES = 1000;

const groupsWith = (condition: string, order: string) => `
  SELECT g.id FROM user_group g WHERE g.workspace_id = :workspaceId AND ${condition} ORDER BY ${order}`;

/** Reads the groups that can pass a filter, by an index of this filter. */
const sources: Record<string, string | ((dialect: Dialect) => string)> = {
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

/**
 * Reads the filters of a query, with the groups that can pass them where an index shows that they are few.
 * @throws ValidationFailed
 */
export async function readFilters(
  statements: Statements,
  workspaceId: number,
  query: UserGroupFilterDto,
): Promise<UserGroupFilters> {
  const filters = toFilters(query);
  for (const name of filters.names.filter((one) => one in sources)) {
    if (name === 'namePrefix' && filters.parameters['nameEnd'] === null) continue;
    const found = await statements.read(listBy(name), { ...filters.parameters, workspaceId });
    if (found.length > MAX_CANDIDATES) continue;
    return { ...filters, isFew: true, parameters: { ...filters.parameters, few: found.map(({ id }) => id) } };
  }
  return filters;
}
