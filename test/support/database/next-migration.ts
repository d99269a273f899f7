import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Plugin } from '../../../src/platform/common/extension/plugin.ts';
import type { Config } from '../../../src/platform/config/config.ts';

/** No migration of the service ever comes after it. */
class AddNote9999999999901 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE encryption_key ADD COLUMN note text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE encryption_key DROP COLUMN note');
  }
}

const plugin = new Plugin({
  name: 'next',
  compatibility: '^0.1.0',
  migrations: [AddNote9999999999901],
});

/** With a migration that follows those of the service and takes every table for itself, as that of a later version. */
export function withNextMigration(config: Config): Config {
  return { ...config, plugins: [plugin] };
}
