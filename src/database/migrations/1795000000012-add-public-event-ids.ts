import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const columns = { public_id: 'bigint' };

export class AddPublicEventIds1795000000012 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'audit_event', columns);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'audit_event', columns);
  }
}
