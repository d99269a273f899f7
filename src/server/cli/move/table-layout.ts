import type { Client } from 'pg';
import { OperatorError } from '../../../platform/common/problem/operator-error.ts';
import type { ExclusiveSqlite } from '../../../platform/database/sqlite/exclusive-sqlite.ts';

export interface TableLayout {
  name: string;
  columns: Column[];
  /** Columns of the primary key, in its order. */
  key: string[];
}

interface Column {
  name: string;
  /** Name of the type in PostgreSQL. */
  type: string;
  /** PostgreSQL's sequence for the ids; null if there is none. */
  sequence: string | null;
}

/** Converts a value to a text that is the same on both databases, and that PostgreSQL reads as `type`. */
interface Spelling {
  sqlite: (column: string) => string;
  postgres: (column: string) => string;
}

const asIs: Spelling = { sqlite: (column) => column, postgres: (column) => column };
const asDigits: Spelling = {
  sqlite: (column) => `CAST(${column} AS text)`,
  postgres: (column) => `CAST(${column} AS text)`,
};
const spellings: Record<string, Spelling> = {
  text: asIs,
  'character varying': asIs,
  integer: asDigits,
  bigint: asDigits,
  boolean: {
    sqlite: (column) => `CAST(${column} AS text)`,
    postgres: (column) => `CAST(CAST(${column} AS integer) AS text)`,
  },
  bytea: {
    // SQLite's hex() of null is an empty text.
    sqlite: (column) => `CASE WHEN ${column} IS NOT NULL THEN '\\x' || lower(hex(${column})) END`,
    postgres: (column) => `'\\x' || encode(${column}, 'hex')`,
  },
};

/**
 * Reads every table of the embedded database, except the record of migrations, each after those it refers to.
 * @throws OperatorError if PostgreSQL does not have the same tables with the same columns
 */
export async function readLayouts(source: ExclusiveSqlite, target: Client): Promise<TableLayout[]> {
  const layouts: TableLayout[] = [];
  for (const name of namesOfTables(source)) {
    const columns = await readColumns(target, name);
    const own = [
      ...source.rows<[string, number]>('SELECT name, pk FROM pragma_table_info(?)', name),
    ];
    requireSame(
      name,
      own.map(([column]) => column),
      columns.map((column) => column.name),
    );
    const key = own.filter(([, place]) => place > 0).sort(([, one], [, other]) => one - other);
    layouts.push({ name, columns, key: key.map(([column]) => column) });
  }
  return layouts;
}

/** Selects the rows in the order of the primary key, each value as a text. */
export function selectFromSqlite({ name, columns, key }: TableLayout): string {
  const values = columns.map((column) => spellingOf(column).sqlite(`t.${quote(column.name)}`));
  const order = key.map((column) => `t.${quote(column)}`);
  return `SELECT ${values.join(', ')} FROM ${quote(name)} AS t ORDER BY ${order.join(', ')}`;
}

/** Selects the same rows in the same order as `selectFromSqlite`. */
export function selectFromPostgres({ name, columns, key }: TableLayout): string {
  const values = columns.map((column) => spellingOf(column).postgres(`t.${quote(column.name)}`));
  const order = key.map((column) => `t.${quote(column)} ${collationOf(columns, column)}`);
  return `SELECT ${values.join(', ')} FROM ${quote(name)} AS t ORDER BY ${order.join(', ')}`;
}

/** Inserts rows from an array of texts for each column. */
export function insertIntoPostgres({ name, columns }: TableLayout): string {
  const names = columns.map((column) => quote(column.name));
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`);
  return `INSERT INTO ${quote(name)} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`;
}

/** Quotes a name for both databases, whatever it contains. */
export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** Lists every table except the record of migrations, each after those it refers to. */
export function namesOfTables(source: ExclusiveSqlite): string[] {
  const waiting = new Map(
    [
      ...source.rows<[string]>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'
         AND name <> 'migration' AND name NOT GLOB '*_migration' ORDER BY name`,
      ),
    ].map(([name]) => [
      name,
      [...source.rows<[string]>('SELECT "table" FROM pragma_foreign_key_list(?)', name)].flat(),
    ]),
  );
  const ordered: string[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.keys()].filter((name) =>
      waiting.get(name)!.every((other) => other === name || !waiting.has(other)),
    );
    if (ready.length === 0) throw new Error(`tables in a circle: ${[...waiting.keys()].join()}`);
    for (const name of ready) waiting.delete(name);
    ordered.push(...ready);
  }
  return ordered;
}

async function readColumns(target: Client, table: string): Promise<Column[]> {
  const { rows } = await target.query<Column>(
    `SELECT CAST(column_name AS text) AS name, CAST(data_type AS text) AS type,
       pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name) AS sequence
     FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  );
  return rows;
}

function requireSame(table: string, own: string[], found: string[]): void {
  if (own.toSorted().join() === found.toSorted().join()) return;
  throw new OperatorError(
    `The table "${table}" has the columns ${own.join(', ')} in the embedded database, but ${found.join(', ') || 'none'} in PostgreSQL.`,
  );
}

function spellingOf({ name, type }: Column): Spelling {
  const spelling = spellings[type];
  if (!spelling) {
    throw new Error(`the column ${name} is of the type ${type}, which cannot be moved`);
  }
  return spelling;
}

/** Makes PostgreSQL compare texts byte by byte, as SQLite does. */
function collationOf(columns: Column[], name: string): string {
  const { type } = columns.find((column) => column.name === name)!;
  return spellings[type] === asIs ? 'COLLATE "C"' : '';
}
