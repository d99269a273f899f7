import type BetterSqlite3 from 'better-sqlite3';
import { join } from 'node:path';
import type { Client, ClientConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Config } from '../config/config.ts';
import { postgresDriver, sqliteDriver } from './drivers.ts';
import { markRefusedConnection } from './database-errors.ts';
import { LOCK_WAIT_MS } from './dialect.ts';
import { PostgresNames } from './names.ts';

const SQLITE_FILE = 'user-groups.sqlite';
/** A read may wait this long for another process that recovers or checkpoints the file. */
const SQLITE_READ_WAIT_MS = 1000;
/** A starting process may wait this long for another that recovers the file. */
const START_WAIT_MS = 60_000;
/** One attempt to begin a migration blocks the process this long; it is repeated. */
const MIGRATING_WAIT_MS = 100;

/** A process that is shutting down gets this long before its file counts as in use. */
const SQLITE_EXCLUSIVE_WAIT_MS = 2000;

/**
 * Limits in milliseconds that together keep the slowest response during an outage below five seconds: the service's
 * own, and those set in PostgreSQL.
 */
export const CLIENT_LIMITS = { connectionTimeoutMillis: 2000, query_timeout: 2500 };
export const SERVER_LIMITS = {
  statement_timeout: 2000,
  lock_timeout: LOCK_WAIT_MS,
  idle_in_transaction_session_timeout: 10_000,
};

/** Time limit in milliseconds of opening a connection for which no caller waits: a busy machine can take seconds. */
export const PATIENT_CONNECT_MS = 10_000;

/**
 * Tells PostgreSQL that the writer records its changes in the change log. Writes of other programs clear every cache of
 * every process.
 */
export const RECORDS_CHANGES = 'user_groups.records_changes';

/** The level that every transaction is written for, whatever the default of the database or the role is. */
const ISOLATION = 'READ COMMITTED';

/**
 * Sets the isolation level and the limits of one transaction. Behind a pooler in transaction mode they cannot belong to
 * the session: the next transaction may be on another connection, which others use too.
 */
export const SET_LOCAL_LIMITS = `SET TRANSACTION ISOLATION LEVEL ${ISOLATION}; SELECT ${Object.entries(
  {
    ...SERVER_LIMITS,
    jit: 'off',
    [RECORDS_CHANGES]: 'on',
  },
)
  .map(([name, ms]) => `set_config('${name}', '${ms}', true)`)
  .join(', ')}`;

/** Lifts the limits of the role or the database, which are made for short transactions. */
export const NO_LIMITS = { inTransaction: liftLimits(true), inSession: liftLimits(false) };

/**
 * A connection that writes. BEGIN acquires the write lock at once: a transaction that reads first and writes later
 * would fail with SQLITE_BUSY if another process had written in between.
 */
function writingSqlite(): typeof BetterSqlite3 {
  return class WritingSqlite extends sqliteDriver() {
    override prepare<P extends unknown[] | object, R>(sql: string): BetterSqlite3.Statement<P, R> {
      return super.prepare<P, R>(sql === 'BEGIN TRANSACTION' ? 'BEGIN IMMEDIATE' : sql);
    }
  } as typeof BetterSqlite3;
}

/**
 * A connection whose loss is reported by the next statement on it. Between two users in the pool, and after its last
 * use, it has no other listener, and an unhandled error event would end the process. An error of its opening is marked,
 * whatever its code.
 */
function quietClient(): typeof Client {
  return class QuietClient extends postgresDriver().Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      this.on('error', () => undefined);
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | void {
      if (callback) {
        super.connect((error: Error) => {
          callback(markRefusedConnection(error));
        });
        return;
      }
      return super.connect().catch((error: unknown) => {
        throw markRefusedConnection(error);
      }) as Promise<this>;
    }
  };
}

/** Returns the options of the connections that serve reads and, on PostgreSQL, transactions. */
export function servingOptions(config: Config): DataSourceOptions {
  if (config.databaseUrl === undefined) {
    return {
      ...sqlite(config.dataDir),
      // On SQLite only the transactor's connection may write.
      readonly: true,
      fileMustExist: true,
      timeout: SQLITE_READ_WAIT_MS,
    };
  }
  return {
    ...postgres(withOptions(config.databaseUrl, sessionSettings(config).options)),
    extra: {
      ...CLIENT_LIMITS,
      ...sessionSettings(config),
      Client: quietClient(),
      idleTimeoutMillis: 0,
      keepAlive: true,
      // Independent statements of a transaction share a round trip.
      pipeline: true,
      max: config.databasePoolSize,
    },
  };
}

/**
 * Returns the options of the one SQLite connection of the process that writes. While opening it may wait for another
 * process that recovers the file; `createTransactor` ends that.
 */
export function sqliteWriterOptions(reader: DataSourceOptions): DataSourceOptions {
  return { ...(reader as SqliteOptions), ...writing(), readonly: false, timeout: START_WAIT_MS };
}

/** Returns the options of one connection without time limits, for migrations. */
export function migratingOptions(config: Config): DataSourceOptions {
  return config.databaseUrl === undefined
    ? { ...sqlite(config.dataDir), ...writing(), timeout: MIGRATING_WAIT_MS }
    : {
        ...postgres(config.databaseDirectUrl ?? config.databaseUrl),
        isolationLevel: ISOLATION,
        extra: {
          Client: quietClient(),
          max: 1,
          connectionTimeoutMillis: PATIENT_CONNECT_MS,
          keepAlive: true,
        },
      };
}

/**
 * Returns the options of one connection that reads the embedded database in `dataDir`: it cannot be opened while
 * another process has the file open, keeps every other process from reading and writing it, sees the state of one
 * moment, and writes nothing.
 */
export function exclusiveOptions(dataDir: string): DataSourceOptions {
  return {
    ...sqlite(dataDir),
    fileMustExist: true,
    timeout: SQLITE_EXCLUSIVE_WAIT_MS,
    prepareDatabase: (database: BetterSqlite3.Database) => {
      // Without this a transaction in WAL mode would keep out writers only until it ends, and a running
      // service would then continue to acknowledge writes.
      database.pragma('locking_mode = EXCLUSIVE');
      database.exec('BEGIN EXCLUSIVE');
      database.pragma('query_only = ON');
    },
  };
}

/** Whether `DATABASE_URL` leads through a pooler in transaction mode, where session state is unavailable. */
export function isPooled({ databaseDirectUrl, databaseIsPooled = false }: Config): boolean {
  return databaseDirectUrl !== undefined || databaseIsPooled;
}

/** Returns the URL of a connection with sessions; undefined if a pooler is the only way. */
export function sessionUrl(config: Config): string | undefined {
  return config.databaseDirectUrl ?? (isPooled(config) ? undefined : config.databaseUrl);
}

/**
 * Returns the settings of each serving session; none if a pooler would refuse them. JIT is off: compiling a statement
 * to machine code takes many times as long as any of ours runs, and PostgreSQL would do so when a table has just grown
 * and it expects more rows than there are.
 */
function sessionSettings(config: Config): Partial<typeof SERVER_LIMITS> & ClientConfig {
  const isolation = ISOLATION.replace(' ', '\\ ');
  return isPooled(config)
    ? {}
    : {
        ...SERVER_LIMITS,
        options: `-c jit=off -c ${RECORDS_CHANGES}=on -c default_transaction_isolation=${isolation}`,
      };
}

/** Returns the options of a connection to `url` with these settings; see `hasSettings`. */
export function withSettings(config: Config, url: string): ClientConfig {
  const settings = sessionSettings(config);
  return { ...settings, connectionString: withOptions(url, settings.options) };
}

/**
 * SQL that tells whether a session has the settings of `sessionSettings`: some poolers drop them. Settings in the URL
 * replace the service's own.
 */
export function hasSettings(url: string): string {
  const isGiven = URL.canParse(url) && new URL(url).searchParams.has('statement_timeout');
  return `current_setting('${RECORDS_CHANGES}', true) IS NOT DISTINCT FROM 'on' AND (${isGiven} OR EXISTS (
    SELECT FROM pg_settings
    WHERE name = 'statement_timeout' AND setting = '${SERVER_LIMITS.statement_timeout}'))`;
}

/** Keeps the settings in the URL, which would otherwise be replaced by the service's own. */
function withOptions(url: string, own: string | undefined): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const given = parsed?.searchParams.get('options');
  if (!parsed || !given || own === undefined) return url;
  parsed.searchParams.set('options', `${given} ${own}`);
  return parsed.href;
}

function liftLimits(isLocal: boolean): string {
  return `SELECT set_config(name, '0', ${isLocal}) FROM pg_settings WHERE name IN
    ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;
}

export function sqlitePath(dataDir: string): string {
  return join(dataDir, SQLITE_FILE);
}

type SqliteOptions = Extract<DataSourceOptions, { type: 'better-sqlite3' }>;

const writing = (): Partial<SqliteOptions> => ({
  driver: writingSqlite(),
  enableWAL: true,
  // In WAL mode SQLite's default would acknowledge a commit before it has reached the disk.
  prepareDatabase: (database: BetterSqlite3.Database) => {
    database.pragma('synchronous = FULL');
    // A checkpoint follows 16 MiB of changes, not SQLite's 4: each writes a page once, however often it has
    // changed since the last.
    database.pragma('wal_autocheckpoint = 4000');
    // A long reader, such as a backup, lets the journal grow. It gives the disk back afterwards.
    database.pragma('journal_size_limit = 33554432');
  },
});

const SCHEMA = {
  migrationsTableName: 'migration',
  namingStrategy: new PostgresNames(),
};

function sqlite(dataDir: string): SqliteOptions {
  return { type: 'better-sqlite3', database: sqlitePath(dataDir), ...SCHEMA };
}

function postgres(url: string): Extract<DataSourceOptions, { type: 'postgres' }> {
  return {
    type: 'postgres',
    url,
    applicationName: 'user-group-service',
    installExtensions: false,
    parseInt8: true,
    ...SCHEMA,
  };
}
