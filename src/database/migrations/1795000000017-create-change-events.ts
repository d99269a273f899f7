import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { dialectOf } from '../dialect.ts';
import { generatedId } from './table-parts.ts';

/** What caches hold is read from these tables. */
const CACHED_TABLES = [
  'api_token',
  'data_source_mapping',
  'registered_data_source',
  'registered_schema',
  'user_group',
  'user_group_token',
  'workspace',
];

export class CreateChangeEvents1795000000017 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { options } = queryRunner.dataSource;
    await queryRunner.createTable(
      new Table({
        name: 'change_event',
        columns: [
          { ...generatedId('change_event'), type: dialectOf(options).countingType },
          { name: 'transaction_id', type: 'bigint' },
          { name: 'workspace_id', type: 'integer', isNullable: true },
          { name: 'kind', type: 'text' },
          { name: 'user_group_id', type: 'integer', isNullable: true },
          { name: 'object_id', type: 'text', isNullable: true },
          { name: 'occurred_at', type: 'bigint' },
        ],
        indices: [{ name: 'change_event_transaction_id_idx', columnNames: ['transaction_id'] }],
      }),
    );
    if (options.type === 'postgres') await recordForeignWrites(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (queryRunner.dataSource.options.type === 'postgres') {
      for (const table of CACHED_TABLES) {
        await queryRunner.query(`DROP TRIGGER ${table}_foreign_write ON ${table}`);
      }
      await queryRunner.query('DROP FUNCTION change_event_foreign_write()');
    }
    await queryRunner.dropTable('change_event');
  }
}

/**
 * Makes PostgreSQL itself record that caches are out of date when somebody writes who records no
 * changes: a version of the service before this one, or an operator by SQL. SQLite tells every
 * process that another has written.
 */
async function recordForeignWrites(queryRunner: QueryRunner): Promise<void> {
  const [{ schema }] = (await queryRunner.query(
    'SELECT quote_ident(current_schema()) AS schema',
  )) as [{ schema: string }];
  // With the rights of the owner: whoever may write one of the tables need not have any on this one.
  await queryRunner.query(`
    CREATE FUNCTION change_event_foreign_write() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      INSERT INTO ${schema}.change_event (transaction_id, kind, occurred_at)
      VALUES (CAST(CAST(pg_current_xact_id() AS text) AS bigint), 'database.write',
        CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint));
      RETURN NULL;
    END $$`);
  await queryRunner.query('REVOKE EXECUTE ON FUNCTION change_event_foreign_write() FROM PUBLIC');
  for (const table of CACHED_TABLES) {
    await queryRunner.query(`
      CREATE TRIGGER ${table}_foreign_write AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT WHEN (current_setting('user_groups.records_changes', true) IS DISTINCT FROM 'on')
      EXECUTE FUNCTION change_event_foreign_write()`);
  }
}
