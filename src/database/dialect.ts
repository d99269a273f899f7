import type { DataSourceOptions } from 'typeorm';

/** What the two databases spell differently; nothing else in the service knows which one it is on. */
export interface Dialect {
  /** Suffix that locks the selected rows of `alias` against other writers until the transaction ends. */
  lockRows: (alias: string) => string;
  /** Aggregate that collects its argument over all rows into one JSON array. */
  jsonArrayOf: string;
  /** Function that makes one JSON array of its arguments. */
  jsonArray: string;
  /** Whether the JSON object in a text has a member of this name. */
  hasMember: (object: string, name: string) => string;
  /** Whether it has this member, and its value is the JSON scalar in the text `value`. */
  memberIs: (object: string, name: string, value: string) => string;
  /** Whether a text is one of those of the JSON array in a text parameter; an index finds them. */
  isOneOf: (column: string, parameter: string) => string;
  /** Column type of a primary key that is counted beyond 32 bits. */
  countingType: 'bigint' | 'integer';
  /** Column type of raw bytes. */
  binaryType: 'bytea' | 'blob';
  /** Table with a row for each element of a JSON array, in the column `value`; its alias is `e`. */
  elementsOf: (jsonArray: string) => string;
  /** The number that a text spells in one to nine canonical digits; null for any other text. */
  numberOf: (text: string) => string;
  /**
   * Locks what has this number until the transaction ends: `lockAlone` against all other
   * transactions, `tryLockTogether` together with others that do. This waits for nothing; its one row
   * says in `isLocked` whether it could, and it cannot while another waits to `lockAlone`.
   */
  tryLockTogether: (number: string) => string;
  lockAlone: (number: string) => string;
  /** Placeholder of the n-th value, counted from 1. */
  placeholder: (n: number) => string;
}

/** How long a statement waits for a row that another transaction has locked. */
export const LOCK_WAIT_MS = 1500;

/** First half of the key of an advisory lock; any number that no other program uses in the same database. */
const LOCK_CLASS = 1_953_068_402;

const postgres: Dialect = {
  // Not FOR UPDATE: that would also wait for rows which merely refer to the locked one.
  lockRows: (alias) => `FOR NO KEY UPDATE OF ${alias}`,
  jsonArrayOf: 'json_agg',
  jsonArray: 'json_build_array',
  hasMember: (object, name) => `${memberOf(object, name)} IS NOT NULL`,
  memberIs: (object, name, value) => `${memberOf(object, name)} = CAST(${value} AS jsonb)`,
  // Not IN: that would be planned as a join, and on a table that has just grown as a scan of it.
  isOneOf: (column, parameter) =>
    `${column} = ANY(ARRAY(SELECT json_array_elements_text(CAST(${parameter} AS json))))`,
  countingType: 'bigint',
  binaryType: 'bytea',
  elementsOf: (jsonArray) => `json_array_elements(CAST(${jsonArray} AS json)) AS e(value)`,
  numberOf: (text) => `CASE WHEN ${text} ~ '^[1-9][0-9]{0,8}$' THEN CAST(${text} AS integer) END`,
  // Not a row lock: many that share one would starve who wants it alone.
  tryLockTogether: (number) =>
    `SELECT pg_try_advisory_xact_lock_shared(${LOCK_CLASS}, ${number}) AS "isLocked"`,
  lockAlone: (number) => `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${number})`,
  placeholder: (n) => `$${n}`,
};

const sqlite: Dialect = {
  // A transaction holds the write lock of the whole database from its first statement.
  lockRows: () => '',
  jsonArrayOf: 'json_group_array',
  jsonArray: 'json_array',
  // Not by a path: SQLite's paths cannot spell every name.
  hasMember: (object, name) =>
    `EXISTS (SELECT 1 FROM json_each(${object}) AS member WHERE member.key = ${name})`,
  memberIs: (object, name, value) =>
    `EXISTS (SELECT 1 FROM json_each(${object}) AS member WHERE member.key = ${name}
       AND member.type = json_type(${value}) AND member.atom IS json_extract(${value}, '$'))`,
  isOneOf: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  // SQLite's integers have 64 bits, and it counts no other type.
  countingType: 'integer',
  binaryType: 'blob',
  elementsOf: (jsonArray) => `json_each(${jsonArray}) AS e`,
  numberOf: (text) =>
    `CASE WHEN ${text} GLOB '[1-9]*' AND ${text} NOT GLOB '*[^0-9]*' AND length(${text}) <= 9
     THEN CAST(${text} AS integer) END`,
  // As with `lockRows`.
  tryLockTogether: (number) => `SELECT ${number} IS NOT NULL AS "isLocked"`,
  lockAlone: (number) => `SELECT ${number}`,
  placeholder: () => '?',
};

/** On PostgreSQL: SQL's null if there is no such member, JSON's if its value is null. */
function memberOf(object: string, name: string): string {
  return `(CAST(${object} AS jsonb) -> CAST(${name} AS text))`;
}

export function dialectOf(options: DataSourceOptions): Dialect {
  return options.type === 'postgres' ? postgres : sqlite;
}
