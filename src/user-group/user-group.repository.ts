import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Dialect } from '../database/dialect';
import { statement, Statements } from '../database/statement';
import { type ResolvedEntry, resolvedMappingColumn } from '../registry/resolved-mapping';
import { DataSourceMapping } from './data-source-mapping.entity';

/** A user group without its token. */
export interface UserGroupState {
  id: number;
  name: string;
  /** JSON text of an object. */
  properties: string;
  /** For `readResolvedMapping`; only if asked for. */
  mapping?: string | null;
  suspendedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** A user group with its current token, still encrypted. */
export interface StoredUserGroup extends UserGroupState {
  generation: number;
  keyId: string;
  ciphertext: Buffer;
  /** SHA-256 of the token; only of groups that are read together. */
  tokenHash?: Buffer;
}

/** A stored group with the id that its caller gave. */
export type IdentifiedUserGroup = StoredUserGroup & { providedId: string };

interface GroupKey {
  workspaceId: number;
  providedId: string;
}

/** The columns of `UserGroupState` without its mapping. */
export const STATE_COLUMNS = `g.id, g.name, g.properties, g.suspended_at AS "suspendedAt",
    g.created_at AS "createdAt", g.updated_at AS "updatedAt"`;

const selectGroup = (
  columns: string,
  which = 'g.provided_id = :providedId',
  from = 'user_group',
) => `
  SELECT ${STATE_COLUMNS}, t.generation, t.key_id AS "keyId", t.ciphertext ${columns}
  FROM ${from} g
  JOIN user_group_token t ON t.user_group_id = g.id AND t.retired_at IS NULL
  WHERE g.workspace_id = :workspaceId AND ${which}`;

const findGroup = statement<GroupKey, StoredUserGroup>('user-group.find', () => selectGroup(''));

const findGroupWithMapping = statement<GroupKey, StoredUserGroup>(
  'user-group.find-with-mapping',
  (dialect) => selectGroup(`, ${resolvedMappingColumn(dialect)} AS mapping`),
);

const findGroupById = statement<{ workspaceId: number; id: number }, IdentifiedUserGroup>(
  'user-group.find-by-id',
  () => selectGroup(', g.provided_id AS "providedId"', 'g.id = :id'),
);

const lockGroup = statement<GroupKey, { id: number }>(
  'user-group.lock',
  ({ lockRows }) => `
    SELECT g.id FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId ${lockRows('g')}`,
);

/** As one parameter: a JSON array of texts. */
interface GroupKeys {
  workspaceId: number;
  providedIds: string;
}

const ONE_OF_THESE = ({ isOneOf }: Dialect) => isOneOf('g.provided_id', ':providedIds');

const findGroups = statement<GroupKeys, IdentifiedUserGroup>('user-group.find-these', (dialect) =>
  selectGroup(
    `, g.provided_id AS "providedId", t.token_hash AS "tokenHash",
      ${resolvedMappingColumn(dialect)} AS mapping`,
    ONE_OF_THESE(dialect),
  ),
);

const lockGroups = statement<GroupKeys, { id: number }>(
  'user-group.lock-these',
  (dialect) => `
    SELECT g.id FROM user_group g
    WHERE g.workspace_id = :workspaceId AND ${ONE_OF_THESE(dialect)}
    ORDER BY g.id ${dialect.lockRows('g')}`,
);

/** Cut out before anything is joined to it: PostgreSQL would join the whole table first. */
const NEXT_PAGE = `(
    SELECT * FROM user_group WHERE workspace_id = :workspaceId AND id > :after
    ORDER BY id LIMIT :limit)`;

const listGroups = statement<
  { workspaceId: number; after: number; limit: number },
  IdentifiedUserGroup
>(
  'user-group.list-whole',
  (dialect) =>
    `${selectGroup(
      `, g.provided_id AS "providedId", ${resolvedMappingColumn(dialect)} AS mapping`,
      't.user_group_id > :after',
      NEXT_PAGE,
    )} ORDER BY g.id`,
);

const insertGroup = statement<
  GroupKey & { name: string; properties: string; suspendedAt: number | null; now: number },
  { id: number; createdAt: number }
>(
  'user-group.insert',
  () => `
    INSERT INTO user_group
      (workspace_id, provided_id, name, properties, suspended_at, created_at, updated_at)
    VALUES (:workspaceId, :providedId, :name, :properties, :suspendedAt, :now, :now)
    ON CONFLICT (workspace_id, provided_id) DO NOTHING
    RETURNING id, created_at AS "createdAt"`,
);

interface RowKey {
  workspaceId: number;
  id: number;
}

/** What `update` sets. */
interface Fields {
  name: string;
  properties: string;
  suspendedAt: number | null;
}

const updateGroup = statement<RowKey & Fields & { now: number }>(
  'user-group.update',
  () => `
    UPDATE user_group SET name = :name, properties = :properties, suspended_at = :suspendedAt,
      updated_at = :now
    WHERE id = :id AND workspace_id = :workspaceId`,
);

const setSuspended = statement<RowKey & { suspendedAt: number | null; now: number }>(
  'user-group.set-suspended',
  () => `
    UPDATE user_group SET suspended_at = :suspendedAt, updated_at = :now
    WHERE id = :id AND workspace_id = :workspaceId`,
);

const removeGroup = statement<RowKey>(
  'user-group.remove',
  () => 'DELETE FROM user_group WHERE id = :id AND workspace_id = :workspaceId',
);

/** The queries of user groups: each names its workspace, or a row found in it by one that did. */
@Injectable()
export class UserGroupRepository {
  constructor(private readonly statements: Statements) {}

  /** The group as committed, in one round trip; its mapping only if asked for. */
  async find(key: GroupKey, withMapping: boolean): Promise<StoredUserGroup | undefined> {
    const query = withMapping ? findGroupWithMapping : findGroup;
    return (await this.statements.read(query, key))[0];
  }

  /** The group of this internal id, with the id that its caller gave. */
  async findById(key: {
    workspaceId: number;
    id: number;
  }): Promise<IdentifiedUserGroup | undefined> {
    return (await this.statements.read(findGroupById, key))[0];
  }

  /** The internal id of the group, locked against other writers until the transaction ends. */
  async lockId(manager: EntityManager, key: GroupKey): Promise<number | undefined> {
    return (await this.statements.run(manager, lockGroup, key))[0]?.id;
  }

  /**
   * The group with its mapping, locked against other writers until the transaction ends. It is read
   * after the lock is held: the statement that waited for a lock would still see the mapping as it
   * was before the wait.
   */
  async lock(manager: EntityManager, key: GroupKey): Promise<StoredUserGroup | undefined> {
    if ((await this.lockId(manager, key)) === undefined) return undefined;
    return (await this.statements.run(manager, findGroupWithMapping, key))[0];
  }

  /** Of these groups those there are, as committed, each with its mapping and the hash of its token. */
  findThese(workspaceId: number, providedIds: readonly string[]): Promise<IdentifiedUserGroup[]> {
    const keys = { workspaceId, providedIds: JSON.stringify(providedIds) };
    return this.statements.read(findGroups, keys);
  }

  /**
   * As `findThese`, locked as by `lock`. Transactions that lock several groups do so in the same
   * order, so that they wait for each other and do not deadlock.
   */
  async lockThese(
    manager: EntityManager,
    workspaceId: number,
    providedIds: readonly string[],
  ): Promise<IdentifiedUserGroup[]> {
    const keys = { workspaceId, providedIds: JSON.stringify(providedIds) };
    await this.statements.run(manager, lockGroups, keys);
    return this.statements.run(manager, findGroups, keys);
  }

  /** At most `limit` groups with a larger internal id than `after`, in the order of that id, with their mapping. */
  list(workspaceId: number, after: number, limit: number): Promise<IdentifiedUserGroup[]> {
    return this.statements.read(listGroups, { workspaceId, after, limit });
  }

  /** The new row, or undefined if the workspace has a group of this id already. */
  async insert(
    manager: EntityManager,
    group: GroupKey & Fields,
  ): Promise<{ id: number; createdAt: number } | undefined> {
    const row = { ...group, now: Date.now() };
    return (await this.statements.run(manager, insertGroup, row))[0];
  }

  /** @returns its `updatedAt` */
  async update(manager: EntityManager, group: RowKey & Fields): Promise<number> {
    const now = Date.now();
    await this.statements.run(manager, updateGroup, { ...group, now });
    return now;
  }

  /** Suspends the group from now on, or no longer. @returns what it has set */
  async setSuspended(
    manager: EntityManager,
    key: RowKey,
    isSuspended: boolean,
  ): Promise<{ suspendedAt: number | null; updatedAt: number }> {
    const now = Date.now();
    const suspendedAt = isSuspended ? now : null;
    await this.statements.run(manager, setSuspended, { ...key, suspendedAt, now });
    return { suspendedAt, updatedAt: now };
  }

  /** Removes a group that `manager` has locked, with its tokens, its mapping, and what is remembered of rotations. */
  async remove(manager: EntityManager, key: RowKey): Promise<void> {
    await this.statements.run(manager, removeGroup, key);
  }

  /** Replaces the whole mapping of a group that `manager` has locked. */
  async replaceMapping(
    manager: EntityManager,
    userGroupId: number,
    entries: readonly ResolvedEntry[],
  ): Promise<void> {
    await manager.delete(DataSourceMapping, { userGroupId });
    await this.insertMapping(manager, userGroupId, entries);
  }

  /** The mapping of a group that has none. */
  async insertMapping(
    manager: EntityManager,
    userGroupId: number,
    entries: readonly ResolvedEntry[],
  ): Promise<void> {
    if (entries.length === 0) return;
    await manager.insert(
      DataSourceMapping,
      entries.map(({ schemaId, dataSource, dataSourceType, schema, source }) => ({
        userGroupId,
        schemaId,
        dataSource,
        dataSourceType,
        registeredSchemaId: schema?.id ?? null,
        registeredDataSourceId: source?.id ?? null,
      })),
    );
  }
}
