import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from './build-index.ts';

const index = {
  name: 'webhook_delivery_endpoint_id_occurred_at_id_idx',
  table: 'webhook_delivery',
  columns: ['endpoint_id', 'occurred_at', 'id'],
};

export class IndexWebhookDeliveries1795000000024 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, index);
  }
}
