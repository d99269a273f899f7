import type { QueryRunner, TableColumnOptions, TableForeignKeyOptions } from 'typeorm';

/** A primary key that the database counts up: `team_id` and its like. */
export function generatedId(table: string): TableColumnOptions {
  return {
    ...primaryKey(table, 'id', 'integer'),
    isGenerated: true,
    generationStrategy: 'increment',
  };
}

/** One column of a primary key; several of them make it together. */
export function primaryKey(table: string, name: string, type: string): TableColumnOptions {
  return { name, type, isPrimary: true, primaryKeyConstraintName: `${table}_pkey` };
}

/** A column that holds the id of a row in another table. */
export function reference(
  table: string,
  column: string,
  to: string,
  onDelete: 'CASCADE' | 'RESTRICT',
): TableForeignKeyOptions {
  return {
    name: `${table}_${column}_fkey`,
    columnNames: [column],
    referencedTableName: to,
    referencedColumnNames: ['id'],
    onDelete,
  };
}

/**
 * Adds columns that may be null or have a default, by the statement that both databases do without touching a row;
 * TypeORM would copy the whole table on SQLite.
 */
export async function addColumns(
  queryRunner: QueryRunner,
  table: string,
  columns: Record<string, string>,
): Promise<void> {
  for (const [name, type] of Object.entries(columns)) {
    await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  }
}

/** Undoes `addColumns`. */
export async function dropColumns(
  queryRunner: QueryRunner,
  table: string,
  columns: Record<string, string>,
): Promise<void> {
  for (const name of Object.keys(columns)) {
    await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${name}`);
  }
}
