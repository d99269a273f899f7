import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Dialect, dialectOf } from '../dialect.ts';
import { createIndex, dropIndex } from './build-index.ts';

const indexOf = ({ byCodePoint }: Dialect) => ({
  name: 'user_group_workspace_id_name_id_idx',
  table: 'user_group',
  columns: ['workspace_id', byCodePoint('name'), 'id'],
});

export class IndexGroupsByName1795000000028 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, indexOf(dialectOf(queryRunner.dataSource.options)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, indexOf(dialectOf(queryRunner.dataSource.options)));
  }
}
