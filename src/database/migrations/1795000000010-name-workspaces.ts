import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropFillOnInsert, fillOnInsert } from './fill-column.ts';
import { addColumns, dropColumns } from './table-parts.ts';

const table = 'workspace';
const columns = {
  public_id: 'varchar(35)',
  embed_token_issuer: 'text',
  embed_token_audiences: "text NOT NULL DEFAULT '[]'",
};

export class NameWorkspaces1795000000010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const value = randomId(queryRunner);
    await addColumns(queryRunner, table, columns);
    await queryRunner.query(`UPDATE workspace SET public_id = ${value}`);
    await queryRunner.query(`CREATE UNIQUE INDEX workspace_public_id_key ON workspace (public_id)`);
    await fillOnInsert(queryRunner, { table, column: 'public_id', value });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropFillOnInsert(queryRunner, { table, column: 'public_id' });
    await queryRunner.query('DROP INDEX workspace_public_id_key');
    await dropColumns(queryRunner, table, columns);
  }
}

/** As `WorkspaceService` makes one. */
function randomId(queryRunner: QueryRunner): string {
  const isPostgres = queryRunner.dataSource.options.type === 'postgres';
  return isPostgres
    ? `'ws_' || replace(CAST(gen_random_uuid() AS text), '-', '')`
    : `'ws_' || lower(hex(randomblob(16)))`;
}
