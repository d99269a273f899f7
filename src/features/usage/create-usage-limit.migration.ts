import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  primaryKey,
  reference,
  spellingOf,
} from '../../platform/database/migrations/table-parts.ts';

export class CreateUsageLimit1796021471486 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { compared } = spellingOf(runner);
    await runner.query(`CREATE TABLE usage_limit (
      user_group_id integer NOT NULL,
      embed_tokens_per_day bigint,
      users_per_month bigint,
      refuses integer NOT NULL,
      refused_until bigint,
      ${primaryKey('usage_limit', 'user_group_id')},
      ${reference('usage_limit', 'user_group_id', 'user_group', 'CASCADE')})`);
    await runner.query(`CREATE TABLE usage_notice (
      user_group_id integer NOT NULL,
      limit_name ${compared('varchar(20)')} NOT NULL,
      start_at bigint NOT NULL,
      limit_value bigint NOT NULL,
      level ${compared('varchar(7)')} NOT NULL,
      end_at bigint NOT NULL,
      ${primaryKey('usage_notice', 'user_group_id', 'limit_name', 'start_at', 'limit_value', 'level')})`);
    await runner.query('CREATE INDEX usage_notice_end_at_idx ON usage_notice (end_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_notice');
    await runner.query('DROP TABLE usage_limit');
  }
}
