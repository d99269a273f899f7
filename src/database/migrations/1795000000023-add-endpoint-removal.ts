import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const ofEndpoints = { removed_at: 'bigint' };

export class AddEndpointRemoval1795000000023 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'webhook_endpoint', ofEndpoints);
  }

  /** The version before would take what is being removed for endpoints that are off. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DELETE FROM webhook_endpoint WHERE removed_at IS NOT NULL');
    await dropColumns(queryRunner, 'webhook_endpoint', ofEndpoints);
  }
}
