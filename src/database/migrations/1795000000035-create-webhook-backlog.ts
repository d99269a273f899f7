import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { primaryKey } from './table-parts.ts';

export class CreateWebhookBacklog1795000000035 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createTable(
      new Table({
        name: 'webhook_backlog',
        columns: [
          primaryKey('webhook_backlog', 'workspace_id', 'integer'),
          { name: 'position', type: 'text' },
          { name: 'turn_at', type: 'bigint' },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('webhook_backlog');
  }
}
