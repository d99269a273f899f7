import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from './build-index.ts';

const index = {
  name: 'user_group_workspace_id_updated_at_id_idx',
  table: 'user_group',
  columns: ['workspace_id', 'updated_at', 'id'],
};

export class IndexGroupsByUpdate1795000000027 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, index);
  }
}
