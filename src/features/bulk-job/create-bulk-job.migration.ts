import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  primaryKey,
  reference,
  spellingOf,
  unique,
} from '../../platform/database/migrations/table-parts.ts';

export class CreateBulkJob1795948850493 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE bulk_job (
      id integer NOT NULL,
      workspace_id integer NOT NULL,
      api_token_id integer NOT NULL,
      first_token_id integer NOT NULL,
      request_id text,
      address text,
      action varchar(16) NOT NULL,
      line_bytes integer NOT NULL DEFAULT 0,
      request text NOT NULL,
      ids text,
      undo_of integer,
      last_id integer NOT NULL,
      total integer,
      position text,
      created integer NOT NULL DEFAULT 0,
      changed integer NOT NULL DEFAULT 0,
      unchanged integer NOT NULL DEFAULT 0,
      refused integer NOT NULL DEFAULT 0,
      state varchar(16) NOT NULL DEFAULT 'queued',
      failure_code text,
      failure_detail text,
      created_at bigint NOT NULL,
      started_at bigint,
      ended_at bigint,
      lease_owner bigint NOT NULL DEFAULT 0,
      lease_until bigint NOT NULL DEFAULT 0,
      turn_at bigint NOT NULL,
      ${primaryKey('bulk_job', 'id')},
      ${reference('bulk_job', 'workspace_id', 'workspace', 'RESTRICT')},
      ${reference('bulk_job', 'api_token_id', 'api_token', 'RESTRICT')})`);
    await runner.query(
      'CREATE INDEX bulk_job_workspace_id_created_at_id_idx ON bulk_job (workspace_id, created_at, id)',
    );
    await runner.query(
      'CREATE INDEX bulk_job_turn_at_idx ON bulk_job (turn_at) WHERE "ended_at" IS NULL',
    );
    await runner.query(
      'CREATE INDEX bulk_job_undo_of_idx ON bulk_job (undo_of) WHERE "undo_of" IS NOT NULL',
    );
    await runner.query('CREATE INDEX bulk_job_ended_at_idx ON bulk_job (ended_at)');
    await runner.query(`CREATE TABLE bulk_job_result (
      job_id integer NOT NULL,
      place integer NOT NULL,
      provided_id text,
      team_id integer,
      result varchar(16) NOT NULL,
      code text,
      detail text,
      version_before integer,
      version_after integer,
      token_replaced integer NOT NULL DEFAULT 0,
      ${primaryKey('bulk_job_result', 'job_id', 'place')},
      ${reference('bulk_job_result', 'job_id', 'bulk_job', 'CASCADE')})`);
    const { binaryType, compared, countedId } = spellingOf(runner);
    await runner.query(`CREATE TABLE bulk_job_line (
      ${countedId('bulk_job_line')},
      job_id integer NOT NULL,
      part integer NOT NULL,
      ciphertext ${binaryType} NOT NULL,
      key_id ${compared('varchar(32)')} NOT NULL,
      ${unique('bulk_job_line', 'job_id', 'part')},
      ${reference('bulk_job_line', 'job_id', 'bulk_job', 'CASCADE')})`);
    await runner.query('CREATE INDEX bulk_job_line_key_id_idx ON bulk_job_line (key_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE bulk_job_line');
    await runner.query('DROP TABLE bulk_job_result');
    await runner.query('DROP TABLE bulk_job');
  }
}
