import type { TestDatabase } from './databases.ts';
import { runSql } from '../keys.ts';
import { until } from '../time/until.ts';

/** Waits until a session of a database on PostgreSQL waits for a lock. */
export async function untilLocked(database: TestDatabase): Promise<void> {
  const waiting = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await runSql(database, waiting)).length > 0);
}
