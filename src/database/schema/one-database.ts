import { randomInt } from 'node:crypto';
import type { Client } from 'pg';
import { OperatorError } from '../../common/operator-error.ts';
import type { Config } from '../../config/config.ts';
import { postgresDriver } from '../drivers.ts';

const ANY_LOCK = 2 ** 47;

/**
 * Requires that `DATABASE_DIRECT_URL` leads to the database of `DATABASE_URL`. Names may be a
 * pooler's own, so it takes a lock through one and looks for it through the other.
 * @throws OperatorError if it does not
 */
export async function requireOneDatabase(config: Config): Promise<void> {
  const { databaseUrl, databaseDirectUrl } = config;
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return;
  const lock = randomInt(ANY_LOCK);
  const isFree = await withClient(databaseDirectUrl, async (direct) => {
    await direct.query('BEGIN');
    await direct.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    return withClient(databaseUrl, async (pooled) => {
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

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new (postgresDriver().Client)({
    connectionString: url,
    connectionTimeoutMillis: 2000,
    query_timeout: 2000,
  });
  // Without a listener an error after the connection is made would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
