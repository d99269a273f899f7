import { Client } from 'pg';
import { startCollecting } from './leaks.ts';
import { leftOut } from '../code/left-out.ts';
import { pingRedis, redisUrl } from '../servers/redis.ts';

/** Fails if a requested database does not respond, or if a run in CI would leave a part out. Any other run lists those parts. */
export default async function globalSetup(): Promise<void> {
  startCollecting();
  const missing = leftOut();
  if (process.env['CI'] === 'true' && missing.length > 0) {
    throw new Error(`In CI nothing may be left out.\n${missing.join('\n')}`);
  }
  for (const line of missing) process.stderr.write(`${line}\n`);
  const databaseUrl = process.env['TEST_DATABASE_URL'];
  if (databaseUrl) await connectTo(databaseUrl);
  if (redisUrl) await pingRedis(redisUrl);
}

/** @throws if PostgreSQL does not answer */
async function connectTo(connectionString: string): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 100_000 });
  await client.connect();
  await client.end();
}
