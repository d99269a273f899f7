import type Sqlite from 'better-sqlite3';
import type * as Postgres from 'pg';
import { OperatorError } from '../common/problem/operator-error.ts';
import type { Config } from '../config/config.ts';

let postgres: typeof Postgres | undefined;
let sqlite: typeof Sqlite | undefined;

/**
 * Loads the driver of the configured database; the other need not be installed.
 * @throws OperatorError if it is not installed
 */
export async function loadDriver({ databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<void> {
  try {
    if (databaseUrl === undefined) sqlite ??= (await import('better-sqlite3')).default;
    else postgres ??= await import('pg');
  } catch (cause) {
    const name = databaseUrl === undefined ? 'better-sqlite3' : 'pg';
    const { message } = cause as Error;
    throw new OperatorError(`The package ${name} cannot be loaded: ${message}`, { cause });
  }
}

/** Requires `loadDriver` before. */
export function postgresDriver(): typeof Postgres {
  return postgres ?? notLoaded('pg');
}

/** Requires `loadDriver` before. */
export function sqliteDriver(): typeof Sqlite {
  return sqlite ?? notLoaded('better-sqlite3');
}

function notLoaded(name: string): never {
  throw new Error(`${name} was asked for before it was loaded`);
}
