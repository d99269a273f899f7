import type { TableColumnOptions, TableForeignKeyOptions } from 'typeorm';

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
