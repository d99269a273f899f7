import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { dialectOf } from '../dialect.ts';
import { generatedId, primaryKey, reference } from './table-parts.ts';

export class CreateUserGroups1795000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { binaryType } = dialectOf(queryRunner.dataSource.options);
    await queryRunner.createTable(
      new Table({
        name: 'user_group',
        columns: [
          generatedId('user_group'),
          { name: 'workspace_id', type: 'integer' },
          { name: 'provided_id', type: 'text' },
          { name: 'name', type: 'text' },
          { name: 'properties', type: 'text' },
          { name: 'created_at', type: 'bigint' },
          { name: 'updated_at', type: 'bigint' },
        ],
        uniques: [
          {
            name: 'user_group_workspace_id_provided_id_key',
            columnNames: ['workspace_id', 'provided_id'],
          },
        ],
        foreignKeys: [reference('user_group', 'workspace_id', 'workspace', 'RESTRICT')],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'user_group_token',
        columns: [
          primaryKey('user_group_token', 'user_group_id', 'integer'),
          primaryKey('user_group_token', 'generation', 'integer'),
          { name: 'token_hash', type: binaryType },
          { name: 'ciphertext', type: binaryType, isNullable: true },
          { name: 'key_id', type: 'varchar', length: '32', isNullable: true },
          { name: 'created_at', type: 'bigint' },
          { name: 'retired_at', type: 'bigint', isNullable: true },
        ],
        uniques: [{ name: 'user_group_token_token_hash_key', columnNames: ['token_hash'] }],
        indices: [
          {
            name: 'user_group_token_current_key',
            columnNames: ['user_group_id'],
            isUnique: true,
            where: '"retired_at" IS NULL',
          },
          { name: 'user_group_token_key_id_idx', columnNames: ['key_id'] },
        ],
        foreignKeys: [reference('user_group_token', 'user_group_id', 'user_group', 'CASCADE')],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'data_source_mapping',
        columns: [
          primaryKey('data_source_mapping', 'user_group_id', 'integer'),
          primaryKey('data_source_mapping', 'schema_id', 'text'),
          { name: 'data_source', type: 'text' },
          { name: 'data_source_type', type: 'varchar', length: '7' },
        ],
        foreignKeys: [reference('data_source_mapping', 'user_group_id', 'user_group', 'CASCADE')],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'encryption_key',
        columns: [
          { ...primaryKey('encryption_key', 'id', 'varchar'), length: '32' },
          { name: 'check_value', type: binaryType },
          { name: 'created_at', type: 'bigint' },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [
      'encryption_key',
      'data_source_mapping',
      'user_group_token',
      'user_group',
    ]) {
      await queryRunner.dropTable(table);
    }
  }
}
