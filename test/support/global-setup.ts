import { Client } from 'pg';
import { startCollecting } from './leaks';
import { canStartPgBouncer } from './pgbouncer';
import { canStartRedis, pingRedis } from './redis';

/** Says once what the tests run on; what was asked for must be there, and in CI all of it. */
export default async function globalSetup(): Promise<void> {
  startCollecting();
  await findPostgres(process.env['TEST_DATABASE_URL']);
  await findRedis(process.env['TEST_REDIS_URL']);
  findPgBouncer();
}

async function findPostgres(url: string | undefined): Promise<void> {
  if (!url) {
    process.stdout.write('Tests run on SQLite only: TEST_DATABASE_URL is not set.\n');
    return;
  }
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  await client.end();
  process.stdout.write('Tests run on SQLite and on PostgreSQL.\n');
}

function findPgBouncer(): void {
  if (canStartPgBouncer()) return;
  if (process.env['CI'] === 'true') throw new Error('In CI, pgbouncer must be installed.');
  process.stdout.write('The service behind a pooler is not tested: no pgbouncer here.\n');
}

async function findRedis(url: string | undefined): Promise<void> {
  const isComplete = Boolean(url) && canStartRedis();
  if (process.env['CI'] === 'true' && !isComplete) {
    throw new Error('In CI, TEST_REDIS_URL must be set and redis-server be installed.');
  }
  if (url) await pingRedis(url);
  if (isComplete) process.stdout.write('Shared rate limits are tested with Redis.\n');
  else if (url) process.stdout.write('Outages of Redis are not tested: no redis-server here.\n');
  else process.stdout.write('Shared rate limits are not tested: TEST_REDIS_URL is not set.\n');
}
