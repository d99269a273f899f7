import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddKeyForgottenAt1795000000006 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE encryption_key ADD COLUMN forgotten_at bigint');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE encryption_key DROP COLUMN forgotten_at');
  }
}
