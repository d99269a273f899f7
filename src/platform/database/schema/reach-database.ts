import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../common/problem/errors.ts';
import { DatabaseUnusable, OperatorError } from '../../common/problem/operator-error.ts';
import { NO_SCHEMA_BEHIND_POOLER } from '../../config/load-config.ts';
import type { Config } from '../../config/config.ts';
import { hasSettings, isPooled, sqlitePath, withSettings } from '../data-source-options.ts';
import { isPostgresError, translateDatabaseError } from '../database-errors.ts';
import type { Notify } from './migration-lock-wait.ts';
import { requireOneDatabase } from './one-database.ts';
import { loadDriver } from '../drivers.ts';
import { withClient } from '../postgres/with-client.ts';

const OLDEST_POSTGRES = 150_000;
const WAIT_MS = 15_000;
const WAIT_STEP_MS = 500;
/** PgBouncer's error for a session with unknown settings. */
const OF_POOLER = 'unsupported startup parameter';

/**
 * Waits for the database: creates `DATA_DIR`, or waits up to 15 s for PostgreSQL.
 * @param mayMake whether `DATA_DIR` or the schema is created if it is missing
 * @returns the configuration, with whether there is a pooler
 * @throws OperatorError with one line for the operator
 */
export async function reachDatabase(
  config: Config,
  notify: Notify,
  mayMake = true,
): Promise<Config> {
  const { databaseUrl, databaseDirectUrl } = config;
  await loadDriver(config);
  if (databaseUrl === undefined) {
    if (mayMake) createDataDir(config.dataDir);
    return config;
  }
  if (databaseDirectUrl !== undefined) await waitForPostgres(config, databaseDirectUrl, notify);
  const keepsSettings = await waitForPostgres(config, databaseUrl, notify);
  try {
    await requireOneDatabase(config);
    if (keepsSettings && mayMake) await makeSchema(config);
  } catch (error) {
    throw toOperatorError(config, error);
  }
  if (keepsSettings) return config;
  if (config.databaseSchema !== undefined) throw new OperatorError(NO_SCHEMA_BEHIND_POOLER);
  const pooled = { ...config, databaseIsPooled: true };
  await waitForPostgres(pooled, databaseUrl, notify);
  return pooled;
}

export function toOperatorError(config: Config, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const url = config.databaseDirectUrl ?? config.databaseUrl;
  if (url !== undefined) return unreachable(config, url, error);
  const message = error instanceof Error ? error.message : String(error);
  return new DatabaseUnusable(
    `The database in DATA_DIR ${config.dataDir} cannot be used (${message}).`,
    {
      cause: error,
    },
  );
}

/** Whether something has been stored in the embedded database; true of PostgreSQL, which has to be asked. */
export function isThere({ databaseUrl, dataDir }: Config): boolean {
  const file = sqlitePath(dataDir);
  return databaseUrl !== undefined || (existsSync(file) && statSync(file).size > 0);
}

function createDataDir(dataDir: string): void {
  try {
    makeDirectory(resolve(dataDir));
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new DatabaseUnusable(
      `DATA_DIR ${dataDir} is not a writable directory (${codeOf(error)}).`,
    );
  }
  const file = sqlitePath(dataDir);
  try {
    // SQLite would make the file readable by everybody; its journal inherits the file's mode.
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    throw new DatabaseUnusable(
      `The file ${file} cannot be written (${codeOf(error)}). The files in DATA_DIR must belong to the user of the process.`,
    );
  }
}

/**
 * Creates a directory with its parents. The recursive `mkdir` of Node never returns if no directory can be made, as in
 * `/proc`.
 */
function makeDirectory(path: string): void {
  if (!existsSync(dirname(path))) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** @returns whether its sessions have the settings that the service requests */
async function waitForPostgres(config: Config, url: string, notify: Notify): Promise<boolean> {
  const deadline = performance.now() + WAIT_MS;
  for (let first = true; ; first = false) {
    try {
      return await tryPostgres(config, url);
    } catch (error) {
      const isRefused = error instanceof Error && error.message.includes(OF_POOLER);
      if (isRefused && !isPooled(config)) return false;
      const passing = translateDatabaseError(error) instanceof DatabaseUnavailable && !isRefused;
      if (!passing || performance.now() > deadline) throw unreachable(config, url, error);
      if (first) notify('warn', 'waiting for PostgreSQL', { reason: codeOf(error) });
    }
    await sleep(WAIT_STEP_MS);
  }
}

/** Connects in the same way as the service. */
async function tryPostgres(config: Config, url: string): Promise<boolean> {
  const settings = { ...withSettings(config, url), query_timeout: 2000 };
  return withClient(settings, async (client) => {
    const { rows } = await client.query<{ version: string; encoding: string; isKept: boolean }>(
      `SELECT current_setting('server_version_num') AS version,
         current_setting('server_encoding') AS encoding, ${hasSettings(url)} AS "isKept"`,
    );
    if (Number(rows[0]!.version) < OLDEST_POSTGRES) {
      throw new DatabaseUnusable('The PostgreSQL of DATABASE_URL is older than 15.');
    }
    if (rows[0]!.encoding !== 'UTF8') {
      throw new DatabaseUnusable('The database of DATABASE_URL must have the encoding UTF8.');
    }
    return isPooled(config) || rows[0]!.isKept;
  });
}

/** The server's own words name the user or the database, never the password. */
function unreachable(config: Config, url: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const reason = error instanceof Error && error.message ? error.message : codeOf(error);
  const variable = url === config.databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  const hint = reason.includes(OF_POOLER) ? '; through a pooler the URL must not bring any' : '';
  return new DatabaseUnusable(`The PostgreSQL of ${variable} cannot be used: ${reason}${hint}.`, {
    cause: error,
  });
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Another process has made it in between. */
const IS_THERE = ['23505', '42P06'];

/** Creates the schema of `DATABASE_SCHEMA` if it is missing: a role that only serves could not. */
async function makeSchema({ databaseUrl, databaseSchema: schema }: Config): Promise<void> {
  if (schema === undefined) return;
  try {
    await withClient({ connectionString: databaseUrl }, async (client) => {
      const sql = 'SELECT to_regnamespace($1) IS NOT NULL AS "isThere"';
      const { rows } = await client.query<{ isThere: boolean }>(sql, [schema]);
      if (!rows[0]!.isThere) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`);
    });
  } catch (error) {
    if (!isPostgresError(error) || !IS_THERE.includes(error.code!)) throw error;
  }
}
