import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

const name = 'user_group_workspace_id_id_idx';

export class IndexGroupsById1795000000009 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const index = new TableIndex({ name, columnNames: ['workspace_id', 'id'] });
    await queryRunner.createIndex('user_group', index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('user_group', name);
  }
}
