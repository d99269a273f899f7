import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const ofTokens = { subject: 'text' };

/** Who signs in to the console by a token that nobody knows. */
export class AddSubjectOfApiToken1795000000032 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'api_token', ofTokens);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'api_token', ofTokens);
  }
}
