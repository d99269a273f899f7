import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TargetNotFound } from './target.errors.ts';
import type { Page, PageQueryDto } from '../../platform/common/http/parameters/page.dto.ts';
import { KeysetList, KeysetOrder } from '../../platform/database/keyset-list.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import type { TargetDefinition } from './definition/target-definition.ts';
import type { Target } from './target.entity.ts';

type Row = Pick<
  Target,
  'workspaceId' | 'name' | 'definition' | 'ciphertext' | 'keyId' | 'createdAt' | 'updatedAt'
>;

export type StoredTarget = Omit<Row, 'definition'> & { definition: TargetDefinition };

interface Key {
  workspaceId: number;
  name: string;
}

const COLUMNS = `
  t.workspace_id AS "workspaceId", t.name, t.definition, t.ciphertext, t.key_id AS "keyId",
  t.created_at AS "createdAt", t.updated_at AS "updatedAt"`;

const targetList = new KeysetList<{ workspaceId: number }, Row>(
  'target.list',
  new KeysetOrder([['name', 't.name', 'text']]),
  (page) => `SELECT ${COLUMNS} FROM target t WHERE t.workspace_id = :workspaceId AND ${page}`,
);

const FOUND = `SELECT ${COLUMNS} FROM target t WHERE t.workspace_id = :workspaceId AND t.name = :name`;

const findTarget = statement<Key, Row>('target.find', () => FOUND);

const lockTarget = statement<Key, Row>(
  'target.lock',
  ({ lockRows }) => `${FOUND} ${lockRows('t')}`,
);

const countTargets = statement<{ workspaceId: number }, { count: number }>(
  'target.count',
  () => 'SELECT count(*) AS count FROM target WHERE workspace_id = :workspaceId',
);

const insertTarget = statement<{ [Name in keyof Row]: Row[Name] }>(
  'target.insert',
  () => `
    INSERT INTO target (workspace_id, name, definition, ciphertext, key_id, created_at, updated_at)
    VALUES (:workspaceId, :name, :definition, :ciphertext, :keyId, :createdAt, :updatedAt)`,
);

type Changing = Omit<Row, 'createdAt'>;

const updateTarget = statement<{ [Name in keyof Changing]: Changing[Name] }>(
  'target.update',
  () => `
    UPDATE target SET definition = :definition, ciphertext = :ciphertext, key_id = :keyId,
      updated_at = :updatedAt
    WHERE workspace_id = :workspaceId AND name = :name`,
);

const removeTarget = statement<Key>(
  'target.remove',
  () => 'DELETE FROM target WHERE workspace_id = :workspaceId AND name = :name',
);

/** Queries targets; each query names its workspace. */
@Injectable()
export class TargetRepository {
  constructor(private readonly statements: Statements) {}

  /** Lists one page in the order of names. */
  async list(workspaceId: number, query: PageQueryDto): Promise<Page<StoredTarget>> {
    const page = await targetList.page(this.statements, query, { workspaceId });
    return { ...page, rows: page.rows.map(toStored) };
  }

  /** @throws TargetNotFound */
  async get(key: Key): Promise<StoredTarget> {
    const [found] = await this.statements.read(findTarget, key);
    if (!found) throw new TargetNotFound();
    return toStored(found);
  }

  /** Locks the row against other writers until the transaction ends; undefined if there is none. */
  async lock(manager: EntityManager, key: Key): Promise<StoredTarget | undefined> {
    const [found] = await this.statements.run(manager, lockTarget, key);
    return found && toStored(found);
  }

  async count(manager: EntityManager, workspaceId: number): Promise<number> {
    const [row] = await this.statements.run(manager, countTargets, { workspaceId });
    return row!.count;
  }

  async insert(manager: EntityManager, target: StoredTarget): Promise<void> {
    await this.statements.run(manager, insertTarget, toRow(target));
  }

  /** Stores a target that `manager` has locked. */
  async update(manager: EntityManager, target: StoredTarget): Promise<void> {
    await this.statements.run(manager, updateTarget, toRow(target));
  }

  /** Removes a target that `manager` has locked. */
  async remove(manager: EntityManager, key: Key): Promise<void> {
    await this.statements.run(manager, removeTarget, key);
  }
}

function toStored({ definition, ...row }: Row): StoredTarget {
  return { ...row, definition: JSON.parse(definition) as TargetDefinition };
}

function toRow({ definition, ...row }: StoredTarget): Row {
  return { ...row, definition: JSON.stringify(definition) };
}
