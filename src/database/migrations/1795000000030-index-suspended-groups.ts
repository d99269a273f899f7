import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from './build-index.ts';

const index = {
  name: 'user_group_suspended_idx',
  table: 'user_group',
  columns: ['workspace_id', 'id'],
  where: 'suspended_at IS NOT NULL',
};

export class IndexSuspendedGroups1795000000030 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, index);
  }
}
