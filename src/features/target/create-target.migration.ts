import type { MigrationInterface, QueryRunner } from 'typeorm';
import { reference, spellingOf, unique } from '../../platform/database/migrations/table-parts.ts';

export class CreateTarget1795935787957 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { binaryType, compared, countedId } = spellingOf(runner);
    await runner.query(`CREATE TABLE target (
      ${countedId('target')},
      workspace_id integer NOT NULL,
      name ${compared('varchar(64)')} NOT NULL,
      definition text NOT NULL,
      ciphertext ${binaryType},
      key_id ${compared('varchar(32)')},
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      ${unique('target', 'workspace_id', 'name')},
      ${reference('target', 'workspace_id', 'workspace', 'RESTRICT')})`);
    await runner.query('CREATE INDEX target_key_id_idx ON target (key_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE target');
  }
}
