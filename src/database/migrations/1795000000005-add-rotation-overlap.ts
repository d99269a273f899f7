import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { dialectOf } from '../dialect.ts';
import { addColumns, dropColumns, primaryKey, reference } from './table-parts.ts';

const columns = {
  valid_until: 'bigint',
  last_introspected_at: 'bigint',
  last_four: 'varchar(4)',
};

export class AddRotationOverlap1795000000005 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { binaryType } = dialectOf(queryRunner.dataSource.options);
    await addColumns(queryRunner, 'user_group_token', columns);
    await queryRunner.createTable(
      new Table({
        name: 'idempotency_key',
        columns: [
          primaryKey('idempotency_key', 'workspace_id', 'integer'),
          primaryKey('idempotency_key', 'key_hash', binaryType),
          { name: 'request_hash', type: binaryType },
          { name: 'user_group_id', type: 'integer' },
          { name: 'generation', type: 'integer' },
          { name: 'name', type: 'text' },
          { name: 'created_at', type: 'bigint' },
        ],
        indices: [
          { name: 'idempotency_key_user_group_id_idx', columnNames: ['user_group_id'] },
          { name: 'idempotency_key_created_at_idx', columnNames: ['created_at'] },
        ],
        foreignKeys: [reference('idempotency_key', 'user_group_id', 'user_group', 'CASCADE')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('idempotency_key');
    await dropColumns(queryRunner, 'user_group_token', columns);
  }
}
