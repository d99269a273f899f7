import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { dropAppendOnly, makeAppendOnly } from './append-only.ts';
import { dialectOf } from '../dialect.ts';
import { generatedId } from './table-parts.ts';

export class CreateAuditEvents1795000000003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { countingType } = dialectOf(queryRunner.dataSource.options);
    await queryRunner.createTable(
      new Table({
        name: 'audit_event',
        columns: [
          { ...generatedId('audit_event'), type: countingType },
          { name: 'workspace_id', type: 'integer', isNullable: true },
          { name: 'occurred_at', type: 'bigint' },
          { name: 'action', type: 'text' },
          { name: 'actor_type', type: 'varchar', length: '16' },
          { name: 'api_token_id', type: 'integer', isNullable: true },
          { name: 'request_id', type: 'text', isNullable: true },
          { name: 'address', type: 'text', isNullable: true },
          { name: 'object_type', type: 'text', isNullable: true },
          { name: 'object_id', type: 'text', isNullable: true },
          { name: 'before', type: 'text', isNullable: true },
          { name: 'after', type: 'text', isNullable: true },
          { name: 'details', type: 'text', isNullable: true },
          { name: 'keep_until', type: 'bigint', isNullable: true },
        ],
        indices: [
          {
            name: 'audit_event_workspace_id_occurred_at_idx',
            columnNames: ['workspace_id', 'occurred_at', 'id'],
          },
          {
            name: 'audit_event_workspace_id_object_id_idx',
            columnNames: ['workspace_id', 'object_id'],
          },
          {
            name: 'audit_event_workspace_id_request_id_idx',
            columnNames: ['workspace_id', 'request_id'],
          },
          { name: 'audit_event_keep_until_idx', columnNames: ['keep_until'] },
        ],
      }),
    );
    await makeAppendOnly(queryRunner, 'audit_event');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('audit_event');
    await dropAppendOnly(queryRunner, 'audit_event');
  }
}
