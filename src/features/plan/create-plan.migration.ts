import type { MigrationInterface, QueryRunner } from 'typeorm';
import { primaryKey, reference } from '../../platform/database/migrations/table-parts.ts';

export class CreatePlan1796020893017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE user_group_plan (
      id integer NOT NULL,
      workspace_id integer NOT NULL,
      set_name text NOT NULL,
      rules_version integer NOT NULL,
      watched text NOT NULL,
      members integer NOT NULL,
      counts text NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      applied_at bigint,
      ${primaryKey('user_group_plan', 'id')},
      ${reference('user_group_plan', 'workspace_id', 'workspace', 'RESTRICT')})`);
    await runner.query(
      'CREATE INDEX user_group_plan_workspace_id_created_at_id_idx ON user_group_plan (workspace_id, created_at, id)',
    );
    await runner.query(
      'CREATE INDEX user_group_plan_expires_at_idx ON user_group_plan (expires_at)',
    );
    await runner.query(`CREATE TABLE user_group_plan_change (
      plan_id integer NOT NULL,
      place integer NOT NULL,
      action varchar(10) NOT NULL,
      provided_id text NOT NULL,
      team_id integer,
      version integer,
      wanted text NOT NULL,
      ${primaryKey('user_group_plan_change', 'plan_id', 'place')},
      ${reference('user_group_plan_change', 'plan_id', 'user_group_plan', 'CASCADE')})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE user_group_plan_change');
    await runner.query('DROP TABLE user_group_plan');
  }
}
