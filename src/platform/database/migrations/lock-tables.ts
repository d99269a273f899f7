import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';

/** Callers of the service wait at most this long for one attempt. */
const ATTEMPT_MS = 200;
const PAUSE_MS = 100;
const LIMIT_MS = 60_000;
const STATEMENT_TOOK_TOO_LONG = '57014';

/**
 * Locks every table for the transaction of `runner` alone, so that its later statements wait for nobody. A transaction
 * that locked them one by one while others are served would deadlock with them, and would hold up all of them behind a
 * long read, a backup for example. No attempt waits, or lets others wait, for longer than 200 ms.
 * @throws QueryFailedError if the tables are in use for a minute
 */
export async function lockTables(runner: QueryRunner): Promise<void> {
  if (runner.dataSource.options.type !== 'postgres') return;
  const tables = await namesOfTables(runner);
  if (tables.length === 0) return;
  const deadline = performance.now() + LIMIT_MS;
  // A lock_timeout would count for each table again.
  await runner.query(`SET LOCAL statement_timeout = ${ATTEMPT_MS}`);
  await runner.query('SAVEPOINT nothing_locked');
  for (;;) {
    try {
      await runner.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
      break;
    } catch (error) {
      const isHeld = (error as NodeJS.ErrnoException).code === STATEMENT_TOOK_TOO_LONG;
      if (!isHeld || performance.now() > deadline) throw error;
      await runner.query('ROLLBACK TO SAVEPOINT nothing_locked');
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
  }
  await runner.query('SET LOCAL statement_timeout = 0');
}

/**
 * Lists the tables in the order of their creation, in which writers use them: referenced tables first. It includes all
 * that the role owns: the schema is the service's own.
 */
async function namesOfTables(runner: QueryRunner): Promise<string[]> {
  const rows = (await runner.query(
    `SELECT quote_ident(relname) AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
       AND pg_has_role(relowner, 'USAGE')
     ORDER BY oid`,
  )) as { name: string }[];
  return rows.map(({ name }) => name);
}
