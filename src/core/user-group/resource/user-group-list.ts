import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { inParts } from '../../../platform/common/concurrency/in-parts.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import {
  limitBySize,
  limitOf,
  MAX_LIMIT,
  nextAfter,
  type Page,
  positionOf,
  readPage,
  type SortKey,
  toPage,
} from '../../../platform/common/http/parameters/page.dto.ts';
import type { JsonText } from '../../../platform/common/json/json-text.ts';
import type { Dialect } from '../../../platform/database/dialect.ts';
import {
  statement,
  unnamedStatement,
  type SqlParameter,
  type Statement,
} from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { UserGroupFilterDto, UserGroupQueryDto } from './dto/user-group-query.dto.ts';
import { toUserGroupsResponse } from './dto/user-group-resource-response.dto.ts';
import { WorkspaceRules } from '../../mapping/workspace-rules.ts';
import { resolvedMappingColumn } from '../../mapping/resolved-mapping.ts';
import { type ReadUserGroup, sizeOfGroup, STATE_COLUMNS } from '../group/user-group.repository.ts';
import { LACKS_VALID_TOKEN } from '../status/status-conditions.ts';
import { groupStatuses } from '../status/user-group-status.ts';
import { MAX_CANDIDATES, readFilters } from './indexed-filters.ts';
import { RangeCursors } from './range-cursors.ts';
import {
  conditionsOf,
  narrowingOf,
  type Searchable,
  toSearch,
  type UserGroupFilters,
} from './user-group-filters.ts';
import { type OrderKeys, UserGroupOrder, userGroupSorts } from './user-group-order.ts';
import { UserGroupTotal } from './user-group-total.ts';

type Parameters = Record<string, SqlParameter>;
type ListedGroup = ReadUserGroup & { providedId: string };

/** A part of the order between two positions, with filters, that one statement reads. */
interface Part {
  workspaceId: number;
  order: UserGroupOrder;
  after: readonly SortKey[] | undefined;
  upTo?: readonly SortKey[] | undefined;
  filters: UserGroupFilters;
}

const listedColumns = (dialect: Dialect) => `
  ${STATE_COLUMNS}, g.provided_id AS "providedId", ${resolvedMappingColumn(dialect)} AS mapping,
  ${LACKS_VALID_TOKEN} AS "isTokenEnded"`;

const listGroups = (part: Part) =>
  unnamedStatement<Parameters, ListedGroup>(
    (dialect) => `
      SELECT ${listedColumns(dialect)} ${selectFrom(part, dialect)}
      ORDER BY ${part.order.by(dialect)} LIMIT :limit`,
  );

const listSearchable = (part: Part) =>
  unnamedStatement<Parameters, Searchable & { id: number }>(
    (dialect) => `
      SELECT g.id, g.provided_id AS "providedId", g.name, g.properties ${selectFrom(part, dialect)}
      ORDER BY ${part.order.by(dialect)} LIMIT ${MAX_CANDIDATES}`,
  );

const listFound = ({ order }: Part) =>
  unnamedStatement<{ workspaceId: number; ids: readonly number[] }, ListedGroup>(
    (dialect) => `
      SELECT ${listedColumns(dialect)} FROM user_group g
      WHERE g.workspace_id = :workspaceId AND ${dialect.isOneOf('g.id', ':ids', 'integer')}
      ORDER BY ${order.by(dialect)}`,
  );

const findLastCandidate = (part: Part) =>
  unnamedStatement<Parameters, OrderKeys>(
    (dialect) => `
      SELECT ${part.order.selected} FROM user_group g WHERE ${candidatesOf(part, dialect)}
      ORDER BY ${part.order.by(dialect)} LIMIT 1 OFFSET ${MAX_CANDIDATES - 1}`,
  );

const findLastId = statement<{ workspaceId: number }, { id: number | null }>(
  'user-group.find-last-id',
  () => 'SELECT max(id) AS id FROM user_group WHERE workspace_id = :workspaceId',
);

@Injectable()
export class UserGroupList {
  constructor(
    private readonly statements: Statements,
    private readonly total: UserGroupTotal,
    private readonly rules: WorkspaceRules,
    private readonly gate: Gate,
    private readonly cursors: RangeCursors,
  ) {}

  /**
   * Lists one page of matching groups in the requested order. With filters a page may have fewer groups than requested,
   * or none, although another page follows.
   * @throws ValidationFailed
   */
  async list(caller: Caller, given: UserGroupQueryDto): Promise<JsonText> {
    const query = this.cursors.opened(caller, given);
    const { rows, ...next } = await (query.sort === 'status'
      ? this.readBySeverity(caller, query)
      : this.readSorted(caller, query));
    const total = query.count === 'true' ? await this.total.count(caller, query) : undefined;
    return toUserGroupsResponse(rows, await this.rules.read(caller.workspaceId), {
      ...this.cursors.sealed(caller, next),
      total,
    });
  }

  /** Reads a page of the matching groups in order of creation. @throws ValidationFailed, TooManyAtOnce */
  page(
    caller: Caller,
    filters: UserGroupFilterDto,
    cursor: string | undefined,
  ): Promise<Page<ListedGroup>> {
    const query = { ...filters, limit: `${MAX_LIMIT}`, ...(cursor !== undefined && { cursor }) };
    return this.gate.run(caller, () => this.readSorted(caller, query));
  }

  /** Finds the id of the group that was created last; 0 if there is none. @throws TooManyAtOnce */
  async findLastId(caller: Caller): Promise<number> {
    const { workspaceId } = caller;
    const [found] = await this.gate.run(caller, () =>
      this.statements.read(findLastId, { workspaceId }),
    );
    return found?.id ?? 0;
  }

  private readSorted(caller: Caller, query: UserGroupQueryDto): Promise<Page<ListedGroup>> {
    const order = new UserGroupOrder(query.sort ?? userGroupSorts[0]);
    return this.readPart(caller, query, { order, after: positionOf(query, order.types) });
  }

  /** Reads a page of one status; the next page goes on with the next status. */
  private async readBySeverity(
    caller: Caller,
    query: UserGroupQueryDto,
  ): Promise<Page<ListedGroup>> {
    const order = new UserGroupOrder('created_at');
    const [first = 0, ...position] = positionOf(query, ['number', ...order.types]) ?? [];
    let after = position.length > 0 ? position : undefined;
    for (let rank = Number(first); rank < groupStatuses.length; rank++, after = undefined) {
      const status = groupStatuses[rank];
      if (query.status !== undefined && query.status !== status) continue;
      const page = await this.readPart(
        caller,
        { ...query, status },
        { order, after, prefix: [rank] },
      );
      if (page.has_more) return page;
      if (page.rows.length > 0) {
        return { rows: page.rows, ...nextAfter(status === 'active' ? undefined : [rank + 1, 0]) };
      }
    }
    return { rows: [], has_more: false };
  }

  /** @param prefix the keys of cursors before those of the order */
  private async readPart(
    reader: Caller,
    query: UserGroupQueryDto,
    { order, after, prefix = [] }: Pick<Part, 'order' | 'after'> & { prefix?: readonly SortKey[] },
  ): Promise<Page<ListedGroup>> {
    const { workspaceId } = reader;
    const most = limitOf(query);
    const filters = await readFilters(this.statements, reader, query);
    const isFiltered = !filters.isFew && (filters.names.length > 0 || query.search !== undefined);
    const whole: Part = { workspaceId, order, after, filters };
    // The last group that the call examines; none if it examines all the rest.
    const [last] = isFiltered ? await this.read(findLastCandidate(whole), whole) : [];
    const upTo = last && order.keysOf(last);
    const part = { ...whole, upTo };
    const { found, limit } =
      query.search === undefined
        ? await readPage<ListedGroup>(most, sizeOfGroup, (count, before) => {
            const rest = before ? { ...part, after: order.keysOf(before) } : part;
            return this.read(listGroups(rest), rest, { limit: count });
          })
        : await this.findIn(part, toSearch(query.search), most);
    const keysOf = (group: ListedGroup) => [...prefix, ...order.keysOf(group)];
    return toPage(found, limit, keysOf, upTo && [...prefix, ...upTo]);
  }

  private async findIn(
    part: Part,
    isFound: (group: Searchable) => boolean,
    limit: number,
  ): Promise<{ found: ListedGroup[]; limit: number }> {
    const searchable = await this.read(listSearchable(part), part);
    const matching = await inParts(searchable, (some) => some.filter(isFound));
    const ids = matching.slice(0, limit + 1).map(({ id }) => id);
    const found =
      ids.length === 0
        ? []
        : await this.statements.read(listFound(part), { workspaceId: part.workspaceId, ids });
    return { found, limit: limitBySize(found, limit, sizeOfGroup) };
  }

  private read<Row>(
    query: Statement<Parameters, Row>,
    { workspaceId, order, after = [], upTo = [], filters }: Part,
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

/** Returns the conditions of the groups between the two positions of the part. */
function boundsOf({ order, after, upTo }: Part, dialect: Dialect): string[] {
  return [
    ...(after ? [order.compare(dialect, 'after')] : []),
    ...(upTo ? [order.compare(dialect, 'upTo')] : []),
  ];
}

/** Returns the conditions of the groups to examine for the part. */
function candidatesOf(part: Part, dialect: Dialect): string {
  const narrowed = `g.workspace_id = :workspaceId${narrowingOf(part.filters, dialect, part.order.isByCreation)}`;
  return [narrowed, ...(part.filters.isFew ? [] : boundsOf(part, dialect))].join(' AND ');
}

/**
 * Returns FROM and WHERE of a statement that reads the part. The groups to examine are selected first: a plan made
 * before the values are known would otherwise read all groups for a filter that few pass.
 */
function selectFrom(part: Part, dialect: Dialect): string {
  const { order, filters } = part;
  const within = candidatesOf(part, dialect);
  if (filters.names.length === 0) return `FROM user_group g WHERE ${within}`;
  // Few are read by their ids, as they come: SQLite would otherwise look for them in the index of the order.
  const [by, bounds] = filters.isFew
    ? ['', boundsOf(part, dialect)]
    : [`ORDER BY ${order.by(dialect)}`, []];
  return `
    FROM (SELECT * FROM user_group g WHERE ${within} ${by} LIMIT ${MAX_CANDIDATES}) g
    WHERE ${[...conditionsOf(filters, dialect), ...bounds].join(' AND ')}`;
}
