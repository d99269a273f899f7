import BetterSqlite3 from 'better-sqlite3';
import { sqlitePath } from '../../src/platform/database/data-source-options.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { startServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';
import { appliedOf, codesOf, PlanCalls } from './plan-calls.ts';

const GROUPS = 2000;
const ROUNDS = 3;

onEachDatabase((kind) => {
  test(`a plan of ${GROUPS} groups whose process is killed meanwhile is applied as a whole or not at all`, async () => {
    const database = await createTestDatabase(kind);
    let server = await startServer(database.env);
    const groups = Array.from({ length: GROUPS }, (_, n) => ({
      provided_id: `killed ${n}`,
      name: `N${n}`,
      properties: { text: 'x'.repeat(200) },
    }));
    const half = groups.slice(0, GROUPS / 2);
    await new PlanCalls(server.api).carryOut('set=killed', ...half);
    const changed = groups.map((group) => ({ ...group, name: 'Changed' }));
    const plan = await new PlanCalls(server.api).plan('set=killed', ...changed);
    const states = async () => {
      const [row] = await runSql<{ changed: number | string; members: number | string }>(
        database,
        `SELECT count(CASE WHEN name = 'Changed' THEN 1 END) AS changed, count(*) AS members
         FROM user_group WHERE managed_by = 'killed'`,
      );
      return [Number(row!.changed), Number(row!.members)];
    };
    for (let round = 0; round < ROUNDS && (await states())[0] === 0; round++) {
      let isAnswered = false;
      const end = () => (isAnswered = true);
      const applying = new PlanCalls(server.api).apply(plan.id).then(end, end);
      // The plan may be applied before the test sees that it is being written.
      await until(async () => isAnswered || (await isWriting(database)));
      await server.stop('SIGKILL');
      await applying;
      server = await startServer(database.env);
      expect([
        [0, half.length],
        [GROUPS, GROUPS],
      ]).toContainEqual(await states());
    }
    const isApplied = (await states())[0] === GROUPS;
    const last = await new PlanCalls(server.api).apply(plan.id);
    if (isApplied) expect(codesOf(last)).toEqual(['plan_applied']);
    else expect(appliedOf(last).counts).toMatchObject({ create: GROUPS / 2, update: GROUPS / 2 });
    expect(await states()).toEqual([GROUPS, GROUPS]);
    const again = await new PlanCalls(server.api).plan('set=killed', ...changed);
    expect(again.counts).toMatchObject({ create: 0, update: 0, unchanged: GROUPS });
    const [events] = await runSql<{ count: number | string }>(
      database,
      `SELECT count(*) AS count FROM audit_event WHERE action IN ('user_group.create', 'user_group.update')`,
    );
    expect(Number(events!.count)).toBe(1.5 * GROUPS);
    await server.stop();
    await database.drop();
  });
});

/** Whether a transaction that has written is open. */
async function isWriting(database: TestDatabase): Promise<boolean> {
  if (database.kind === 'postgres') {
    const writers = `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()`;
    return (await runSql(database, writers)).length > 0;
  }
  const file = new BetterSqlite3(sqlitePath(database.env['DATA_DIR']!), { timeout: 0 });
  try {
    file.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    return true;
  } finally {
    file.close();
  }
}
