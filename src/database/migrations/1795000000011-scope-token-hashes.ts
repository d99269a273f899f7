import { setTimeout as sleep } from 'node:timers/promises';
import { type MigrationInterface, type QueryRunner, TableUnique } from 'typeorm';
import { OperatorError } from '../../common/operator-error.ts';
import { lockTables } from './lock-tables.ts';
import { createIndex, dropIndex } from './build-index.ts';
import { dropFillOnInsert, fillOnInsert } from './fill-column.ts';
import { addColumns, dropColumns } from './table-parts.ts';

const table = 'user_group_token';
const columns = { workspace_id: 'integer' };
const filled = {
  table,
  column: 'workspace_id',
  value: '(SELECT g.workspace_id FROM user_group g WHERE g.id = NEW.user_group_id)',
};
/** The hash comes first: the version before looks for it alone. */
const index = {
  name: 'user_group_token_token_hash_workspace_id_key',
  table,
  columns: ['token_hash', 'workspace_id'],
  isUnique: true,
};
const former = { name: 'user_group_token_token_hash_key', columnNames: ['token_hash'] };

/** So few that a rotation does not wait for long. */
const BATCH = 2000;
const PAUSE_MS = 100;

/**
 * Makes the hash of a token unique in its workspace, no longer in the installation. Every step can be
 * done again, and the version before serves during and after all of them; but a token that a second
 * workspace imports before the last process of that version has ended is answered 500 by it.
 */
export class ScopeTokenHashes1795000000011 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    const isPostgres = queryRunner.dataSource.options.type === 'postgres';
    // SQLite makes the table anew for this, without its triggers.
    if (!isPostgres) await queryRunner.dropUniqueConstraint(table, former.name);
    await withTables(queryRunner, async () => {
      if (!(await queryRunner.hasColumn(table, filled.column))) {
        await addColumns(queryRunner, table, columns);
      }
      await fillOnInsert(queryRunner, filled);
    });
    if (isPostgres) await fillInBatches(queryRunner);
    else {
      await queryRunner.query(
        `UPDATE user_group_token SET workspace_id =
           (SELECT g.workspace_id FROM user_group g WHERE g.id = user_group_id)`,
      );
    }
    await createIndex(queryRunner, index);
    if (!isPostgres) return;
    await withTables(queryRunner, () =>
      queryRunner.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${former.name}`),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await requireDifferentHashes(queryRunner);
    await dropIndex(queryRunner, index);
    await dropFillOnInsert(queryRunner, filled);
    await dropColumns(queryRunner, table, columns);
    await queryRunner.createUniqueConstraint(table, new TableUnique(former));
  }
}

/** In a transaction that has every table for itself: that of the caller, or one of its own. */
async function withTables(queryRunner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  if (queryRunner.isTransactionActive) {
    await work();
    return;
  }
  await queryRunner.startTransaction();
  try {
    await lockTables(queryRunner);
    await work();
    await queryRunner.commitTransaction();
  } catch (error) {
    await queryRunner.rollbackTransaction();
    throw error;
  }
}

/**
 * Fills the column of the rows that were there before, while callers are served. Rows that somebody
 * has locked are left for the next round: waiting for them could end in a deadlock.
 */
async function fillInBatches(queryRunner: QueryRunner): Promise<void> {
  let [group, generation] = [0, 0];
  for (;;) {
    const rows = (await queryRunner.query(
      `WITH batch AS (
         SELECT t.user_group_id, t.generation FROM user_group_token t
         WHERE t.workspace_id IS NULL AND (t.user_group_id, t.generation) > ($1, $2)
         ORDER BY t.user_group_id, t.generation LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED),
       written AS (
         UPDATE user_group_token t SET workspace_id = g.workspace_id
         FROM batch b JOIN user_group g ON g.id = b.user_group_id
         WHERE t.user_group_id = b.user_group_id AND t.generation = b.generation)
       SELECT user_group_id AS "group", generation FROM batch
       ORDER BY user_group_id DESC, generation DESC LIMIT 1`,
      [group, generation],
    )) as { group: number; generation: number }[];
    if (rows[0]) {
      ({ group, generation } = rows[0]);
      continue;
    }
    const [left] = (await queryRunner.query(
      'SELECT EXISTS (SELECT FROM user_group_token WHERE workspace_id IS NULL) AS "isLeft"',
    )) as { isLeft: boolean }[];
    if (!left!.isLeft) return;
    await sleep(PAUSE_MS);
    [group, generation] = [0, 0];
  }
}

async function requireDifferentHashes(queryRunner: QueryRunner): Promise<void> {
  const [shared] = (await queryRunner.query(
    `SELECT min(user_group_id) AS one, max(user_group_id) AS other
     FROM user_group_token GROUP BY token_hash HAVING count(*) > 1 LIMIT 1`,
  )) as { one: number; other: number }[];
  if (!shared) return;
  throw new OperatorError(
    `Two workspaces have had the same user-group token, which the version before does not allow: the groups with the team_id ${shared.one} and ${shared.other}. Delete one of them, then undo the migration.`,
  );
}
