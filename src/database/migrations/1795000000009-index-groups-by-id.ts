import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from './build-index.ts';

const index = {
  name: 'user_group_workspace_id_id_idx',
  table: 'user_group',
  columns: ['workspace_id', 'id'],
};

export class IndexGroupsById1795000000009 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, index);
  }
}
