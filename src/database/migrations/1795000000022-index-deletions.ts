import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from './build-index.ts';

const index = {
  name: 'change_event_deletion_idx',
  table: 'change_event',
  columns: ['occurred_at'],
  where: "kind IN ('data_source.delete', 'schema.delete')",
};

export class IndexDeletions1795000000022 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, index);
  }
}
