import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { primaryKey, reference } from './table-parts.ts';

export class CreateWebhookReplays1795000000034 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createTable(
      new Table({
        name: 'webhook_replay',
        columns: [
          primaryKey('webhook_replay', 'workspace_id', 'integer'),
          { name: 'endpoint_id', type: 'integer' },
          { name: 'progress', type: 'text' },
          { name: 'turn_at', type: 'bigint' },
        ],
        foreignKeys: [reference('webhook_replay', 'endpoint_id', 'webhook_endpoint', 'CASCADE')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('webhook_replay');
  }
}
