import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const ofEndpoints = { skipping_since: 'bigint' };

export class AddEndpointSkipping1795000000036 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'webhook_endpoint', ofEndpoints);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'webhook_endpoint', ofEndpoints);
  }
}
