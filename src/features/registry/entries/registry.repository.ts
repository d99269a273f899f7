import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Page, PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { KeysetList, KeysetOrder } from '../../../platform/database/keyset-list.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { dataSourceKind, type EntryKind, schemaKind } from './registered-kind.ts';
import type { RegisteredSchema } from '../../../core/mapping/schemas-and-data-sources.entity.ts';

/** A registered schema or data source; both have the same columns. */
export type RegistryEntry = Omit<RegisteredSchema, 'workspaceId' | 'workspace'>;

interface Key {
  workspaceId: number;
  id: number;
}

/** A user group whose mapping refers to a registry entry. */
export interface Referrer {
  id: number;
  providedId: string;
}

const COLUMNS = `
  id, provided_id AS "providedId", name, created_at AS "createdAt", updated_at AS "updatedAt"`;

const entriesOf = <Given extends Record<keyof Given, number | string>>(
  table: EntryKind['table'],
  name: string,
  condition = 'true',
) =>
  new KeysetList<Given, RegistryEntry>(
    `${table}.${name}`,
    new KeysetOrder([['id', 'id']]),
    (page) => `
      SELECT ${COLUMNS} FROM ${table}
      WHERE workspace_id = :workspaceId AND ${condition} AND ${page}`,
  );

const queriesOf = ({ table }: EntryKind) => ({
  entries: entriesOf<{ workspaceId: number }>(table, 'list'),
  entriesOfProvidedId: entriesOf<{ workspaceId: number; providedId: string }>(
    table,
    'list-of-provided-id',
    'provided_id = :providedId',
  ),
  find: statement<Key, RegistryEntry>(
    `${table}.find`,
    () => `SELECT ${COLUMNS} FROM ${table} WHERE workspace_id = :workspaceId AND id = :id`,
  ),
  lock: statement<Key, RegistryEntry>(
    `${table}.lock`,
    ({ lockRows }) => `
      SELECT ${COLUMNS} FROM ${table} r
      WHERE r.workspace_id = :workspaceId AND r.id = :id ${lockRows('r')}`,
  ),
  count: statement<{ workspaceId: number }, { count: number }>(
    `${table}.count`,
    () => `SELECT count(*) AS count FROM ${table} WHERE workspace_id = :workspaceId`,
  ),
  insert: statement<
    { workspaceId: number; providedId: string; name: string; now: number },
    RegistryEntry
  >(
    `${table}.insert`,
    () => `
      INSERT INTO ${table} (workspace_id, provided_id, name, created_at, updated_at)
      VALUES (:workspaceId, :providedId, :name, :now, :now)
      ON CONFLICT (workspace_id, provided_id) DO NOTHING
      RETURNING ${COLUMNS}`,
  ),
  rename: statement<Key & { name: string; now: number }, RegistryEntry>(
    `${table}.rename`,
    () => `
      UPDATE ${table} SET name = :name, updated_at = :now
      WHERE workspace_id = :workspaceId AND id = :id
      RETURNING ${COLUMNS}`,
  ),
  remove: statement<Key>(
    `${table}.remove`,
    () => `DELETE FROM ${table} WHERE workspace_id = :workspaceId AND id = :id`,
  ),
  referrers: new KeysetList<Key, Referrer>(
    `${table}.list-referrers`,
    new KeysetOrder([['id', 'm.user_group_id']]),
    (page) => `
      SELECT DISTINCT m.user_group_id AS id, g.provided_id AS "providedId"
      FROM data_source_mapping m
      JOIN user_group g ON g.id = m.user_group_id AND g.workspace_id = :workspaceId
      WHERE m.${table}_id = :id AND ${page}`,
  ),
});

const queries = {
  registered_schema: queriesOf(schemaKind),
  registered_data_source: queriesOf(dataSourceKind),
};

/** Queries registered schemas and data sources; each query names its workspace. */
@Injectable()
export class RegistryRepository {
  constructor(private readonly statements: Statements) {}

  /** Lists one page in the order of registration, or the one with a given provided id. */
  list(
    { table }: EntryKind,
    workspaceId: number,
    providedId: string | undefined,
    query: PageQueryDto,
  ): Promise<Page<RegistryEntry>> {
    const { entries, entriesOfProvidedId } = queries[table];
    return providedId === undefined
      ? entries.page(this.statements, query, { workspaceId })
      : entriesOfProvidedId.page(this.statements, query, { workspaceId, providedId });
  }

  /** @throws SchemaNotFound, DataSourceNotFound */
  async get({ table, NotFound }: EntryKind, key: Key): Promise<RegistryEntry> {
    const [found] = await this.statements.read(queries[table].find, key);
    if (!found) throw new NotFound();
    return found;
  }

  /** Locks a row against other writers until the transaction ends. @throws SchemaNotFound, DataSourceNotFound */
  async lock(
    manager: EntityManager,
    { table, NotFound }: EntryKind,
    key: Key,
  ): Promise<RegistryEntry> {
    const [found] = await this.statements.run(manager, queries[table].lock, key);
    if (!found) throw new NotFound();
    return found;
  }

  async count(manager: EntityManager, { table }: EntryKind, workspaceId: number): Promise<number> {
    const [row] = await this.statements.run(manager, queries[table].count, { workspaceId });
    return row!.count;
  }

  /** Inserts a row; returns undefined if the workspace has one of this provided id already. */
  async insert(
    manager: EntityManager,
    { table }: EntryKind,
    entry: { workspaceId: number; providedId: string; name: string },
  ): Promise<RegistryEntry | undefined> {
    const row = { ...entry, now: currentTime() };
    return (await this.statements.run(manager, queries[table].insert, row))[0];
  }

  async rename(
    manager: EntityManager,
    { table }: EntryKind,
    entry: Key & { name: string },
  ): Promise<RegistryEntry> {
    const row = { ...entry, now: currentTime() };
    return (await this.statements.run(manager, queries[table].rename, row))[0]!;
  }

  async remove(manager: EntityManager, { table }: EntryKind, key: Key): Promise<void> {
    await this.statements.run(manager, queries[table].remove, key);
  }

  /** Lists one page of the groups in the order of their creation, as committed or in the transaction of `manager`. */
  listReferrers(
    { table }: EntryKind,
    key: Key,
    query: PageQueryDto,
    manager?: EntityManager,
  ): Promise<Page<Referrer>> {
    return queries[table].referrers.page(this.statements, query, key, manager);
  }
}
