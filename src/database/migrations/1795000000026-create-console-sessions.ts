import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { dialectOf } from '../dialect.ts';
import { primaryKey, reference } from './table-parts.ts';

export class CreateConsoleSessions1795000000026 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { binaryType } = dialectOf(queryRunner.dataSource.options);
    await queryRunner.createTable(
      new Table({
        name: 'console_session',
        columns: [
          primaryKey('console_session', 'id', 'bigint'),
          { name: 'workspace_id', type: 'integer' },
          { name: 'secret_hash', type: binaryType },
          { name: 'api_token_id', type: 'integer' },
          { name: 'created_at', type: 'bigint' },
          { name: 'last_used_at', type: 'bigint' },
          { name: 'expires_at', type: 'bigint' },
          { name: 'address', type: 'text', isNullable: true },
          { name: 'user_agent', type: 'text', isNullable: true },
        ],
        uniques: [{ name: 'console_session_secret_hash_key', columnNames: ['secret_hash'] }],
        foreignKeys: [
          reference('console_session', 'workspace_id', 'workspace', 'RESTRICT'),
          reference('console_session', 'api_token_id', 'api_token', 'CASCADE'),
        ],
        indices: [
          {
            name: 'console_session_workspace_id_idx',
            columnNames: ['workspace_id', 'last_used_at'],
          },
          {
            name: 'console_session_api_token_id_idx',
            columnNames: ['api_token_id', 'last_used_at'],
          },
          { name: 'console_session_last_used_at_idx', columnNames: ['last_used_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('console_session');
  }
}
