import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from './build-index.ts';

const index = {
  name: 'user_group_token_valid_until_idx',
  table: 'user_group_token',
  columns: ['valid_until'],
  where: 'valid_until IS NOT NULL',
};

export class IndexTokenOverlaps1795000000021 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, index);
  }
}
