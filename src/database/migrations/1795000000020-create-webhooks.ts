import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { dialectOf } from '../dialect.ts';
import { generatedId, primaryKey, reference } from './table-parts.ts';

export class CreateWebhooks1795000000020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { binaryType, countingType } = dialectOf(queryRunner.dataSource.options);
    await queryRunner.createTable(
      new Table({
        name: 'webhook_endpoint',
        columns: [
          primaryKey('webhook_endpoint', 'id', 'integer'),
          { name: 'workspace_id', type: 'integer' },
          { name: 'url', type: 'text' },
          { name: 'description', type: 'text', isNullable: true },
          { name: 'event_types', type: 'text' },
          { name: 'signature', type: 'varchar', length: '3' },
          { name: 'public_key', type: 'text', isNullable: true },
          { name: 'ciphertext', type: binaryType },
          { name: 'key_id', type: 'varchar', length: '32' },
          { name: 'header_names', type: 'text' },
          { name: 'old_secret_until', type: 'bigint', isNullable: true },
          { name: 'disabled_at', type: 'bigint', isNullable: true },
          { name: 'disabled_reason', type: 'varchar', length: '10', isNullable: true },
          { name: 'failing_since', type: 'bigint', isNullable: true },
          { name: 'warned_at', type: 'bigint', isNullable: true },
          { name: 'paused_until', type: 'bigint', isNullable: true },
          { name: 'created_at', type: 'bigint' },
          { name: 'updated_at', type: 'bigint' },
        ],
        foreignKeys: [reference('webhook_endpoint', 'workspace_id', 'workspace', 'RESTRICT')],
        indices: [
          {
            name: 'webhook_endpoint_workspace_id_idx',
            columnNames: ['workspace_id', 'created_at', 'id'],
          },
          { name: 'webhook_endpoint_key_id_idx', columnNames: ['key_id'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'webhook_delivery',
        columns: [
          { ...generatedId('webhook_delivery'), type: countingType },
          { name: 'endpoint_id', type: 'integer' },
          { name: 'event_id', type: 'bigint' },
          { name: 'kind', type: 'text' },
          { name: 'body', type: 'text' },
          { name: 'occurred_at', type: 'bigint' },
          { name: 'state', type: 'varchar', length: '9' },
          { name: 'attempts', type: 'integer' },
          { name: 'schedule_from', type: 'integer' },
          { name: 'due_at', type: 'bigint', isNullable: true },
          { name: 'leased_until', type: 'bigint', isNullable: true },
        ],
        uniques: [
          {
            name: 'webhook_delivery_endpoint_id_event_id_key',
            columnNames: ['endpoint_id', 'event_id'],
          },
        ],
        foreignKeys: [reference('webhook_delivery', 'endpoint_id', 'webhook_endpoint', 'CASCADE')],
        indices: [
          {
            name: 'webhook_delivery_due_at_idx',
            columnNames: ['endpoint_id', 'due_at'],
            where: '"due_at" IS NOT NULL',
          },
          { name: 'webhook_delivery_occurred_at_idx', columnNames: ['occurred_at'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'webhook_attempt',
        columns: [
          primaryKey('webhook_attempt', 'delivery_id', 'bigint'),
          primaryKey('webhook_attempt', 'number', 'integer'),
          { name: 'endpoint_id', type: 'integer' },
          { name: 'event_id', type: 'bigint' },
          { name: 'at', type: 'bigint' },
          { name: 'duration_ms', type: 'integer' },
          { name: 'status', type: 'integer', isNullable: true },
          { name: 'failure', type: 'varchar', length: '32', isNullable: true },
          { name: 'answer', type: 'text', isNullable: true },
        ],
        foreignKeys: [reference('webhook_attempt', 'delivery_id', 'webhook_delivery', 'CASCADE')],
        indices: [
          {
            name: 'webhook_attempt_endpoint_id_idx',
            columnNames: ['endpoint_id', 'at', 'event_id', 'number'],
          },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'webhook_progress',
        columns: [
          primaryKey('webhook_progress', 'id', 'integer'),
          { name: 'position', type: 'text' },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'notice',
        columns: [
          primaryKey('notice', 'kind', 'text'),
          primaryKey('notice', 'subject', 'text'),
          { name: 'at', type: 'bigint' },
        ],
        indices: [{ name: 'notice_at_idx', columnNames: ['at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('notice');
    await queryRunner.dropTable('webhook_progress');
    await queryRunner.dropTable('webhook_attempt');
    await queryRunner.dropTable('webhook_delivery');
    await queryRunner.dropTable('webhook_endpoint');
  }
}
