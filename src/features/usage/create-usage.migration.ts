import type { MigrationInterface, QueryRunner } from 'typeorm';
import { primaryKey, spellingOf } from '../../platform/database/migrations/table-parts.ts';

export class CreateUsage1796007576508 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { binaryType, compared } = spellingOf(runner);
    await runner.query(`CREATE TABLE usage_count (
      workspace_id integer NOT NULL,
      user_group_id integer NOT NULL,
      unit ${compared('varchar(5)')} NOT NULL,
      start_at bigint NOT NULL,
      end_at bigint NOT NULL,
      views bigint NOT NULL DEFAULT 0,
      embed_tokens bigint NOT NULL DEFAULT 0,
      introspections bigint NOT NULL DEFAULT 0,
      users bigint NOT NULL DEFAULT 0,
      ${primaryKey('usage_count', 'workspace_id', 'user_group_id', 'unit', 'start_at')})`);
    await runner.query('CREATE INDEX usage_count_end_at_idx ON usage_count (end_at)');
    await runner.query(
      `CREATE INDEX usage_count_busiest_idx
        ON usage_count (workspace_id, unit, start_at, views, embed_tokens, introspections, user_group_id)
        WHERE "unit" <> 'hour' AND "user_group_id" > 0`,
    );
    await runner.query(`CREATE TABLE usage_user (
      workspace_id integer NOT NULL,
      user_group_id integer NOT NULL,
      unit ${compared('varchar(5)')} NOT NULL,
      start_at bigint NOT NULL,
      user_hash ${binaryType} NOT NULL,
      end_at bigint NOT NULL,
      ${primaryKey('usage_user', 'workspace_id', 'user_group_id', 'unit', 'start_at', 'user_hash')})`);
    await runner.query('CREATE INDEX usage_user_end_at_idx ON usage_user (end_at)');
    await runner.query(`CREATE TABLE usage_batch (
      workspace_id integer NOT NULL,
      batch_id ${compared('varchar(255)')} NOT NULL,
      body_hash ${binaryType} NOT NULL,
      result text NOT NULL,
      expires_at bigint NOT NULL,
      ${primaryKey('usage_batch', 'workspace_id', 'batch_id')})`);
    await runner.query('CREATE INDEX usage_batch_expires_at_idx ON usage_batch (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_batch');
    await runner.query('DROP TABLE usage_user');
    await runner.query('DROP TABLE usage_count');
  }
}
