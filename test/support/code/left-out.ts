import { canStartPgBouncer } from '../database/pgbouncer.ts';
import { canStartRedis, redisUrl } from '../servers/redis.ts';

const parts = [
  {
    tests: 'everything once more on PostgreSQL, and what PostgreSQL alone has',
    isHere: () => Boolean(process.env['TEST_DATABASE_URL']),
  },
  { tests: 'the service behind a connection pooler', isHere: canStartPgBouncer },
  { tests: 'rate limits that replicas share', isHere: () => Boolean(redisUrl) },
  { tests: 'outages of Redis', isHere: canStartRedis },
];

/** The parts that a run on this machine leaves out, and how to run them. */
export function leftOut(): string[] {
  const missing = parts.filter(({ isHere }) => !isHere()).map(({ tests }) => `Not run: ${tests}.`);
  return missing.length === 0
    ? []
    : [...missing, 'To run them: eval "$(npm run --silent services)"'];
}
