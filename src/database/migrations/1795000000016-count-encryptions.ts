import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const columns = { encryptions: 'bigint NOT NULL DEFAULT 0' };

export class CountEncryptions1795000000016 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'encryption_key', columns);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'encryption_key', columns);
  }
}
