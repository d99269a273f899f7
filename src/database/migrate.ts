import { accessSync, closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import { OperatorError } from '../common/operator-error';
import type { Config } from '../config/config';
import { createDataSource } from './create-data-source';
import { migratingOptions, NO_LIMITS, sessionLimits, sqlitePath } from './data-source-options';
import { lockTables } from './lock-tables';
import { requireOneDatabase } from './one-database';
import { translateDatabaseError } from './database-errors';
import { DatabaseUnavailable } from '../common/errors';

/** Any number that no other program uses for an advisory lock in the same database. */
const MIGRATION_LOCK = 7_245_310_118;
const OLDEST_POSTGRES = 150_000;
const WAIT_MS = 15_000;
const WAIT_STEP_MS = 500;
/** What PgBouncer says to a session that brings time limits. */
const OF_POOLER = 'unsupported startup parameter';

/**
 * Makes the database ready to serve: waits up to 15 s for PostgreSQL, creates `DATA_DIR`, and runs
 * the pending migrations under a lock, so that several replicas may start at once.
 * @param onWait called once if PostgreSQL does not answer at first
 * @throws OperatorError with one line for the operator
 */
export async function prepareDatabase(
  config: Config,
  onWait?: (reason: string) => void,
): Promise<void> {
  if (config.databaseUrl === undefined) createDataDir(config.dataDir);
  else {
    const urls = [config.databaseDirectUrl, config.databaseUrl];
    for (const url of urls) if (url !== undefined) await waitForPostgres(config, url, onWait);
    await requireOneDatabase(config).catch((error: unknown) => {
      throw toOperatorError(config, error);
    });
  }
  await withMigrations(config, async ({ executor, runner }) => {
    if ((await executor.getPendingMigrations()).length === 0) return;
    await lockTables(runner);
    await executor.executePendingMigrations();
  });
}

/** Undoes the latest migration; what its tables held is gone. */
export async function revertMigration(config: Config): Promise<void> {
  await withMigrations(config, async ({ executor, runner }) => {
    await lockTables(runner);
    await executor.undoLastMigration();
  });
}

export interface MigrationState {
  name: string;
  applied: boolean;
}

/** Every migration in order, and whether this database has it. */
export async function listMigrations(config: Config): Promise<MigrationState[]> {
  return withMigrations(config, async ({ executor, all }) => {
    const applied = new Set((await executor.getExecutedMigrations()).map(({ name }) => name));
    return all.map((name) => ({ name, applied: applied.has(name) }));
  });
}

/** All of it happens in one transaction that also holds the lock: PgBouncer breaks session locks. */
async function withMigrations<T>(
  config: Config,
  work: (migrations: {
    executor: MigrationExecutor;
    runner: QueryRunner;
    all: string[];
  }) => Promise<T>,
): Promise<T> {
  const dataSource = await createDataSource(migratingOptions(config))
    .initialize()
    .catch((error: unknown) => {
      throw toOperatorError(config, error);
    });
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    await lock(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    const all = dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
    const result = await work({ executor, runner, all });
    await runner.commitTransaction();
    return result;
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw toOperatorError(config, error);
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/** On SQLite the transaction itself is the lock. */
async function lock(runner: QueryRunner): Promise<void> {
  if (runner.dataSource.options.type !== 'postgres') return;
  await runner.query(NO_LIMITS);
  await runner.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
}

function createDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    // SQLite would make the file readable by everybody; its journal takes over the file's mode.
    closeSync(openSync(sqlitePath(dataDir), 'a', 0o600));
  } catch (error) {
    throw new OperatorError(`DATA_DIR ${dataDir} is not a writable directory (${codeOf(error)}).`);
  }
}

async function waitForPostgres(
  config: Config,
  url: string,
  onWait?: (reason: string) => void,
): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (let first = true; ; first = false) {
    const error = await tryPostgres(config, url);
    if (!error) return;
    const passing =
      translateDatabaseError(error) instanceof DatabaseUnavailable &&
      !(error as Error).message.includes(OF_POOLER);
    if (!passing || Date.now() > deadline) throw unreachable(config, url, error);
    if (first) onWait?.(codeOf(error));
    await sleep(WAIT_STEP_MS);
  }
}

/** Connects as the service will. */
async function tryPostgres(config: Config, url: string): Promise<unknown> {
  let client: Client | undefined;
  try {
    client = new Client({
      ...sessionLimits(config),
      connectionString: url,
      connectionTimeoutMillis: 2000,
      query_timeout: 2000,
    });
    // Without a listener an error after the connection is made would end the process.
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ version: string; encoding: string }>(
      "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
    );
    if (Number(rows[0]?.version) < OLDEST_POSTGRES) {
      throw new OperatorError('The PostgreSQL of DATABASE_URL is older than 15.');
    }
    if (rows[0]?.encoding !== 'UTF8') {
      throw new OperatorError('The database of DATABASE_URL must have the encoding UTF8.');
    }
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client?.end().catch(() => undefined);
  }
}

function toOperatorError(config: Config, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const url = config.databaseDirectUrl ?? config.databaseUrl;
  if (url !== undefined) return unreachable(config, url, error);
  const message = error instanceof Error ? error.message : String(error);
  return new OperatorError(
    `The database in DATA_DIR ${config.dataDir} cannot be used (${message}).`,
    {
      cause: error,
    },
  );
}

/** The server's own words name the user or the database, never the password. */
function unreachable(config: Config, url: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const reason = error instanceof Error && error.message ? error.message : codeOf(error);
  const variable = url === config.databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  const hint = reason.includes(OF_POOLER) ? '; behind a pooler set DATABASE_DIRECT_URL, too' : '';
  return new OperatorError(`The PostgreSQL of ${variable} cannot be used: ${reason}${hint}.`, {
    cause: error,
  });
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
