import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from './build-index.ts';

const index = {
  name: 'change_event_workspace_id_transaction_id_id_idx',
  table: 'change_event',
  columns: ['workspace_id', 'transaction_id', 'id'],
};

export class IndexChangeEvents1795000000019 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, index);
  }
}
