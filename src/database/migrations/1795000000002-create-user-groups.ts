import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { dialectOf } from '../dialect';

export class CreateUserGroups1795000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { binaryType } = dialectOf(queryRunner.dataSource.options);
    await queryRunner.createTable(
      new Table({
        name: 'user_group',
        columns: [
          {
            name: 'id',
            type: 'integer',
            isPrimary: true,
            isGenerated: true,
            generationStrategy: 'increment',
            primaryKeyConstraintName: 'user_group_pkey',
          },
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
        foreignKeys: [
          {
            name: 'user_group_workspace_id_fkey',
            columnNames: ['workspace_id'],
            referencedTableName: 'workspace',
            referencedColumnNames: ['id'],
            onDelete: 'RESTRICT',
          },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'user_group_token',
        columns: [
          primaryKeyColumn('user_group_token_pkey', 'user_group_id', 'integer'),
          primaryKeyColumn('user_group_token_pkey', 'generation', 'integer'),
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
        foreignKeys: [belongsToUserGroup('user_group_token_user_group_id_fkey')],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'data_source_mapping',
        columns: [
          primaryKeyColumn('data_source_mapping_pkey', 'user_group_id', 'integer'),
          primaryKeyColumn('data_source_mapping_pkey', 'schema_id', 'text'),
          { name: 'data_source', type: 'text' },
          { name: 'data_source_type', type: 'varchar', length: '7' },
        ],
        foreignKeys: [belongsToUserGroup('data_source_mapping_user_group_id_fkey')],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'encryption_key',
        columns: [
          { ...primaryKeyColumn('encryption_key_pkey', 'id', 'varchar'), length: '32' },
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

function primaryKeyColumn(constraint: string, name: string, type: string) {
  return { name, type, isPrimary: true, primaryKeyConstraintName: constraint };
}

function belongsToUserGroup(name: string) {
  return {
    name,
    columnNames: ['user_group_id'],
    referencedTableName: 'user_group',
    referencedColumnNames: ['id'],
    onDelete: 'CASCADE',
  };
}
