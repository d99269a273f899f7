import type { DataSourceOptions } from 'typeorm';

/** The differences between the two databases; nothing else in the service knows which one it is on. */
export interface Dialect {
  kind: 'postgres' | 'sqlite';
  /** The version of the server, or of the library, as a text. */
  serverVersion: string;
  /**
   * Table with a row for each connection of this database user by which a process polls the changes:
   * since when it is open, and when its last poll began, in milliseconds; undefined where nobody lists them.
   */
  pollers: string | undefined;
  /** Suffix that locks the selected rows of `alias` against other writers until the transaction ends. */
  lockRows: (alias: string) => string;
  /** As `lockRows`, but waits for nobody: rows that another transaction has locked are left out. */
  lockFreeRows: (alias: string) => string;
  /** Aggregate that collects its argument over all rows into one JSON array. */
  jsonArrayOf: string;
  /** Function that makes one JSON array of its arguments. */
  jsonArray: string;
  /** Whether the JSON object in a text has a member of this name. */
  hasMember: (object: string, name: string) => string;
  /** Whether the object has this member, and its value is the JSON scalar in the text `value`. */
  memberIs: (object: string, name: string, value: string) => string;
  /** A value as one of this type, as a JSON array would hold it. */
  valueOf: (value: string, type: RecordType) => string;
  /** Whether a column has one of the values of the JSON array in a text parameter; an index finds them. */
  isOneOf: (column: string, parameter: string, type?: RecordType) => string;
  /** Whether a column has one of the values that a query selects; an index finds them. */
  isAmong: (column: string, query: string) => string;
  /**
   * The rows that `select` finds for each key of the JSON array in a text parameter, each key by the
   * index even where there are few rows yet: a plan outlives the size that it was made for. Rows
   * of one key follow each other; what their `ORDER BY` says holds for them alone.
   */
  forEachKey: (parameter: string, select: (key: KeyTest) => string) => string;
  /** A text in the order of its code points, whatever language the database sorts by. */
  byCodePoint: (text: string) => string;
  /** Column type of a primary key that is counted beyond 32 bits. */
  countingType: 'bigint' | 'integer';
  /** Column type of raw bytes. */
  binaryType: 'bytea' | 'blob';
  /** Raw bytes as lower-case hexadecimal digits, and back. */
  toHex: (bytes: string) => string;
  fromHex: (text: string) => string;
  /**
   * Table with a row for each object of the JSON array in a text parameter, and a column for each
   * member that is named; its alias is `r`. A `bytes` member is a text of `toBytesText`.
   */
  recordsOf: (parameter: string, columns: Record<string, RecordType>) => string;
  /**
   * Inserts what each of `inserts` selects from the same records, which are `r`; by one statement where
   * the database can.
   */
  insertEach: (records: string, inserts: readonly string[]) => string[];
  /** The next number of a table's primary key, for a column `id`. */
  nextId: (table: string) => string;
  /** The number of the transaction that runs the statement; 0 where transactions cannot overlap. */
  transactionId: string;
  /** Orders the rows that a statement locks, where transactions could otherwise deadlock. */
  lockingOrder: (column: string) => string;
  /** The number that a text spells in one to nine canonical digits; null for any other text. */
  numberOf: (text: string) => string;
  /**
   * Takes the shared lock of this number until the transaction ends, without waiting for it. Its one
   * row says in `isLocked` whether it did; it does not while another transaction holds the exclusive
   * lock or waits for it.
   */
  tryLockShared: (number: string) => string;
  /** Waits for the exclusive lock of this number, and keeps it until the transaction ends. */
  lockExclusive: (number: string) => string;
  /** Placeholder of the n-th value, counted from 1. */
  placeholder: (n: number) => string;
}

/** Conditions on the key that `forEachKey` is looking for. */
interface KeyTest {
  /** @param fromText makes the column's type of a key, where it is not a text itself */
  is: (column: string, fromText?: (text: string) => string) => string;
  /** Whether the column is what a query finds with the key, which is one row at most. */
  leadsTo: (column: string, query: string) => string;
}

/** Types of what a JSON parameter holds; any value can be null. */
type RecordType = 'text' | 'integer' | 'bigint' | 'bytes';

/** Bytes in a JSON parameter, which has none. */
export function toBytesText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

/** How long a statement waits for a row that another transaction has locked. */
export const LOCK_WAIT_MS = 1500;

/** First half of the key of an advisory lock; any number that no other program uses in the same database. */
const LOCK_CLASS = 1_953_068_402;

const postgresKey: KeyTest = {
  is: (column, fromText = asItIs) => `${column} = ${fromText('k.value')}`,
  leadsTo: (column, query) => `${column} = (${query})`,
};

const postgres: Dialect = {
  kind: 'postgres',
  serverVersion: "split_part(current_setting('server_version'), ' ', 1)",
  pollers: `(SELECT CAST(extract(epoch FROM backend_start) * 1000 AS bigint) AS "connectedAt",
      CAST(extract(epoch FROM query_start) * 1000 AS bigint) AS "polledAt"
    FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
      AND application_name = 'user-group-service poll' AND query_start IS NOT NULL) AS poller`,
  // Not FOR UPDATE: that would also wait for rows which merely refer to the locked one.
  lockRows: (alias) => `FOR NO KEY UPDATE OF ${alias}`,
  lockFreeRows: (alias) => `FOR NO KEY UPDATE OF ${alias} SKIP LOCKED`,
  jsonArrayOf: 'json_agg',
  jsonArray: 'json_build_array',
  hasMember: (object, name) => `${memberOf(object, name)} IS NOT NULL`,
  memberIs: (object, name, value) => `${memberOf(object, name)} = CAST(${value} AS jsonb)`,
  valueOf: (value, type) => `CAST(${value} AS ${postgresType(type)})`,
  // Not IN: that would be planned as a join, and on a table that has just grown as a scan of it.
  isOneOf: (column, parameter, type = 'text') =>
    postgres.isAmong(
      column,
      `SELECT ${postgres.valueOf(`json_array_elements_text(CAST(${parameter} AS json))`, type)}`,
    ),
  isAmong: (column, query) => `${column} = ANY(ARRAY(${query}))`,
  // OFFSET keeps the planner from making a join of it, which on small tables would scan them.
  forEachKey: (parameter, select) => `
    SELECT found.* FROM json_array_elements_text(CAST(${parameter} AS json)) AS k(value)
    CROSS JOIN LATERAL (${select(postgresKey)} OFFSET 0) AS found`,
  byCodePoint: (text) => `${text} COLLATE "C"`,
  countingType: 'bigint',
  binaryType: 'bytea',
  toHex: (bytes) => `encode(${bytes}, 'hex')`,
  fromHex: (text) => `decode(${text}, 'hex')`,
  recordsOf: (parameter, columns) => {
    const list = Object.entries(columns).map(([name, type]) => `"${name}" ${postgresType(type)}`);
    return `json_to_recordset(CAST(${parameter} AS json)) AS r(${list.join(', ')})`;
  },
  insertEach: (records, inserts) => {
    const others = inserts.slice(0, -1).map((insert, index) => `, i${index} AS (${insert})`);
    return [
      `WITH r AS MATERIALIZED (SELECT * FROM ${records}) ${others.join('')} ${inserts.at(-1)}`,
    ];
  },
  nextId: (table) => `nextval(pg_get_serial_sequence('${table}', 'id'))`,
  transactionId: 'CAST(CAST(pg_current_xact_id() AS text) AS bigint)',
  lockingOrder: (column) => `ORDER BY ${column}`,
  numberOf: (text) => `CASE WHEN ${text} ~ '^[1-9][0-9]{0,8}$' THEN CAST(${text} AS integer) END`,
  // Not a row lock: a stream of shared ones would starve a waiting exclusive one.
  tryLockShared: (number) =>
    `SELECT pg_try_advisory_xact_lock_shared(${LOCK_CLASS}, ${number}) AS "isLocked"`,
  lockExclusive: (number) => `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${number})`,
  placeholder: (n) => `$${n}`,
};

const sqlite: Dialect = {
  kind: 'sqlite',
  serverVersion: 'sqlite_version()',
  pollers: undefined,
  // A transaction holds the write lock of the whole database from its first statement.
  lockRows: () => '',
  lockFreeRows: () => '',
  jsonArrayOf: 'json_group_array',
  jsonArray: 'json_array',
  // Not by a path: SQLite's paths cannot spell every name.
  hasMember: (object, name) =>
    `EXISTS (SELECT 1 FROM json_each(${object}) AS member WHERE member.key = ${name})`,
  memberIs: (object, name, value) =>
    `EXISTS (SELECT 1 FROM json_each(${object}) AS member WHERE member.key = ${name}
       AND member.type = json_type(${value}) AND member.atom IS json_extract(${value}, '$'))`,
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
  insertEach: (records, inserts) =>
    inserts.map((insert) => `WITH r AS (SELECT * FROM ${records}) ${insert}`),
  nextId: () => 'NULL',
  transactionId: '0',
  // There is one writer.
  lockingOrder: () => '',
  numberOf: (text) =>
    `CASE WHEN ${text} GLOB '[1-9]*' AND ${text} NOT GLOB '*[^0-9]*' AND length(${text}) <= 9
     THEN CAST(${text} AS integer) END`,
  // As with `lockRows`.
  tryLockShared: (number) => `SELECT ${number} IS NOT NULL AS "isLocked"`,
  lockExclusive: (number) => `SELECT ${number}`,
  placeholder: () => '?',
};

function postgresType(type: RecordType): string {
  return type === 'bytes' ? 'bytea' : type;
}

function asItIs(text: string): string {
  return text;
}

/** On PostgreSQL: SQL's null if there is no such member, JSON's if its value is null. */
function memberOf(object: string, name: string): string {
  return `(CAST(${object} AS jsonb) -> CAST(${name} AS text))`;
}

export function dialectOf(options: DataSourceOptions): Dialect {
  return options.type === 'postgres' ? postgres : sqlite;
}

/**
 * The dialect of statements whose every list has one element: that is a value like any other, and a
 * record a value for each member, as in `:groups.name`. To read JSON takes a fifth of an insert.
 */
export function loneDialectOf(dialect: Dialect): Dialect {
  const { valueOf } = dialect;
  return {
    ...dialect,
    isOneOf: (column, parameter, type = 'text') => `${column} = ${valueOf(parameter, type)}`,
    forEachKey: (parameter, select) =>
      select({
        is: (column, fromText = asItIs) => `${column} = ${fromText(valueOf(parameter, 'text'))}`,
        leadsTo: (column, query) => `${column} = (${query})`,
      }),
    recordsOf: (parameter, columns) => {
      const list = Object.entries(columns).map(
        ([name, type]) => `${valueOf(`${parameter}.${name}`, type)} AS "${name}"`,
      );
      return `(SELECT ${list.join(', ')}) AS r`;
    },
  };
}
