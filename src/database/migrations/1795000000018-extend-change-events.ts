import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, dropColumns } from './table-parts.ts';

const eventColumns = { public_id: 'bigint', version: 'bigint' };
const groupColumns = { version: 'integer NOT NULL DEFAULT 1' };

export class ExtendChangeEvents1795000000018 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'change_event', eventColumns);
    await addColumns(queryRunner, 'user_group', groupColumns);
    if (isPostgres(queryRunner)) await drawPublicIds(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (isPostgres(queryRunner)) {
      await queryRunner.query('DROP TRIGGER change_event_public_id ON change_event');
      await queryRunner.query('DROP FUNCTION change_event_draw_public_id()');
    }
    await dropColumns(queryRunner, 'user_group', groupColumns);
    await dropColumns(queryRunner, 'change_event', eventColumns);
  }
}

/**
 * Gives an id to the events of those who bring none: a version of the service before this one, and
 * PostgreSQL itself for foreign writes.
 */
async function drawPublicIds(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE FUNCTION change_event_draw_public_id() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      NEW.public_id := CAST(floor(random() * 9007199254740991) AS bigint);
      RETURN NEW;
    END $$`);
  await queryRunner.query('REVOKE EXECUTE ON FUNCTION change_event_draw_public_id() FROM PUBLIC');
  await queryRunner.query(`
    CREATE TRIGGER change_event_public_id BEFORE INSERT ON change_event
    FOR EACH ROW WHEN (NEW.public_id IS NULL) EXECUTE FUNCTION change_event_draw_public_id()`);
}

function isPostgres({ dataSource }: QueryRunner): boolean {
  return dataSource.options.type === 'postgres';
}
