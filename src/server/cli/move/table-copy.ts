import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import type { ExclusiveSqlite } from '../../../platform/database/sqlite/exclusive-sqlite.ts';
import {
  insertIntoPostgres,
  quote,
  selectFromPostgres,
  selectFromSqlite,
  type TableLayout,
} from './table-layout.ts';

/** A table that is equal on both databases. */
export interface MovedTable {
  name: string;
  rows: number;
  /** SHA-256 in hexadecimal digits of all rows, in the order of the primary key. */
  digest: string;
}

type Row = (string | null)[];

/** Few enough that the longest possible rows take some megabytes. */
const BATCH = 500;

/**
 * Copies the table in batches.
 * @param advance called with the number of further rows
 * @returns the content that was read
 */
export async function copyTable(
  source: ExclusiveSqlite,
  target: Client,
  table: TableLayout,
  advance: (rows: number) => void,
): Promise<MovedTable> {
  const content = new Content(table.name);
  const insert = insertIntoPostgres(table);
  const flush = async (rows: Row[]) => {
    await target.query(
      insert,
      table.columns.map((_, index) => rows.map((row) => row[index])),
    );
    content.add(rows);
    advance(rows.length);
  };
  let batch: Row[] = [];
  for (const row of source.rows<Row>(selectFromSqlite(table))) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    await flush(batch);
    batch = [];
  }
  if (batch.length > 0) await flush(batch);
  return content.sum();
}

/** Reads the content of the target's table, in the form of `copyTable`. */
export async function readBack(
  target: Client,
  table: TableLayout,
  advance: (rows: number) => void,
): Promise<MovedTable> {
  const content = new Content(table.name);
  await target.query(`DECLARE stored NO SCROLL CURSOR FOR ${selectFromPostgres(table)}`);
  for (;;) {
    const fetch = { text: `FETCH ${BATCH} FROM stored`, rowMode: 'array' as const };
    const { rows } = await target.query<Row>(fetch);
    if (rows.length === 0) break;
    content.add(rows);
    advance(rows.length);
  }
  await target.query('CLOSE stored');
  return content.sum();
}

/**
 * Sets the next id of the table to one that the embedded database has never assigned, not even to a deleted row.
 * PostgreSQL does not undo this with the transaction.
 */
export async function continueCounting(
  source: ExclusiveSqlite,
  target: Client,
  { name, columns }: TableLayout,
): Promise<void> {
  for (const column of columns.filter(({ sequence }) => sequence !== null)) {
    const given = source.rows<[string]>(
      'SELECT CAST(seq AS text) FROM sqlite_sequence WHERE name = ?',
      name,
    );
    const [[last] = ['0']] = [...given];
    await target.query(
      `SELECT setval($1, GREATEST(last, 1), last > 0)
       FROM (SELECT GREATEST(max(${quote(column.name)}), $2::bigint) AS last FROM ${quote(name)}) AS t`,
      [column.sequence, last],
    );
  }
}

class Content {
  private count = 0;
  private readonly hash = createHash('sha256');

  constructor(private readonly name: string) {}

  add(rows: Row[]): void {
    this.count += rows.length;
    for (const row of rows) this.hash.update(`${JSON.stringify(row)}\n`);
  }

  sum(): MovedTable {
    return { name: this.name, rows: this.count, digest: this.hash.digest('hex') };
  }
}
