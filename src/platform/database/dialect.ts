import type { DataSourceOptions } from 'typeorm';

/** The differences between the two databases; no other code depends on the database in use. */
export interface Dialect {
  kind: 'postgres' | 'sqlite';
  /** Version of the server or the library. */
  serverVersion: string;
  /**
   * Table with a row for each connection of this database user that polls the changes: when it was opened, and when its
   * last poll began, in milliseconds; undefined if the database does not list them.
   */
  pollers: string | undefined;
  /** The clock of the database, in milliseconds since 1970; undefined if it is that of this process. */
  clock: string | undefined;
  /** Suffix that locks the selected rows of `alias` against other writers until the transaction ends, or as it says. */
  lockRows: (alias: string, strength?: LockStrength) => string;
  /** Suffix that locks like `lockRows`, but skips rows that another transaction has locked. */
  lockFreeRows: (alias: string, strength?: LockStrength) => string;
  /** Function that returns the greatest of its arguments, none of which is null. */
  greatest: string;
  /** Aggregate that collects its argument over all rows into one JSON array. */
  jsonArrayOf: string;
  /** Function that makes one JSON array of its arguments. */
  jsonArray: string;
  /** Whether the JSON object in a text has a member of this name. */
  hasMember: (object: string, name: string) => string;
  /** Whether the object has this member, and its value is the JSON scalar in the text `value`. */
  memberIs: (object: string, name: string, value: string) => string;
  /** A member of an object that is a whole number; null if it is missing. */
  numberIn: (object: string, name: string) => string;
  /** Converts a value of a JSON array to this type. */
  valueOf: (value: string, type: RecordType) => string;
  /** Whether a column has one of the values of the JSON array in a text parameter; uses an index. */
  isOneOf: (column: string, parameter: string, type?: RecordType) => string;
  /** Whether a column has one of the values that a query selects; uses an index. */
  isAmong: (column: string, query: string) => string;
  /**
   * Selects rows for each key of the JSON array in a text parameter. Each key uses the index even if the table is
   * small: a plan outlives the size that it was made for. Rows of one key are adjacent; `ORDER BY` applies to them
   * alone.
   */
  forEachKey: (parameter: string, select: (key: KeyTest) => string) => string;
  /** Sorts a text by its code points, whatever the collation of the database. */
  byCodePoint: (text: string) => string;
  /** Column type of a primary key that is counted beyond 32 bits. */
  countingType: 'bigint' | 'integer';
  binaryType: 'bytea' | 'blob';
  /** Converts raw bytes to lower-case hexadecimal digits. */
  toHex: (bytes: string) => string;
  fromHex: (text: string) => string;
  /**
   * Table with a row for each object of the JSON array in a text parameter, and a column for each member; its alias is
   * `r`. A `bytes` member is a text of `toBytesText`.
   */
  recordsOf: (parameter: string, columns: Record<string, RecordType>) => string;
  /** The next number of a table's primary key, for a column `id`. */
  nextId: (table: string) => string;
  /** The number of the current transaction; 0 if transactions cannot overlap. */
  transactionId: string;
  /** Orders the rows that a statement locks, if transactions could otherwise deadlock. */
  lockingOrder: (column: string) => string;
  /** The number that a text spells in one to nine canonical digits; null for any other text. */
  numberOf: (text: string) => string;
  /**
   * Tries to acquire the shared lock of this number until the transaction ends, without waiting; false while another
   * transaction holds the exclusive lock or waits for it.
   */
  tryLockShared: (number: string) => string;
  /** Waits for the exclusive lock of this number, and holds it until the transaction ends. */
  lockExclusive: (number: string) => string;
  /** Placeholder of the n-th value, counted from 1. */
  placeholder: (n: number) => string;
}

/** `KEY SHARE` keeps a row from being removed, `UPDATE` also what refers to it from being added. */
type LockStrength = 'KEY SHARE' | 'SHARE' | 'NO KEY UPDATE' | 'UPDATE';

/** Conditions on the current key of `forEachKey`. */
interface KeyTest {
  /** @param fromText converts a key to the column's type, if that is not text */
  is: (column: string, fromText?: (text: string) => string) => string;
  /** Whether the column is the result of a query by the key, which has one row at most. */
  leadsTo: (column: string, query: string) => string;
}

/** Types in a JSON parameter; any value can be null. */
export type RecordType = 'text' | 'integer' | 'bigint' | 'bytes';

/** Encodes bytes for a JSON parameter. */
export function toBytesText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

/**
 * Members of records, and the columns that store them: each is named as its member, in snake case. For `INSERT INTO …
 * (columns) SELECT members FROM recordsOf(…)`.
 */
export function columnsOf(records: Record<string, RecordType>): {
  columns: string;
  members: string;
} {
  const names = Object.keys(records);
  return {
    columns: names.map(columnOf).join(', '),
    members: names.map((name) => `"${name}"`).join(', '),
  };
}

/** The column that stores a member. */
export function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A statement waits this long for a row that another transaction has locked. */
export const LOCK_WAIT_MS = 1500;

/** The clock of PostgreSQL, in milliseconds since 1970. */
export const SERVER_TIME =
  'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS double precision)';

/** First half of the key of an advisory lock; a number that no other program uses in the same database. */
const LOCK_CLASS = 1_953_068_402;

/** Makes the conditions on a key that is the value of an SQL expression. */
const keyOf = (text: string): KeyTest => ({
  is: (column, fromText = asItIs) => `${column} = ${fromText(text)}`,
  leadsTo: (column, query) => `${column} = (${query})`,
});

const postgres: Dialect = {
  kind: 'postgres',
  serverVersion: "split_part(current_setting('server_version'), ' ', 1)",
  pollers: `(SELECT CAST(extract(epoch FROM backend_start) * 1000 AS bigint) AS "connectedAt",
      CAST(extract(epoch FROM query_start) * 1000 AS bigint) AS "polledAt"
    FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
      AND application_name = 'user-group-service poll' AND query_start IS NOT NULL) AS poller`,
  clock: SERVER_TIME,
  // FOR UPDATE would also wait for rows that merely refer to the locked one.
  lockRows: (alias, strength = 'NO KEY UPDATE') => `FOR ${strength} OF ${alias}`,
  lockFreeRows: (alias, strength = 'NO KEY UPDATE') => `FOR ${strength} OF ${alias} SKIP LOCKED`,
  greatest: 'greatest',
  jsonArrayOf: 'json_agg',
  jsonArray: 'json_build_array',
  hasMember: (object, name) => `${memberOf(object, name)} IS NOT NULL`,
  memberIs: (object, name, value) => `${memberOf(object, name)} = CAST(${value} AS jsonb)`,
  numberIn: (object, name) => `CAST(CAST(${object} AS jsonb) ->> '${name}' AS integer)`,
  valueOf: (value, type) => `CAST(${value} AS ${postgresType(type)})`,
  // IN would be planned as a join, and on a table that has just grown as a scan of it.
  isOneOf: (column, parameter, type = 'text') =>
    postgres.isAmong(
      column,
      `SELECT ${postgres.valueOf(`json_array_elements_text(CAST(${parameter} AS json))`, type)}`,
    ),
  isAmong: (column, query) => `${column} = ANY(ARRAY(${query}))`,
  // OFFSET keeps the planner from making a join of it, which on small tables would scan them.
  forEachKey: (parameter, select) => `
    SELECT found.* FROM json_array_elements_text(CAST(${parameter} AS json)) AS k(value)
    CROSS JOIN LATERAL (${select(keyOf('k.value'))} OFFSET 0) AS found`,
  byCodePoint: (text) => `${text} COLLATE "C"`,
  countingType: 'bigint',
  binaryType: 'bytea',
  toHex: (bytes) => `encode(${bytes}, 'hex')`,
  fromHex: (text) => `decode(${text}, 'hex')`,
  recordsOf: (parameter, columns) => {
    const list = Object.entries(columns).map(([name, type]) => `"${name}" ${postgresType(type)}`);
    return `json_to_recordset(CAST(${parameter} AS json)) AS r(${list.join(', ')})`;
  },
  nextId: (table) => `nextval(pg_get_serial_sequence('${table}', 'id'))`,
  transactionId: 'CAST(CAST(pg_current_xact_id() AS text) AS bigint)',
  lockingOrder: (column) => `ORDER BY ${column}`,
  numberOf: (text) => `CASE WHEN ${text} ~ '^[1-9][0-9]{0,8}$' THEN CAST(${text} AS integer) END`,
  // A stream of shared row locks would starve a waiting exclusive one.
  tryLockShared: (number) => `pg_try_advisory_xact_lock_shared(${LOCK_CLASS}, ${number})`,
  lockExclusive: (number) => `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${number})`,
  placeholder: (n) => `$${n}`,
};

const sqlite: Dialect = {
  kind: 'sqlite',
  serverVersion: 'sqlite_version()',
  pollers: undefined,
  clock: undefined,
  // A transaction holds the write lock of the whole database from its first statement.
  lockRows: () => '',
  lockFreeRows: () => '',
  greatest: 'max',
  jsonArrayOf: 'json_group_array',
  jsonArray: 'json_array',
  // SQLite's JSON paths cannot spell every name.
  hasMember: (object, name) =>
    `EXISTS (SELECT 1 FROM json_each(${object}) AS member WHERE member.key = ${name})`,
  memberIs: (object, name, value) =>
    `EXISTS (SELECT 1 FROM json_each(${object}) AS member WHERE member.key = ${name}
       AND member.type = json_type(${value}) AND member.atom IS json_extract(${value}, '$'))`,
  numberIn: (object, name) => `json_extract(${object}, '$.${name}')`,
  valueOf: (value, type) => (type === 'bytes' ? `unhex(substr(${value}, 3))` : value),
  isOneOf: (column, parameter, type = 'text') =>
    sqlite.isAmong(column, `SELECT ${sqlite.valueOf('value', type)} FROM json_each(${parameter})`),
  isAmong: (column, query) => `${column} IN (${query})`,
  forEachKey: (parameter, select) =>
    select({
      is: (column, fromText = asItIs) =>
        `${column} IN (SELECT ${fromText('value')} FROM json_each(${parameter}))`,
      leadsTo: (column, query) => `${column} IN (${query})`,
    }),
  byCodePoint: asItIs,
  // SQLite's integers have 64 bits, and it counts no other type.
  countingType: 'integer',
  binaryType: 'blob',
  toHex: (bytes) => `lower(hex(${bytes}))`,
  fromHex: (text) => `unhex(${text})`,
  recordsOf: (parameter, columns) => {
    const list = Object.entries(columns).map(
      ([name, type]) => `${sqlite.valueOf(`value ->> '$.${name}'`, type)} AS "${name}"`,
    );
    return `(SELECT ${list.join(', ')} FROM json_each(${parameter})) AS r`;
  },
  nextId: () => 'NULL',
  transactionId: '0',
  // SQLite has one writer.
  lockingOrder: () => '',
  numberOf: (text) =>
    `CASE WHEN ${text} GLOB '[1-9]*' AND ${text} NOT GLOB '*[^0-9]*' AND length(${text}) <= 9
     THEN CAST(${text} AS integer) END`,
  // The transaction already holds the write lock.
  tryLockShared: (number) => `${number} IS NOT NULL`,
  lockExclusive: (number) => `SELECT ${number}`,
  placeholder: () => '?',
};

function postgresType(type: RecordType): string {
  return type === 'bytes' ? 'bytea' : type;
}

function asItIs(text: string): string {
  return text;
}

/** On PostgreSQL: returns SQL's null for a missing member, JSON's null for a null. */
function memberOf(object: string, name: string): string {
  return `(CAST(${object} AS jsonb) -> CAST(${name} AS text))`;
}

export function dialectOf(options: DataSourceOptions): Dialect {
  return options.type === 'postgres' ? postgres : sqlite;
}

/**
 * Returns the dialect for a statement some of whose lists have one element: that is an ordinary value, and a record a
 * value for each member, as in `:groups.name`. Reading JSON takes a fifth of an insert.
 * @param isOne whether the list parameter, as `:groups`, has one element
 */
export function oneRecordDialect(dialect: Dialect, isOne: (parameter: string) => boolean): Dialect {
  const { valueOf } = dialect;
  return {
    ...dialect,
    isOneOf: (column, parameter, type = 'text') =>
      isOne(parameter)
        ? `${column} = ${valueOf(parameter, type)}`
        : dialect.isOneOf(column, parameter, type),
    forEachKey: (parameter, select) =>
      isOne(parameter)
        ? select(keyOf(valueOf(parameter, 'text')))
        : dialect.forEachKey(parameter, select),
    recordsOf: (parameter, columns) => {
      if (!isOne(parameter)) return dialect.recordsOf(parameter, columns);
      const list = Object.entries(columns).map(
        ([name, type]) => `${valueOf(`${parameter}.${name}`, type)} AS "${name}"`,
      );
      return `(SELECT ${list.join(', ')}) AS r`;
    },
  };
}
