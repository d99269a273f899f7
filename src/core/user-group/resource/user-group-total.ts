import { Injectable } from '@nestjs/common';
import type { GroupReader } from '../../../platform/common/access/caller.ts';
import { inParts } from '../../../platform/common/concurrency/in-parts.ts';
import { countInParts, type Total } from '../../../platform/common/http/parameters/total.ts';
import { unnamedStatement, type SqlParameter } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { UserGroupQueryDto } from './dto/user-group-query.dto.ts';
import { readFilters } from './indexed-filters.ts';
import {
  conditionsOf,
  narrowingOf,
  type Searchable,
  toSearch,
  type UserGroupFilters,
} from './user-group-filters.ts';

/** Groups of a part, which takes a few milliseconds: an index alone, or rows. */
const PLAIN = 50_000;
const FILTERED = 1000;

type PartParameters = Record<string, SqlParameter> & { workspaceId: number; after: number };

const countPart = (filters: UserGroupFilters, size: number) =>
  unnamedStatement<PartParameters, { count: number; examined: number; last: number | null }>(
    (dialect) => `
      SELECT CAST(count(*) AS integer) AS examined, max(g.id) AS last,
        CAST(count(CASE WHEN ${conditionsOf(filters, dialect).join(' AND ') || 'true'} THEN 1 END) AS integer) AS count
      FROM (
        SELECT * FROM user_group g
        WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)${narrowingOf(filters, dialect)}
        ORDER BY g.id LIMIT ${size}
      ) g`,
  );

const listPart = (filters: UserGroupFilters) =>
  unnamedStatement<PartParameters, Searchable & { id: number; isMatch: boolean | 0 | 1 }>(
    (dialect) => `
      SELECT g.id, g.provided_id AS "providedId", g.name, g.properties,
        ${conditionsOf(filters, dialect).join(' AND ') || 'true'} AS "isMatch"
      FROM user_group g
      WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)${narrowingOf(filters, dialect)}
      ORDER BY g.id LIMIT ${FILTERED}`,
  );

/** Counts the groups that a list would show on all its pages. */
@Injectable()
export class UserGroupTotal {
  constructor(private readonly statements: Statements) {}

  /** @throws ValidationFailed */
  async count(reader: GroupReader, query: UserGroupQueryDto): Promise<Total> {
    const { workspaceId } = reader;
    const filters = await readFilters(this.statements, reader, query);
    const isFound = query.search === undefined ? undefined : toSearch(query.search);
    return countInParts<number>(async (after = 0) => {
      const parameters = { ...filters.parameters, workspaceId, after };
      if (isFound) {
        const part = await this.statements.read(listPart(filters), parameters);
        const found = await inParts(part, (some) =>
          some.filter((group) => Boolean(group.isMatch) && isFound(group)),
        );
        return { count: found.length, end: part.length < FILTERED ? undefined : part.at(-1)!.id };
      }
      const size = filters.names.length === 0 ? PLAIN : FILTERED;
      const [part] = await this.statements.read(countPart(filters, size), parameters);
      return { count: part!.count, end: part!.examined < size ? undefined : part!.last! };
    });
  }
}
