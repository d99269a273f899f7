import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { dialectOf } from '../dialect.ts';
import { generatedId, reference } from './table-parts.ts';

export class CreateWorkspaces1795000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { binaryType } = dialectOf(queryRunner.dataSource.options);
    await queryRunner.createTable(
      new Table({
        name: 'workspace',
        columns: [
          generatedId('workspace'),
          { name: 'name', type: 'text' },
          { name: 'created_at', type: 'bigint' },
        ],
        uniques: [{ name: 'workspace_name_key', columnNames: ['name'] }],
      }),
    );
    // So that the first API token has a place on any database.
    await queryRunner.query(
      `INSERT INTO workspace (name, created_at) VALUES ('default', ${Date.now()})`,
    );
    await queryRunner.createTable(
      new Table({
        name: 'api_token',
        columns: [
          generatedId('api_token'),
          { name: 'workspace_id', type: 'integer' },
          { name: 'name', type: 'text' },
          { name: 'token_hash', type: binaryType },
          { name: 'last_four', type: 'varchar', length: '4' },
          { name: 'scopes', type: 'text' },
          { name: 'created_at', type: 'bigint' },
          { name: 'expires_at', type: 'bigint', isNullable: true },
          { name: 'last_used_at', type: 'bigint', isNullable: true },
          { name: 'revoked_at', type: 'bigint', isNullable: true },
        ],
        uniques: [{ name: 'api_token_token_hash_key', columnNames: ['token_hash'] }],
        indices: [{ name: 'api_token_workspace_id_idx', columnNames: ['workspace_id'] }],
        foreignKeys: [reference('api_token', 'workspace_id', 'workspace', 'RESTRICT')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('api_token');
    await queryRunner.dropTable('workspace');
  }
}
