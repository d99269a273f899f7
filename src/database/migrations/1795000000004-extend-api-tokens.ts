import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const columns = { allowed_cidrs: 'text', superseded_by: 'integer' };

export class ExtendApiTokens1795000000004 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'api_token', columns);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'api_token', columns);
  }
}
