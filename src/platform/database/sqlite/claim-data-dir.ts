import type BetterSqlite3 from 'better-sqlite3';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { isSqliteBusy } from '../database-errors.ts';
import { sqliteDriver } from '../drivers.ts';

const FILE = 'serving.lock';

/** Kept for the life of the process: closing the connection would end the claim. */
let claim: BetterSqlite3.Database | undefined;

/**
 * Claims `DATA_DIR` until this process ends, however it ends; false if another has it. Two processes may share it,
 * with a warning. A file locked by SQLite is the only lock in Node that ends with its process.
 */
export function claimDataDir(dataDir: string): boolean {
  const path = join(dataDir, FILE);
  closeSync(openSync(path, 'a', 0o600));
  claim = new (sqliteDriver())(path, { timeout: 0 });
  try {
    claim.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    claim.close();
    if (isSqliteBusy(error)) return false;
    throw error;
  }
}
