import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { GroupReader } from '../../../platform/common/access/caller.ts';
import { seenBy } from '../../../platform/common/access/user-group-range.ts';
import { columnOf, type Dialect } from '../../../platform/database/dialect.ts';
import { SharedReads } from '../../../platform/database/waves/shared-reads.ts';
import { OperatorError } from '../../../platform/common/problem/operator-error.ts';
import { statement, type Statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { readResolvedMapping, resolvedMappingColumn } from '../../mapping/resolved-mapping.ts';
import { IS_ENDED_TOGETHER } from '../token/user-group-token.repository.ts';
import { type UserGroupState, WRITTEN } from './user-group-fields.ts';

/** The approximate bytes of a group in a page; counts only fields that can be large. */
export function sizeOfGroup({ properties, mapping }: ReadUserGroup): number {
  return Buffer.byteLength(properties) + Buffer.byteLength(mapping ?? '');
}

/** A user group as a statement reads it. */
export interface ReadUserGroup extends UserGroupState {
  mapping?: string | null;
}

/** A user group with its current token, still encrypted. */
export interface StoredUserGroup extends UserGroupState {
  generation: number;
  keyId: string;
  ciphertext: Buffer;
  tokenHash: Buffer;
  tokenIssuedAt: number;
  /** Whether its token was ended together with others. */
  isTokenEnded: boolean | 0 | 1 | null;
}

export type IdentifiedUserGroup = StoredUserGroup & { providedId: string };
/** The same with its mapping, as a statement reads it. */
export type WholeUserGroup = IdentifiedUserGroup & ReadUserGroup;

/** A group with what decides whether a write of it can be stored. */
export interface GroupToWrite {
  /** With its mapping; undefined if the workspace has no such group. */
  stored: IdentifiedUserGroup | undefined;
  /** The version of the workspace's rules. */
  rulesVersion: number;
  /** Number of user groups in the workspace; null without a quota. */
  groupCount: number | null;
}

/** The columns of `UserGroupState` without its mapping. */
export const STATE_COLUMNS = ['id', ...Object.keys(WRITTEN), 'createdAt', 'updatedAt', 'version']
  .map((member) => `g.${columnOf(member)} AS "${member}"`)
  .join(', ');

const selectGroup = (columns: string, which: string, from = 'user_group') => `
  SELECT ${STATE_COLUMNS}, g.provided_id AS "providedId",
    t.generation, t.token_hash AS "tokenHash", t.key_id AS "keyId", t.ciphertext,
    t.created_at AS "tokenIssuedAt",
    ${IS_ENDED_TOGETHER} AS "isTokenEnded" ${columns}
  FROM ${from} g
  JOIN user_group_token t ON t.user_group_id = g.id AND t.retired_at IS NULL
  WHERE g.workspace_id = :workspaceId AND ${which}`;

const findGroupsById = statement<
  { workspaceId: number; ids: readonly string[] },
  IdentifiedUserGroup
>('user-group.find-by-id', (dialect) =>
  dialect.forEachKey(':ids', (key) =>
    selectGroup(
      '',
      key.is('g.id', (text) => `CAST(${text} AS integer)`),
    ),
  ),
);

interface GroupKeys {
  workspaceId: number;
  providedIds: readonly string[];
}

const readEach = (dialect: Dialect, columns: string) =>
  dialect.forEachKey(':providedIds', (key) => selectGroup(columns, key.is('g.provided_id')));

const readGroups = statement<GroupKeys, IdentifiedUserGroup>('user-group.read', (dialect) =>
  readEach(dialect, ''),
);

type ToWriteRow = Omit<GroupToWrite, 'stored'> & (WholeUserGroup | { providedId: null });

const readToWrite = (name: string, columns: (dialect: Dialect) => string) =>
  statement<GroupKeys, ToWriteRow>(
    name,
    (dialect) => `
    SELECT found.*, w.rules_version AS "rulesVersion", w.user_group_count AS "groupCount"
    FROM workspace w LEFT JOIN (${readEach(dialect, columns(dialect))}) found ON true
    WHERE w.id = :workspaceId`,
  );

const readGroupsToWrite = readToWrite(
  'user-group.read-to-write',
  (dialect) => `, ${resolvedMappingColumn(dialect)} AS mapping`,
);

/** For each group the mapping is a query of its own. */
const readGroupsToCompare = readToWrite('user-group.read-to-compare', () => '');

const lockGroups = (lock: (dialect: Dialect) => string) => (dialect: Dialect) => {
  const ids = dialect.forEachKey(
    ':providedIds',
    (key) => `
      SELECT i.id FROM user_group i
      WHERE i.workspace_id = :workspaceId AND ${key.is('i.provided_id')}`,
  );
  return `
    SELECT g.id, g.provided_id AS "providedId" FROM user_group g
    WHERE ${dialect.isAmong('g.id', ids)} ORDER BY g.id ${lock(dialect)}`;
};

/** Keeps out rotations, too: they share the lock of the group. */
const lockWaiting = statement<GroupKeys, { id: number; providedId: string }>(
  'user-group.lock',
  lockGroups(({ lockRows }) => lockRows('g', 'UPDATE')),
);

const lockFree = statement<GroupKeys, { id: number; providedId: string }>(
  'user-group.lock-free',
  lockGroups(({ lockFreeRows }) => lockFreeRows('g')),
);

const lockTokens = statement<{ ids: readonly number[] }>(
  'user-group.lock-tokens',
  ({ isOneOf, lockRows }) => `
    SELECT t.generation FROM user_group_token t WHERE ${isOneOf('t.user_group_id', ':ids', 'integer')}
    ORDER BY t.user_group_id, t.generation ${lockRows('t', 'UPDATE')}`,
);

/** Selected before any join: PostgreSQL would join the whole table first. */
const NEXT_PAGE = `(
    SELECT * FROM user_group WHERE workspace_id = :workspaceId AND id > :after
    ORDER BY id LIMIT :limit)`;

const listGroups = statement<{ workspaceId: number; after: number; limit: number }, WholeUserGroup>(
  'user-group.list-whole',
  (dialect) =>
    `${selectGroup(
      `, ${resolvedMappingColumn(dialect)} AS mapping`,
      't.user_group_id > :after',
      NEXT_PAGE,
    )} ORDER BY g.id`,
);

/** Reads and locks user groups; each query names their workspace, or a row found in it by one that did. */
@Injectable()
export class UserGroupRepository {
  private readonly reads = new SharedReads<IdentifiedUserGroup>(
    async (workspaceId, providedIds) => {
      const rows = await this.statements.read(readGroups, { workspaceId, providedIds });
      return new Map(rows.map((row) => [row.providedId, row]));
    },
  );
  private readonly readsToWrite = new SharedReads<GroupToWrite>((workspaceId, ids) =>
    this.readThese(workspaceId, ids),
  );
  private readonly readsToCompare = new SharedReads<GroupToWrite>((workspaceId, providedIds) =>
    this.readBy(readGroupsToCompare, { workspaceId, providedIds }),
  );
  private readonly readsById = new SharedReads<IdentifiedUserGroup>(async (workspaceId, ids) => {
    const rows = await this.statements.read(findGroupsById, { workspaceId, ids });
    return new Map(rows.map((row) => [`${row.id}`, row]));
  });

  constructor(private readonly statements: Statements) {}

  /**
   * Finds a committed group, without its mapping. Concurrent calls of a workspace share a statement, which begins after
   * each of them.
   */
  async find(reader: GroupReader, providedId: string): Promise<StoredUserGroup | undefined> {
    return seenBy(reader, await this.reads.read(reader.workspaceId, providedId));
  }

  /** Reads a committed group with its mapping, and the version of the rules. */
  async read(reader: GroupReader, providedId: string): Promise<GroupToWrite> {
    const read = await this.readToWrite(reader.workspaceId, providedId);
    return { ...read, stored: seenBy(reader, read.stored) };
  }

  /** Reads a committed group, in the caller's range or not, with its mapping. Concurrent calls share a statement. */
  async readToWrite(workspaceId: number, providedId: string): Promise<GroupToWrite> {
    return (await this.readsToWrite.read(workspaceId, providedId))!;
  }

  /** Reads the same without the mapping: enough to find out that nothing else differs. */
  async readToCompare(workspaceId: number, providedId: string): Promise<GroupToWrite> {
    return (await this.readsToCompare.read(workspaceId, providedId))!;
  }

  /**
   * Reads groups.
   * @param manager of the transaction to read in, if there is one
   * @throws OperatorError if an application names a workspace that does not exist
   */
  async readThese(
    workspaceId: number,
    providedIds: readonly string[],
    manager?: EntityManager,
  ): Promise<Map<string, GroupToWrite>> {
    if (providedIds.length === 0) return new Map();
    return this.readBy(readGroupsToWrite, { workspaceId, providedIds }, manager);
  }

  private async readBy(
    statement: Statement<GroupKeys, ToWriteRow>,
    { workspaceId, providedIds }: GroupKeys,
    manager?: EntityManager,
  ): Promise<Map<string, GroupToWrite>> {
    const rows = await this.statements.read(statement, { workspaceId, providedIds }, manager);
    if (!rows[0]) throw new OperatorError(`There is no workspace ${workspaceId}.`);
    const { rulesVersion, groupCount } = rows[0];
    const stored = new Map<string, IdentifiedUserGroup>();
    for (const row of rows) {
      if (row.providedId !== null) stored.set(row.providedId, withParsedMapping(row));
    }
    const shared = { rulesVersion, groupCount };
    return new Map(providedIds.map((id) => [id, { stored: stored.get(id), ...shared }]));
  }

  /** Finds a group by its internal id. Concurrent calls share a statement. */
  async findById(reader: GroupReader, id: number): Promise<IdentifiedUserGroup | undefined> {
    return seenBy(reader, await this.readsById.read(reader.workspaceId, `${id}`));
  }

  /**
   * Locks groups against other writers until the transaction of `manager` ends. They are to be read afterwards: a
   * statement that waits for a lock sees what was there before the wait.
   * @param waits also for the tokens; if false, groups that another transaction has locked are left out
   * @returns the ids of the groups that are locked now
   */
  async lockThese(
    workspaceId: number,
    providedIds: readonly string[],
    waits: boolean,
    manager: EntityManager,
  ): Promise<Set<string>> {
    const locked = await this.statements.run(manager, waits ? lockWaiting : lockFree, {
      workspaceId,
      providedIds,
    });
    if (waits) await this.statements.run(manager, lockTokens, { ids: locked.map(({ id }) => id) });
    return new Set(locked.map(({ providedId }) => providedId));
  }

  /** Lists at most `limit` groups after an internal id, in the order of that id, with their mappings. */
  list(workspaceId: number, after: number, limit: number): Promise<WholeUserGroup[]> {
    return this.statements.read(listGroups, { workspaceId, after, limit });
  }
}

/** Parses the mapping of a group that was read with it, once for everything that a write does with it. */
function withParsedMapping(row: WholeUserGroup): IdentifiedUserGroup {
  return row.mapping === undefined
    ? row
    : Object.assign(row as IdentifiedUserGroup, { mapping: readResolvedMapping(row.mapping) });
}
