import { randomInt } from 'node:crypto';
import type { ClientConfig } from 'pg';
import { OperatorError } from '../../common/problem/operator-error.ts';
import type { Config } from '../../config/config.ts';
import { withClient } from '../postgres/with-client.ts';

const ANY_LOCK = 2 ** 47;

/**
 * Requires that `DATABASE_DIRECT_URL` leads to the database of `DATABASE_URL`. Names may be a pooler's own, so it
 * acquires a lock through one and looks for it through the other.
 * @throws OperatorError if it does not
 */
export async function requireOneDatabase(config: Config): Promise<void> {
  const { databaseUrl, databaseDirectUrl } = config;
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return;
  const lock = randomInt(ANY_LOCK);
  const isFree = await withClient(settingsOf(databaseDirectUrl), async (direct) => {
    await direct.query('BEGIN');
    await direct.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    return withClient(settingsOf(databaseUrl), async (pooled) => {
      const { rows } = await pooled.query<{ isFree: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS "isFree"',
        [lock],
      );
      return rows[0]!.isFree;
    });
  });
  if (!isFree) return;
  throw new OperatorError('DATABASE_DIRECT_URL leads to another database than DATABASE_URL.');
}

function settingsOf(connectionString: string): ClientConfig {
  return { connectionString, query_timeout: 2000 };
}
