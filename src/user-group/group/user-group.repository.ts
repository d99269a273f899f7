import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Dialect } from '../../database/dialect.ts';
import { SharedReads } from '../../database/shared-reads.ts';
import { type Statement, statement } from '../../database/statement.ts';
import { settled, Statements } from '../../database/statements.ts';
import {
  type ResolvedEntry,
  resolvedMappingColumn,
} from '../../registry/mapping/resolved-mapping.ts';

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
  /** How often it has been written; only of groups that are read together. */
  version?: number;
}

/** How many bytes a group takes in a page: of what can be large. */
export function sizeOfGroup({ properties, mapping }: UserGroupState): number {
  return Buffer.byteLength(properties) + Buffer.byteLength(mapping ?? '');
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

const selectGroup = (columns: string, which: string, from = 'user_group') => `
  SELECT ${STATE_COLUMNS}, g.provided_id AS "providedId",
    t.generation, t.key_id AS "keyId", t.ciphertext ${columns}
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

const lockGroup = statement<GroupKey, { id: number }>(
  'user-group.lock',
  ({ lockRows }) => `
    SELECT g.id FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId ${lockRows('g')}`,
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

const readGroupsWithMapping = statement<GroupKeys, IdentifiedUserGroup>(
  'user-group.read-with-mapping',
  (dialect) => readEach(dialect, `, ${resolvedMappingColumn(dialect)} AS mapping`),
);

const findGroups = statement<GroupKeys, IdentifiedUserGroup>('user-group.find-these', (dialect) =>
  readEach(
    dialect,
    `, g.version, t.token_hash AS "tokenHash", ${resolvedMappingColumn(dialect)} AS mapping`,
  ),
);

const lockGroups = (lockRows: (dialect: Dialect) => Dialect['lockRows']) => (dialect: Dialect) => {
  const ids = dialect.forEachKey(
    ':providedIds',
    (key) => `
      SELECT i.id FROM user_group i
      WHERE i.workspace_id = :workspaceId AND ${key.is('i.provided_id')}`,
  );
  return `
    SELECT g.provided_id AS "providedId" FROM user_group g
    WHERE ${dialect.isAmong('g.id', ids)} ORDER BY g.id ${lockRows(dialect)('g')}`;
};

const lockAllGroups = statement<GroupKeys, { providedId: string }>(
  'user-group.lock-all',
  lockGroups((dialect) => dialect.lockRows),
);

const lockFreeGroups = statement<GroupKeys, { providedId: string }>(
  'user-group.lock-free',
  lockGroups((dialect) => dialect.lockFreeRows),
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
      `, ${resolvedMappingColumn(dialect)} AS mapping`,
      't.user_group_id > :after',
      NEXT_PAGE,
    )} ORDER BY g.id`,
);

const NEW_GROUP = {
  provided_id: 'text',
  name: 'text',
  properties: 'text',
  suspended_at: 'bigint',
} as const;

/** Numbers the groups in the order in which they are given. */
const insertGroups = statement<
  { workspaceId: number; groups: readonly object[]; now: number },
  { id: number; providedId: string }
>(
  'user-group.insert',
  ({ recordsOf, nextId, lockingOrder }) => `
    INSERT INTO user_group
      (id, workspace_id, provided_id, name, properties, suspended_at, created_at, updated_at)
    SELECT n.id, CAST(:workspaceId AS integer), n.provided_id, n.name, n.properties,
      n.suspended_at, CAST(:now AS bigint), CAST(:now AS bigint)
    FROM (SELECT ${nextId('user_group')} AS id, r.* FROM ${recordsOf(':groups', NEW_GROUP)}) n
    WHERE true ${lockingOrder('n.provided_id')}
    ON CONFLICT (workspace_id, provided_id) DO NOTHING
    RETURNING id, provided_id AS "providedId"`,
);

interface RowKey {
  workspaceId: number;
  id: number;
}

/** What a write sets. */
interface Fields {
  name: string;
  /** JSON text of an object. */
  properties: string;
  suspendedAt: number | null;
}

const CHANGED_GROUP = {
  group_id: 'integer',
  new_name: 'text',
  new_properties: 'text',
  new_suspended_at: 'bigint',
} as const;

const updateGroups = statement<{ groups: readonly object[]; ids: readonly number[]; now: number }>(
  'user-group.update',
  ({ recordsOf, isOneOf }) => `
    UPDATE user_group SET name = r.new_name, properties = r.new_properties,
      suspended_at = r.new_suspended_at, version = version + 1, updated_at = :now
    FROM ${recordsOf(':groups', CHANGED_GROUP)}
    WHERE id = r.group_id AND ${isOneOf('id', ':ids', 'integer')}`,
);

const removeMappings = statement<{ ids: readonly number[] }>(
  'user-group.remove-mappings',
  ({ isOneOf }) =>
    `DELETE FROM data_source_mapping WHERE ${isOneOf('user_group_id', ':ids', 'integer')}`,
);

const ENTRY = {
  user_group_id: 'integer',
  schema_id: 'text',
  data_source: 'text',
  data_source_type: 'text',
  registered_schema_id: 'integer',
  registered_data_source_id: 'integer',
} as const;

const insertMappings = statement<{ entries: readonly object[] }>(
  'user-group.insert-mappings',
  (dialect) => {
    const columns = Object.keys(ENTRY).join(', ');
    return `
    INSERT INTO data_source_mapping (${columns})
    SELECT ${columns} FROM ${dialect.recordsOf(':entries', ENTRY)}`;
  },
);

const removeGroup = statement<RowKey>(
  'user-group.remove',
  () => 'DELETE FROM user_group WHERE id = :id AND workspace_id = :workspaceId',
);

/** The queries of user groups: each names its workspace, or a row found in it by one that did. */
@Injectable()
export class UserGroupRepository {
  private readonly reads: SharedReads<IdentifiedUserGroup>;
  private readonly readsWithMapping: SharedReads<IdentifiedUserGroup>;
  private readonly readsById = new SharedReads<IdentifiedUserGroup>(async (workspaceId, ids) => {
    const rows = await this.statements.read(findGroupsById, { workspaceId, ids });
    return new Map(rows.map((row) => [`${row.id}`, row]));
  });

  constructor(private readonly statements: Statements) {
    this.reads = this.sharedReads(readGroups);
    this.readsWithMapping = this.sharedReads(readGroupsWithMapping);
  }

  /**
   * The group as committed; its mapping only if asked for. Concurrent calls of a workspace share a
   * statement, which begins after each of them.
   */
  find(
    { workspaceId, providedId }: GroupKey,
    withMapping: boolean,
  ): Promise<StoredUserGroup | undefined> {
    const reads = withMapping ? this.readsWithMapping : this.reads;
    return reads.read(workspaceId, providedId);
  }

  private sharedReads(
    query: Statement<GroupKeys, IdentifiedUserGroup>,
  ): SharedReads<IdentifiedUserGroup> {
    return new SharedReads(async (workspaceId, providedIds) => {
      const rows = await this.statements.read(query, { workspaceId, providedIds });
      return new Map(rows.map((row) => [row.providedId, row]));
    });
  }

  /** The group of this internal id, with the id that its caller gave. Concurrent calls share a statement. */
  findById(workspaceId: number, id: number): Promise<IdentifiedUserGroup | undefined> {
    return this.readsById.read(workspaceId, `${id}`);
  }

  /** The internal id of the group, locked against other writers until the transaction ends. */
  async lockId(manager: EntityManager, key: GroupKey): Promise<number | undefined> {
    return (await this.statements.run(manager, lockGroup, key))[0]?.id;
  }

  /** Those of the given groups that exist, as committed, each with its mapping and the hash of its token. */
  findThese(workspaceId: number, providedIds: readonly string[]): Promise<IdentifiedUserGroup[]> {
    const keys = { workspaceId, providedIds };
    return this.statements.read(findGroups, keys);
  }

  /**
   * The group with its mapping, locked against other writers until the transaction ends, and read
   * after that: a statement that waits for a lock sees the mapping as it was before the wait.
   */
  async lock(manager: EntityManager, key: GroupKey): Promise<StoredUserGroup | undefined> {
    const { groups } = await this.lockThese(manager, key.workspaceId, [key.providedId], true);
    return groups[0];
  }

  /**
   * Those of the given groups that exist, as `lock` gives one, each with the hash of its token.
   * Transactions that lock several groups do so in one order, so that they wait for each other and do
   * not deadlock.
   * @param waits else groups that another transaction has locked are left out, and named in `busy`
   */
  async lockThese(
    manager: EntityManager,
    workspaceId: number,
    providedIds: readonly string[],
    waits: boolean,
  ): Promise<{ groups: IdentifiedUserGroup[]; busy: Set<string> }> {
    const keys = { workspaceId, providedIds };
    if (providedIds.length === 0) return { groups: [], busy: new Set() };
    const locking = this.statements.run(manager, waits ? lockAllGroups : lockFreeGroups, keys);
    const finding = this.statements.run(manager, findGroups, keys);
    await settled([locking, finding]);
    const [locked, found] = [await locking, await finding];
    const mine = new Set(locked.map(({ providedId }) => providedId));
    const others = found.filter(({ providedId }) => !mine.has(providedId));
    return {
      groups: found.filter(({ providedId }) => mine.has(providedId)),
      busy: new Set(others.map(({ providedId }) => providedId)),
    };
  }

  /** At most `limit` groups with a larger internal id than `after`, in the order of that id, with their mapping. */
  list(workspaceId: number, after: number, limit: number): Promise<IdentifiedUserGroup[]> {
    return this.statements.read(listGroups, { workspaceId, after, limit });
  }

  /** @returns the internal ids of the new rows by `providedId`; an id that the workspace already has is left out */
  async insertAll(
    manager: EntityManager,
    workspaceId: number,
    groups: readonly (Fields & { providedId: string })[],
    now: number,
  ): Promise<Map<string, number>> {
    const records = groups.map(({ providedId, name, properties, suspendedAt }) => ({
      provided_id: providedId,
      name,
      properties,
      suspended_at: suspendedAt,
    }));
    const parameters = { workspaceId, groups: records, now };
    const rows = await this.statements.run(manager, insertGroups, parameters);
    return new Map(rows.map(({ id, providedId }) => [providedId, id]));
  }

  /** Sets the fields of groups that `manager` has locked, at the end of its transaction. */
  updateAll(
    manager: EntityManager,
    groups: readonly (Fields & { id: number })[],
    now: number,
  ): void {
    if (groups.length === 0) return;
    const records = groups.map(({ id, name, properties, suspendedAt }) => ({
      group_id: id,
      new_name: name,
      new_properties: properties,
      new_suspended_at: suspendedAt,
    }));
    const ids = groups.map(({ id }) => id);
    const parameters = { groups: records, ids, now };
    this.statements.runLast(manager, updateGroups, parameters);
  }

  /** Removes a group that `manager` has locked, with its tokens, its mapping, and what is remembered of rotations. */
  async remove(manager: EntityManager, key: RowKey): Promise<void> {
    await this.statements.run(manager, removeGroup, key);
  }

  /** Empties the mappings of groups that `manager` has locked, at the end of its transaction. */
  removeMappings(manager: EntityManager, userGroupIds: readonly number[]): void {
    if (userGroupIds.length === 0) return;
    this.statements.runLast(manager, removeMappings, { ids: userGroupIds });
  }

  /** Adds the entries of groups whose mappings are empty by then, at the end of the transaction. */
  insertMappings(
    manager: EntityManager,
    mappings: readonly { userGroupId: number; entries: readonly ResolvedEntry[] }[],
  ): void {
    const entries = mappings.flatMap((mapping) =>
      mapping.entries.map((entry) => ({
        user_group_id: mapping.userGroupId,
        schema_id: entry.schemaId,
        data_source: entry.dataSource,
        data_source_type: entry.dataSourceType,
        registered_schema_id: entry.schema?.id ?? null,
        registered_data_source_id: entry.source?.id ?? null,
      })),
    );
    if (entries.length === 0) return;
    this.statements.runLast(manager, insertMappings, { entries });
  }
}
