import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/access/caller.ts';
import { filterInParts } from '../../common/concurrency/filter-in-parts.ts';
import { countInParts, type Total } from '../../common/http/parameters/total.ts';
import { type SqlValue, statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import type { UserGroupQueryDto } from './dto/user-group-query.dto.ts';
import { conditionsOf, type Searchable, toFilters, toSearch, type UserGroupFilters } from './user-group-filters.ts';

/** Groups of a part, which takes a few milliseconds: an index alone, rows, or rows with up to 200 entries each. */
const PLAIN = 50_000;
const FILTERED = 1000;
const MAPPED = 50;

type PartParameters = Record<string, SqlValue> & { workspaceId: number; after: number };

const countPart = (filters: UserGroupFilters, size: number) =>
  statement<PartParameters, { count: number; examined: number; last: number | null }>(
    `user-group.count:${filters.numbers.join()}`,
    (dialect) => `
      SELECT CAST(count(*) AS integer) AS examined, max(g.id) AS last,
        CAST(count(CASE WHEN ${conditionsOf(filters, dialect).join(' AND ') || 'true'} THEN 1 END) AS integer) AS count
      FROM (
        SELECT * FROM user_group g WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)
        ORDER BY g.id LIMIT ${size}
      ) g`,
  );

const listPart = (filters: UserGroupFilters) =>
  statement<PartParameters, Searchable & { id: number; isMatch: boolean | 0 | 1 }>(
    `user-group.count-found:${filters.numbers.join()}`,
    (dialect) => `
      SELECT g.id, g.provided_id AS "providedId", g.name, g.properties,
        ${conditionsOf(filters, dialect).join(' AND ') || 'true'} AS "isMatch"
      FROM user_group g WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)
      ORDER BY g.id LIMIT ${sizeOf(filters, FILTERED)}`,
  );

/** Counts the groups that a list would show on all its pages. */
@Injectable()
export class UserGroupTotal {
  constructor(private readonly statements: Statements) {}

  /** @throws ValidationFailed */
  count({ workspaceId }: Caller, query: UserGroupQueryDto): Promise<Total> {
    const filters = toFilters(query);
    const isFound = query.search === undefined ? undefined : toSearch(query.search);
    return countInParts<number>(async (after = 0) => {
      const parameters = { ...filters.parameters, workspaceId, after };
      if (isFound) {
        const part = await this.statements.read(listPart(filters), parameters);
        const found = await filterInParts(part, (group) => Boolean(group.isMatch) && isFound(group));
        const isLast = part.length < sizeOf(filters, FILTERED);
        return { count: found.length, end: isLast ? undefined : part.at(-1)!.id };
      }
      const size = sizeOf(filters, PLAIN);
      const [part] = await this.statements.read(countPart(filters, size), parameters);
      return { count: part!.count, end: part!.examined < size ? undefined : part!.last! };
    });
  }
}

function sizeOf({ names, readMappings }: UserGroupFilters, plain: number): number {
  if (readMappings) return MAPPED;
  return names.length === 0 ? plain : FILTERED;
}
