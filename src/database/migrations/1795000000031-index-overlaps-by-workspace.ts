import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from './build-index.ts';

const index = {
  name: 'user_group_token_overlap_idx',
  table: 'user_group_token',
  columns: ['workspace_id', 'valid_until', 'user_group_id', 'generation'],
  where: 'valid_until IS NOT NULL',
};

export class IndexOverlapsByWorkspace1795000000031 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, index);
  }
}
