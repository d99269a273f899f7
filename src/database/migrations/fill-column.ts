import type { QueryRunner } from 'typeorm';

/** A column that the previous version does not write, with the value for a row without it. */
export interface FilledColumn {
  table: string;
  column: string;
  /** SQL, in which `NEW` is the row. */
  value: string;
}

/**
 * Lets the database fill a column that a new row leaves out, so that the previous version can go on
 * inserting.
 */
export async function fillOnInsert(queryRunner: QueryRunner, filled: FilledColumn): Promise<void> {
  const isPostgres = queryRunner.dataSource.options.type === 'postgres';
  for (const sql of isPostgres ? onPostgres(filled) : onSqlite(filled)) {
    await queryRunner.query(sql);
  }
}

/** Undoes `fillOnInsert`. */
export async function dropFillOnInsert(
  queryRunner: QueryRunner,
  filled: Omit<FilledColumn, 'value'>,
): Promise<void> {
  const name = nameOf(filled);
  if (queryRunner.dataSource.options.type !== 'postgres') {
    await queryRunner.query(`DROP TRIGGER ${name}`);
    return;
  }
  await queryRunner.query(`DROP TRIGGER ${name} ON ${filled.table}`);
  await queryRunner.query(`DROP FUNCTION ${name}()`);
}

/** A trigger; for rows that have the column PostgreSQL only evaluates its condition. */
function onPostgres(filled: FilledColumn): string[] {
  const { table, column, value } = filled;
  const name = nameOf(filled);
  return [
    `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       NEW.${column} := ${value};
       RETURN NEW;
     END $$`,
    `CREATE OR REPLACE TRIGGER ${name} BEFORE INSERT ON ${table} FOR EACH ROW
     WHEN (NEW.${column} IS NULL) EXECUTE FUNCTION ${name}()`,
  ];
}

function onSqlite(filled: FilledColumn): string[] {
  const { table, column, value } = filled;
  return [
    `CREATE TRIGGER ${nameOf(filled)} AFTER INSERT ON ${table} WHEN NEW.${column} IS NULL
     BEGIN
       UPDATE ${table} SET ${column} = ${value} WHERE rowid = NEW.rowid;
     END`,
  ];
}

function nameOf({ table, column }: Omit<FilledColumn, 'value'>): string {
  return `${table}_fill_${column}`;
}
