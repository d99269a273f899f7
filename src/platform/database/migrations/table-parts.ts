import { type Dialect, dialectOf } from '../dialect.ts';
import type { QueryRunner } from 'typeorm';

/** Parts of the statements that create tables, which differ between the two databases. */
export interface Spelling extends Pick<Dialect, 'binaryType'> {
  isPostgres: boolean;
  /**
   * The type of a text column that an index has, or such a column with another type. The order of no other collation
   * than that of code points stays the same when the operating system below PostgreSQL is replaced.
   */
  compared: (type: string) => string;
  /** A primary key that the database counts up, such as `team_id`. */
  countedId: (table: string) => string;
  /** A primary key for a table with more rows than 32 bits can count. */
  longCountedId: (table: string) => string;
}

export function spellingOf({ dataSource }: QueryRunner): Spelling {
  const { binaryType, byCodePoint } = dialectOf(dataSource.options);
  const isPostgres = dataSource.options.type === 'postgres';
  const counted = (type: string) => (table: string) =>
    isPostgres
      ? `id ${type} NOT NULL, ${primaryKey(table, 'id')}`
      : '"id" integer PRIMARY KEY AUTOINCREMENT NOT NULL';
  const [countedId, longCountedId] = [counted('serial'), counted('bigserial')];
  return { binaryType, compared: byCodePoint, isPostgres, countedId, longCountedId };
}

// TypeORM reads the names of constraints from the text of the statement on SQLite: in these forms alone.

export function primaryKey(table: string, ...columns: string[]): string {
  return `CONSTRAINT "${table}_pkey" PRIMARY KEY (${listOf(columns)})`;
}

export function unique(table: string, ...columns: string[]): string {
  return `CONSTRAINT "${table}_${columns.join('_')}_key" UNIQUE (${listOf(columns)})`;
}

/** A column that holds the id of a row in another table. */
export function reference(
  table: string,
  column: string,
  to: string,
  onDelete: 'CASCADE' | 'RESTRICT',
): string {
  return `CONSTRAINT "${table}_${column}_fkey" FOREIGN KEY ("${column}") REFERENCES "${to}" ("id") ON DELETE ${onDelete}`;
}

function listOf(columns: string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}
