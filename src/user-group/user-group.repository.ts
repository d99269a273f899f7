import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Dialect } from '../database/dialect';
import { statement, Statements } from '../database/statement';
import { DataSourceMapping } from './data-source-mapping.entity';
import type { EncryptedToken } from './token-cipher';

/** A user group with its current token, still encrypted. */
export interface StoredUserGroup {
  id: number;
  name: string;
  /** JSON text of an object. */
  properties: string;
  generation: number;
  keyId: string;
  ciphertext: Buffer;
  /** JSON text of `[schemaId, dataSource, dataSourceType]` triples, null if there is none; only if asked for. */
  mapping?: string | null;
}

export interface MappingEntry {
  schemaId: string;
  dataSource: string;
  dataSourceType: 'integer' | 'string';
}

interface GroupKey {
  workspaceId: number;
  providedId: string;
}

/** The generation that a rotation has just retired, with its group. */
export interface RetiredToken {
  userGroupId: number;
  generation: number;
  name: string;
  providedId: string;
}

const selectGroup = (mappingColumn: string) => `
  SELECT g.id, g.name, g.properties, t.generation, t.key_id AS "keyId", t.ciphertext ${mappingColumn}
  FROM user_group g
  JOIN user_group_token t ON t.user_group_id = g.id AND t.retired_at IS NULL
  WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId`;

const mappingColumn = ({ jsonArray, jsonArrayOf }: Dialect) => `, (
    SELECT CAST(${jsonArrayOf}(${jsonArray}(m.schema_id, m.data_source, m.data_source_type)) AS text)
    FROM data_source_mapping m WHERE m.user_group_id = g.id
  ) AS mapping`;

const findGroup = statement<GroupKey, StoredUserGroup>('user-group.find', () => selectGroup(''));

const findGroupWithMapping = statement<GroupKey, StoredUserGroup>(
  'user-group.find-with-mapping',
  (dialect) => selectGroup(mappingColumn(dialect)),
);

const lockGroup = statement<GroupKey, { id: number }>(
  'user-group.lock',
  ({ lockRows }) => `
    SELECT g.id FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId ${lockRows('g')}`,
);

const insertGroup = statement<
  GroupKey & { name: string; properties: string; now: number },
  { id: number }
>(
  'user-group.insert',
  () => `
    INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
    VALUES (:workspaceId, :providedId, :name, :properties, :now, :now)
    ON CONFLICT (workspace_id, provided_id) DO NOTHING
    RETURNING id`,
);

const updateGroup = statement<{
  workspaceId: number;
  id: number;
  name: string;
  properties: string;
  now: number;
}>(
  'user-group.update',
  () => `
    UPDATE user_group SET name = :name, properties = :properties, updated_at = :now
    WHERE id = :id AND workspace_id = :workspaceId`,
);

const insertToken = statement<{
  userGroupId: number;
  generation: number;
  hash: Buffer;
  ciphertext: Buffer;
  keyId: string;
  now: number;
}>(
  'user-group-token.insert',
  () => `
    INSERT INTO user_group_token
      (user_group_id, generation, token_hash, ciphertext, key_id, created_at)
    VALUES (:userGroupId, :generation, :hash, :ciphertext, :keyId, :now)`,
);

const retireToken = statement<{ workspaceId: number; hash: Buffer; now: number }, RetiredToken>(
  'user-group-token.retire',
  () => `
    UPDATE user_group_token SET retired_at = :now, ciphertext = NULL, key_id = NULL
    WHERE token_hash = :hash AND retired_at IS NULL
      AND EXISTS (SELECT 1 FROM user_group WHERE id = user_group_id AND workspace_id = :workspaceId)
    RETURNING user_group_id AS "userGroupId", generation,
      (SELECT name FROM user_group WHERE id = user_group_id) AS name,
      (SELECT provided_id FROM user_group WHERE id = user_group_id) AS "providedId"`,
);

/** The queries of user groups and their tokens: each names its workspace, or a row found in it by one that did. */
@Injectable()
export class UserGroupRepository {
  constructor(private readonly statements: Statements) {}

  /** The group as committed, in one round trip; its mapping only if asked for. */
  async find(key: GroupKey, withMapping: boolean): Promise<StoredUserGroup | undefined> {
    const query = withMapping ? findGroupWithMapping : findGroup;
    return (await this.statements.read(query, key))[0];
  }

  /**
   * The group with its mapping, locked against other writers until the transaction ends. It is read
   * after the lock is held: the statement that waited for a lock would still see the mapping as it
   * was before the wait.
   */
  async lock(manager: EntityManager, key: GroupKey): Promise<StoredUserGroup | undefined> {
    const locked = await this.statements.run(manager, lockGroup, key);
    if (locked.length === 0) return undefined;
    return (await this.statements.run(manager, findGroupWithMapping, key))[0];
  }

  /** The id of the new group, or undefined if the workspace has a group of this id already. */
  async insert(
    manager: EntityManager,
    group: GroupKey & { name: string; properties: string },
  ): Promise<number | undefined> {
    const row = { ...group, now: Date.now() };
    return (await this.statements.run(manager, insertGroup, row))[0]?.id;
  }

  async update(
    manager: EntityManager,
    group: { workspaceId: number; id: number; name: string; properties: string },
  ): Promise<void> {
    await this.statements.run(manager, updateGroup, { ...group, now: Date.now() });
  }

  /** Replaces the whole mapping of a group that `manager` has locked or inserted. */
  async replaceMapping(
    manager: EntityManager,
    userGroupId: number,
    entries: readonly MappingEntry[],
  ): Promise<void> {
    await manager.delete(DataSourceMapping, { userGroupId });
    await manager.insert(
      DataSourceMapping,
      entries.map((entry) => ({ userGroupId, ...entry })),
    );
  }

  async insertToken(
    manager: EntityManager,
    token: EncryptedToken & { userGroupId: number; generation: number; hash: Buffer },
  ): Promise<void> {
    await this.statements.run(manager, insertToken, { ...token, now: Date.now() });
  }

  /**
   * Retires the current token with this hash, and erases its ciphertext. Of several transactions
   * that try, one gets it and the others, once it has committed, get undefined.
   */
  async retireToken(
    manager: EntityManager,
    token: { workspaceId: number; hash: Buffer },
  ): Promise<RetiredToken | undefined> {
    return (await this.statements.run(manager, retireToken, { ...token, now: Date.now() }))[0];
  }
}
