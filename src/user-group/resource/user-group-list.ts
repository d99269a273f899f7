import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/caller.ts';
import { ValidationFailed } from '../../common/errors.ts';
import { limitOf, positionOf, toPage } from '../../common/http/page.dto.ts';
import type { Dialect } from '../../database/dialect.ts';
import { type SqlValue, statement, Statements } from '../../database/statement.ts';
import type { UserGroupQueryDto } from './dto/user-group-query.dto.ts';
import {
  toUserGroupResource,
  type UserGroupsAnswer,
} from './dto/user-group-resource-answer.dto.ts';
import { resolvedMappingColumn } from '../../registry/mapping/resolved-mapping.ts';
import { toScalar } from './property-value.ts';
import { STATE_COLUMNS, type UserGroupState } from '../group/user-group.repository.ts';

/**
 * How many groups one call examines for its filters: filtering by properties means reading them,
 * and a filter that matches nothing must not read a whole workspace.
 */
const MAX_CANDIDATES = 1000;

/** The condition for each filter; a statement has those of the filters that are given. */
const conditions: Record<string, (dialect: Dialect) => string> = {
  namePrefix: () =>
    'substr(g.name, 1, length(CAST(:namePrefix AS text))) = CAST(:namePrefix AS text)',
  hasProperty: ({ hasMember }) => hasMember('g.properties', ':propertyName'),
  propertyIs: ({ memberIs }) => memberIs('g.properties', ':propertyName', ':propertyValue'),
  suspended: () => 'g.suspended_at IS NOT NULL',
  notSuspended: () => 'g.suspended_at IS NULL',
};

interface Filters {
  names: (keyof typeof conditions)[];
  parameters: Record<string, SqlValue>;
}

const listGroups = ({ names }: Filters) => {
  // By number: PostgreSQL would truncate a long name, and take two statements for the same.
  const numbers = names.map((name) => Object.keys(conditions).indexOf(name));
  return statement<Record<string, SqlValue>, UserGroupState & { providedId: string }>(
    `user-group.list:${numbers.join()}`,
    (dialect) => `
      SELECT ${STATE_COLUMNS}, g.provided_id AS "providedId",
        ${resolvedMappingColumn(dialect)} AS mapping
      FROM user_group g
      WHERE ${[
        'g.workspace_id = :workspaceId',
        'g.id > CAST(:after AS bigint) AND g.id <= CAST(:upTo AS bigint)',
        ...names.map((name) => conditions[name]!(dialect)),
      ].join(' AND ')}
      ORDER BY g.id LIMIT :limit`,
  );
};

const findLastCandidate = statement<{ workspaceId: number; after: number }, { id: number }>(
  'user-group.find-last-candidate',
  () => `
    SELECT g.id FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)
    ORDER BY g.id LIMIT 1 OFFSET ${MAX_CANDIDATES - 1}`,
);

/** Lists user groups, without their tokens. */
@Injectable()
export class UserGroupList {
  constructor(private readonly statements: Statements) {}

  /**
   * Lists one page of the groups that match the query, in the order of creation. With filters a
   * page may have fewer groups than requested, or none, although another page follows.
   * @throws ValidationFailed
   */
  async list({ workspaceId }: Caller, query: UserGroupQueryDto): Promise<UserGroupsAnswer> {
    const limit = limitOf(query);
    const [after = 0] = positionOf(query, 1) ?? [];
    const filters = toFilters(query);
    const last = filters.names.length > 0 ? await this.findLast(workspaceId, after) : undefined;
    const groups = await this.statements.read(listGroups(filters), {
      ...filters.parameters,
      ...{ workspaceId, after, upTo: last ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 },
    });
    const { rows, nextCursor } = toPage(
      groups,
      limit,
      ({ id }) => [id],
      last === undefined ? undefined : [last],
    );
    return {
      success: 1,
      user_groups: rows.map((group) => toUserGroupResource(group, group.providedId)),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  /** Finds the last group that a call examines; undefined if it examines all that are left. */
  private async findLast(workspaceId: number, after: number): Promise<number | undefined> {
    return (await this.statements.read(findLastCandidate, { workspaceId, after }))[0]?.id;
  }
}

function toFilters(query: UserGroupQueryDto): Filters {
  const { name_prefix: namePrefix, property_name: propertyName, property_value: value } = query;
  if (value !== undefined && propertyName === undefined) {
    const detail = 'The query has a property_value, so it needs a property_name.';
    throw new ValidationFailed([{ pointer: '/property_name', code: 'required', detail }]);
  }
  const given: Record<keyof typeof conditions, Record<string, SqlValue> | undefined> = {
    namePrefix: namePrefix === undefined ? undefined : { namePrefix },
    hasProperty: propertyName === undefined || value !== undefined ? undefined : { propertyName },
    propertyIs:
      propertyName === undefined || value === undefined
        ? undefined
        : { propertyName, propertyValue: toScalar(value).json },
    suspended: query.suspended === 'true' ? {} : undefined,
    notSuspended: query.suspended === 'false' ? {} : undefined,
  };
  const filters = Object.entries(given).filter(([, parameters]) => parameters !== undefined);
  return {
    names: filters.map(([name]) => name),
    parameters: Object.assign({}, ...filters.map(([, parameters]) => parameters)) as Record<
      string,
      SqlValue
    >,
  };
}
