import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { primaryKey } from './table-parts.ts';

export class CreateActivity1795000000033 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createTable(
      new Table({
        name: 'activity',
        columns: [
          primaryKey('activity', 'workspace_id', 'integer'),
          primaryKey('activity', 'hour', 'bigint'),
          { name: 'introspections', type: 'bigint' },
          { name: 'rotations', type: 'bigint' },
          { name: 'creations', type: 'bigint' },
        ],
        indices: [{ name: 'activity_hour_idx', columnNames: ['hour'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('activity');
  }
}
