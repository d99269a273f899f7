import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { primaryKey } from './table-parts.ts';

export class CreateEventConsumers1795000000025 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createTable(
      new Table({
        name: 'event_consumer',
        columns: [
          { ...primaryKey('event_consumer', 'name', 'varchar'), length: '100' },
          { name: 'position', type: 'text' },
          { name: 'lease_owner', type: 'varchar', length: '36', isNullable: true },
          { name: 'lease_until', type: 'bigint', isNullable: true },
          { name: 'created_at', type: 'bigint' },
          { name: 'updated_at', type: 'bigint' },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('event_consumer');
  }
}
