import { canStartPgBouncer } from './pgbouncer.ts';
import { canStartRedis, redisUrl } from './redis.ts';

const parts = [
  {
    tests: 'everything once more on PostgreSQL, and what PostgreSQL alone has',
    isHere: () => Boolean(process.env['TEST_DATABASE_URL']),
    runBy: 'set TEST_DATABASE_URL, for example to postgres://postgres@127.0.0.1:5432/postgres',
  },
  {
    tests: 'the service behind a connection pooler',
    isHere: canStartPgBouncer,
    runBy: 'set TEST_DATABASE_URL and install pgbouncer',
  },
  {
    tests: 'rate limits that replicas share',
    isHere: () => Boolean(redisUrl),
    runBy: 'set TEST_REDIS_URL, for example to redis://127.0.0.1:6379',
  },
  { tests: 'outages of Redis', isHere: canStartRedis, runBy: 'set TEST_REDIS_URL and install redis-server' },
];

/** The parts that a run on this machine leaves out. Each sentence says how to run its part. */
export function leftOut(): string[] {
  return parts.filter(({ isHere }) => !isHere()).map(({ tests, runBy }) => `Not run: ${tests}. To run it, ${runBy}.`);
}
