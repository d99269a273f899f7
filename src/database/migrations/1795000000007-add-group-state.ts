import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const ofGroups = { suspended_at: 'bigint' };
const ofTokens = { retired_by: 'integer', revoked_at: 'bigint', revoked_by: 'integer' };

export class AddGroupState1795000000007 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'user_group', ofGroups);
    await addColumns(queryRunner, 'user_group_token', ofTokens);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'user_group_token', ofTokens);
    await dropColumns(queryRunner, 'user_group', ofGroups);
  }
}
