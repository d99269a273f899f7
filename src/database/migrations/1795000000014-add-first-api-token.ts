import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const ofTokens = { first_token_id: 'integer' };

/** Tokens that were rotated before have none: each counts for itself until it is rotated again. */
export class AddFirstApiToken1795000000014 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'api_token', ofTokens);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'api_token', ofTokens);
  }
}
