import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const ofWorkspaces = { user_group_quota: 'integer', user_group_count: 'integer' };

export class AddUserGroupQuota1795000000015 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'workspace', ofWorkspaces);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'workspace', ofWorkspaces);
  }
}
