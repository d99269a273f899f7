import { Injectable } from '@nestjs/common';
import { currentTime } from '../../../platform/common/time.ts';
import type { Dialect } from '../../../platform/database/dialect.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { resolvedMappingColumn } from '../../mapping/resolved-mapping.ts';
import type { PastToken } from './past-tokens.ts';
import type { ReadUserGroup } from '../group/user-group.repository.ts';

/** A state of a group; `updatedAt` is the time from which it was that of the group. */
export interface UserGroupVersionState extends ReadUserGroup {
  /** The id that the group had in this state. */
  providedId: string;
  /** Null for the present state. */
  replacedAt: number | null;
  /** JSON text of the generations of the token, for the last state of a deleted group; otherwise null. */
  tokens: string | null;
}

/** Names the present group of an id, also with the states in which it had another one, and the deleted ones that had it. */
interface OfId {
  workspaceId: number;
  providedId: string;
}

interface Filters extends OfId {
  /** Null for any of the groups. */
  teamId: number | null;
  /** Null for any. */
  version: number | null;
}

/** The id of a group, and one of its versions. */
export type VersionKey = Pick<UserGroupVersionState, 'id' | 'version'>;

interface PageOfVersions extends Filters {
  now: number;
  beforeTeamId: number;
  beforeVersion: number;
  limit: number;
}

const MEMBERS = [
  'name',
  'properties',
  'suspended_at AS "suspendedAt"',
  'valid_until AS "validUntil"',
  'managed_by AS "managedBy"',
];

const membersOf = (alias: string) =>
  [...MEMBERS, 'created_at AS "createdAt"'].map((member) => `${alias}.${member}`).join(', ');

const selectPresent = (dialect: Dialect) => `
  SELECT g.id, g.version, g.provided_id AS "providedId", ${membersOf('g')}, g.updated_at AS "updatedAt",
    CAST(NULL AS bigint) AS "replacedAt", ${resolvedMappingColumn(dialect)} AS mapping, CAST(NULL AS text) AS tokens
  FROM user_group g WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId`;

const REPLACED = `
  SELECT v.user_group_id AS id, v.version, v.provided_id AS "providedId", ${membersOf('v')}, v.recorded_at AS "updatedAt",
    v.replaced_at AS "replacedAt", v.mapping, v.tokens
  FROM user_group_version v`;

/** Every number of a group or a version is less. */
const BEYOND = 2 ** 31 - 1;

const PRESENT_ID = `(
  SELECT p.id FROM user_group p WHERE p.workspace_id = :workspaceId AND p.provided_id = :providedId)`;

const OF_PRESENT = `${REPLACED} WHERE v.user_group_id = ${PRESENT_ID}`;

/** The reserved id of a group leads to nothing, not even to the groups that had it before. */
const OF_DELETED = `${REPLACED} WHERE v.workspace_id = :workspaceId AND v.provided_id = :providedId
  AND NOT EXISTS (SELECT 1 FROM user_group p WHERE p.id = v.user_group_id)
  AND NOT EXISTS (
    SELECT 1 FROM reserved_id r
    WHERE r.workspace_id = :workspaceId AND r.provided_id = :providedId AND r.reserved_until > CAST(:now AS bigint))`;

/** The present group is the first of the list, whatever its number: it may have got the id after others. */
const rankOf = (id: string) => `CASE WHEN ${id} = ${PRESENT_ID} THEN ${BEYOND} ELSE ${id} END`;

const filtersOn = (id: string, version: string, rank = id) => `
  AND (${rank}, ${version}) < (${rankOf('CAST(:beforeTeamId AS integer)')}, CAST(:beforeVersion AS integer))
  AND (CAST(:teamId AS integer) IS NULL OR ${id} = :teamId)
  AND (CAST(:version AS integer) IS NULL OR ${version} = :version)`;

const listVersions = statement<PageOfVersions, UserGroupVersionState>(
  'user-group-version.list',
  (dialect) => `
    SELECT * FROM (
      ${selectPresent(dialect)} ${filtersOn('g.id', 'g.version', `${BEYOND}`)}
      UNION ALL SELECT * FROM (
        ${OF_PRESENT} ${filtersOn('v.user_group_id', 'v.version', `${BEYOND}`)}
        ORDER BY v.version DESC LIMIT :limit) own
      UNION ALL SELECT * FROM (
        ${OF_DELETED} ${filtersOn('v.user_group_id', 'v.version')}
        ORDER BY v.user_group_id DESC, v.version DESC LIMIT :limit) deleted
    ) found ORDER BY ${rankOf('id')} DESC, version DESC LIMIT :limit`,
);

/**
 * Selects the state that was replaced first after the time; if there is none, the present one. A group that was created
 * later follows those that were there.
 */
const findAt = statement<OfId & { at: number; now: number }, UserGroupVersionState>(
  'user-group-version.find-at',
  (dialect) => `
    SELECT * FROM (
      ${selectPresent(dialect)}
      UNION ALL SELECT * FROM (
        ${OF_PRESENT} AND v.replaced_at > CAST(:at AS bigint) ORDER BY v.version LIMIT 1) own
      UNION ALL SELECT * FROM (
        ${OF_DELETED} AND v.replaced_at > CAST(:at AS bigint)
        ORDER BY v.user_group_id, v.version LIMIT 1) deleted
    ) found
    ORDER BY CASE WHEN "createdAt" > CAST(:at AS bigint) THEN 1 ELSE 0 END, ${rankOf('id')} DESC, version LIMIT 1`,
);

const findReplaced = statement<
  { workspaceId: number; versions: readonly VersionKey[] },
  UserGroupVersionState
>(
  'user-group-version.find-replaced',
  ({ recordsOf }) => `
    ${REPLACED} JOIN ${recordsOf(':versions', { id: 'integer', version: 'integer' })}
      ON r.id = v.user_group_id AND r.version = v.version
    WHERE v.workspace_id = :workspaceId`,
);

const findTokens = statement<{ userGroupId: number; at: number }, PastToken>(
  'user-group-version.find-tokens',
  () => `
    SELECT t.generation, t.last_four AS "lastFour", t.epoch, t.created_at AS "createdAt", t.retired_at AS "retiredAt",
      t.valid_until AS "validUntil", t.revoked_at AS "revokedAt"
    FROM user_group_token t WHERE t.user_group_id = :userGroupId AND t.created_at <= CAST(:at AS bigint)
    ORDER BY t.generation DESC LIMIT 2`,
);

/** Reads the states of groups, also of deleted ones. */
@Injectable()
export class UserGroupHistoryRepository {
  constructor(private readonly statements: Statements) {}

  /**
   * Lists states of the groups that have had the id, the newest first, the present group before the deleted ones.
   * @param before the group and version after which the list goes on
   */
  list(
    filters: Filters,
    limit: number,
    [beforeTeamId = BEYOND, beforeVersion = BEYOND]: readonly number[] = [],
  ): Promise<UserGroupVersionState[]> {
    return this.statements.read(listVersions, {
      ...filters,
      beforeTeamId,
      beforeVersion,
      limit,
      now: currentTime(),
    });
  }

  /** Finds the state that was replaced first after the time, or the present one; it may have begun later. */
  async findAt(id: OfId, at: number): Promise<UserGroupVersionState | undefined> {
    return (await this.statements.read(findAt, { ...id, at, now: currentTime() }))[0];
  }

  /** Finds versions that later ones have replaced, in any order; those that are not kept are missing. */
  async findReplaced(
    workspaceId: number,
    versions: readonly VersionKey[],
  ): Promise<UserGroupVersionState[]> {
    if (versions.length === 0) return [];
    return this.statements.read(findReplaced, { workspaceId, versions });
  }

  /** Finds the latest generations of a present group at a time. @param userGroupId from a query that names the workspace */
  findTokens(userGroupId: number, at: number): Promise<PastToken[]> {
    return this.statements.read(findTokens, { userGroupId, at });
  }
}
