import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/access/caller.ts';
import { filterInParts } from '../../common/concurrency/filter-in-parts.ts';
import {
  limitBySize,
  limitOf,
  positionByTypes,
  readPage,
  type SortKey,
  toPage,
} from '../../common/http/parameters/page.dto.ts';
import type { JsonText } from '../../common/json/json-text.ts';
import type { Dialect } from '../../database/dialect.ts';
import { type SqlValue, type Statement, statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import type { UserGroupQueryDto } from './dto/user-group-query.dto.ts';
import { toUserGroupsAnswer } from './dto/user-group-resource-response.dto.ts';
import { resolvedMappingColumn } from '../../mapping/resolved-mapping.ts';
import { type ReadUserGroup, sizeOfGroup, STATE_COLUMNS } from '../group/user-group.repository.ts';
import { conditionsOf, type Searchable, toFilters, toSearch, type UserGroupFilters } from './user-group-filters.ts';
import { type OrderKeys, UserGroupOrder, userGroupSorts } from './user-group-order.ts';
import { UserGroupTotal } from './user-group-total.ts';

/**
 * Maximum of groups that one call examines: filtering by properties means reading them, and a filter that matches
 * nothing must not read a whole workspace.
 */
const MAX_CANDIDATES = 1000;
/** Maximum of examined mapping entries: a group can have 200. */
const MAX_ENTRIES = 2000;

type Parameters = Record<string, SqlValue>;
type ListedGroup = ReadUserGroup & { providedId: string };

/** A part of the order between two positions, with filters, that one statement reads. */
interface Part {
  order: UserGroupOrder;
  after: readonly SortKey[] | undefined;
  upTo?: readonly SortKey[] | undefined;
  filters: UserGroupFilters;
}

const NO_FILTERS: UserGroupFilters = { names: [], numbers: [], parameters: {}, readMappings: false };

const listGroups = (part: Part) =>
  statement<Parameters, ListedGroup>(
    `user-group.list:${nameOf(part)}`,
    (dialect) => `
      SELECT ${STATE_COLUMNS}, g.provided_id AS "providedId",
        ${resolvedMappingColumn(dialect)} AS mapping
      ${selectFrom(part, dialect)}
      ORDER BY ${part.order.by(dialect)} LIMIT :limit`,
  );

const listSearchable = (part: Part) =>
  statement<Parameters, Searchable & { id: number }>(
    `user-group.search:${nameOf(part)}`,
    (dialect) => `
      SELECT g.id, g.provided_id AS "providedId", g.name, g.properties ${selectFrom(part, dialect)}
      ORDER BY ${part.order.by(dialect)} LIMIT ${MAX_CANDIDATES}`,
  );

const listFound = (order: UserGroupOrder) =>
  statement<{ workspaceId: number; ids: readonly number[] }, ListedGroup>(
    `user-group.list-found:${userGroupSorts.indexOf(order.sort)}`,
    (dialect) => `
      SELECT ${STATE_COLUMNS}, g.provided_id AS "providedId",
        ${resolvedMappingColumn(dialect)} AS mapping
      FROM user_group g
      WHERE g.workspace_id = :workspaceId AND ${dialect.isOneOf('g.id', ':ids', 'integer')}
      ORDER BY ${order.by(dialect)}`,
  );

const findLastCandidate = (part: Part) =>
  statement<Parameters, OrderKeys>(
    `user-group.find-last-candidate:${nameOf(part)}`,
    (dialect) => `
      SELECT ${part.order.selected} ${selectFrom(part, dialect)}
      ORDER BY ${part.order.by(dialect)} LIMIT 1 OFFSET ${MAX_CANDIDATES - 1}`,
  );

const listCandidates = (part: Part) =>
  statement<Parameters, OrderKeys & { entries: number }>(
    `user-group.list-candidates:${nameOf(part)}`,
    (dialect) => `
      SELECT ${part.order.selected}, (
        SELECT CAST(count(*) AS integer) FROM data_source_mapping m WHERE m.user_group_id = g.id
      ) AS entries
      ${selectFrom(part, dialect)}
      ORDER BY ${part.order.by(dialect)} LIMIT ${MAX_CANDIDATES}`,
  );

@Injectable()
export class UserGroupList {
  constructor(
    private readonly statements: Statements,
    private readonly total: UserGroupTotal,
  ) {}

  /**
   * Lists one page of matching groups in the requested order. With filters a page may have fewer groups than requested,
   * or none, although another page follows.
   * @throws ValidationFailed
   */
  async list(caller: Caller, query: UserGroupQueryDto): Promise<JsonText> {
    const { workspaceId } = caller;
    const most = limitOf(query);
    const order = new UserGroupOrder(query.sort ?? userGroupSorts[0]);
    const after = positionByTypes(query, order.types);
    const filters = toFilters(query);
    const isFiltered = filters.names.length > 0 || query.search !== undefined;
    const upTo = isFiltered ? await this.findLast(workspaceId, { order, after, filters }) : undefined;
    const part = { order, after, upTo, filters };
    const { found, limit } =
      query.search === undefined
        ? await readPage<ListedGroup>(most, sizeOfGroup, (count, last) =>
            this.readGroups(workspaceId, part, count, last),
          )
        : await this.findIn(workspaceId, part, toSearch(query.search), most);
    const { rows, ...next } = toPage(found, limit, (group) => order.keysOf(group), upTo);
    const total = query.count === 'true' ? await this.total.count(caller, query) : undefined;
    return toUserGroupsAnswer(rows, { ...next, total });
  }

  private readGroups(
    workspaceId: number,
    part: Part,
    limit: number,
    last: ListedGroup | undefined,
  ): Promise<ListedGroup[]> {
    const rest = last ? { ...part, after: part.order.keysOf(last) } : part;
    return this.read(listGroups(rest), workspaceId, rest, { limit });
  }

  /** Finds the last group that a call examines; undefined if it examines all the rest. */
  private async findLast(
    workspaceId: number,
    { order, after, filters: { readMappings } }: Part,
  ): Promise<SortKey[] | undefined> {
    const part = { order, after, filters: NO_FILTERS };
    if (!readMappings) {
      const [last] = await this.read(findLastCandidate(part), workspaceId, part);
      return last && order.keysOf(last);
    }
    const candidates = await this.read(listCandidates(part), workspaceId, part);
    let entries = 0;
    const tooMany = candidates.findIndex((group) => (entries += group.entries) > MAX_ENTRIES);
    const last = tooMany < 0 ? candidates[MAX_CANDIDATES - 1] : candidates[Math.max(tooMany - 1, 0)];
    return last && order.keysOf(last);
  }

  private async findIn(
    workspaceId: number,
    part: Part,
    isFound: (group: Searchable) => boolean,
    limit: number,
  ): Promise<{ found: ListedGroup[]; limit: number }> {
    const searchable = await this.read(listSearchable(part), workspaceId, part);
    const matching = await filterInParts(searchable, isFound);
    const ids = matching.slice(0, limit + 1).map(({ id }) => id);
    const found = ids.length === 0 ? [] : await this.statements.read(listFound(part.order), { workspaceId, ids });
    return { found, limit: limitBySize(found, limit, sizeOfGroup) };
  }

  private read<Row>(
    query: Statement<Parameters, Row>,
    workspaceId: number,
    { order, after = [], upTo = [], filters }: Part,
    more: Parameters = {},
  ): Promise<Row[]> {
    return this.statements.read(query, {
      ...filters.parameters,
      ...order.parametersOf('after', after),
      ...order.parametersOf('upTo', upTo),
      ...more,
      workspaceId,
    });
  }
}

/** Returns a name for each text of `selectFrom`. */
function nameOf({ order, after, upTo, filters }: Part): string {
  const bounds = `${after ? 'a' : ''}${upTo ? 'u' : ''}`;
  return `${userGroupSorts.indexOf(order.sort)}:${bounds}:${filters.numbers.join()}`;
}

/**
 * Returns FROM and WHERE of a statement that reads the part. The groups to examine are selected first: a plan made
 * before the values are known would otherwise read all groups for a filter that few pass.
 */
function selectFrom({ order, after, upTo, filters }: Part, dialect: Dialect): string {
  const within = [
    'g.workspace_id = :workspaceId',
    ...(after ? [order.compare(dialect, 'after', 'after')] : []),
    ...(upTo ? [order.compare(dialect, 'upTo', 'up to')] : []),
  ].join(' AND ');
  if (filters.names.length === 0) return `FROM user_group g WHERE ${within}`;
  return `
    FROM (
      SELECT * FROM user_group g WHERE ${within}
      ORDER BY ${order.by(dialect)} LIMIT ${MAX_CANDIDATES}
    ) g WHERE ${conditionsOf(filters, dialect).join(' AND ')}`;
}
