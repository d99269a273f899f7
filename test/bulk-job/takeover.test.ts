import { createTestDatabase, onEachDatabase } from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { type RunningServer, startServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';
import { TestJobs } from './test-jobs.ts';

const GROUPS = 3000;

// A replica that takes over waits for the end of the lease of the killed one.
onEachDatabase((kind) => {
  test(`of ${GROUPS} groups each is changed exactly once, although processes are killed in the middle`, async () => {
    const database = await createTestDatabase(kind);
    const start = () => startServer(database.env);
    let server = await start();
    await new TestJobs(server.api).groups('killed', GROUPS);
    const { id } = await new TestJobs(server.api).begin({ action: 'suspend', all: true });
    const done = async () => (await new TestJobs(server.api).get(id)).done;
    for (const share of [0.1, 0.4]) {
      const others: RunningServer[] = kind === 'postgres' ? [await start()] : [];
      await until(async () => (await done()) >= share * GROUPS);
      await server.stop('SIGKILL');
      server = others[0] ?? (await start());
    }
    const jobs = new TestJobs(server.api);
    expect(await jobs.ended(id)).toMatchObject({
      state: 'done',
      total: GROUPS,
      done: GROUPS,
      changed: GROUPS,
      unchanged: 0,
      refused: 0,
    });
    await expectOnce(GROUPS, 2);
    // The undo ends in another process, after an orderly end of the first.
    const undo = await jobs.undo(id);
    const undoId = (undo.body as unknown as { bulk_job: { id: number } }).bulk_job.id;
    await until(async () => (await jobs.get(undoId)).done > 0);
    await server.stop('SIGTERM');
    server = await start();
    expect(await new TestJobs(server.api).ended(undoId)).toMatchObject({ changed: GROUPS });
    await expectOnce(GROUPS, 3);
    await server.stop();
    await database.drop();

    async function expectOnce(groups: number, version: number): Promise<void> {
      const found = await runSql<{ version: number; count: number | string }>(
        database,
        'SELECT version, count(*) AS count FROM user_group GROUP BY version',
      );
      expect(found.map((row) => [row.version, Number(row.count)])).toEqual([[version, groups]]);
      const [results] = await runSql<{ count: number | string }>(
        database,
        `SELECT count(*) AS count FROM bulk_job_result WHERE result = 'changed' AND version_after = ${version}`,
      );
      expect(Number(results!.count)).toBe(groups);
      const action = version === 2 ? 'user_group.suspend' : 'user_group.resume';
      const [events] = await runSql<{ count: number | string }>(
        database,
        `SELECT count(*) AS count FROM audit_event WHERE action = '${action}'`,
      );
      expect(Number(events!.count)).toBe(groups);
    }
  });

  test(`of ${GROUPS} lines of an import each is stored exactly once, although processes are killed in the middle`, async () => {
    const database = await createTestDatabase(kind);
    const start = () => startServer(database.env);
    let server = await start();
    const lines = Array.from({ length: GROUPS }, (_, n) => ({
      provided_id: `line ${n}`,
      name: 'G',
    }));
    const { id } = await new TestJobs(server.api).beginImport(lines);
    const done = async () => (await new TestJobs(server.api).get(id)).done;
    for (const share of [0.1, 0.4]) {
      const others: RunningServer[] = kind === 'postgres' ? [await start()] : [];
      await until(async () => (await done()) >= share * GROUPS);
      await server.stop('SIGKILL');
      server = others[0] ?? (await start());
    }
    const jobs = new TestJobs(server.api);
    expect(await jobs.ended(id)).toMatchObject({
      state: 'done',
      total: GROUPS,
      created: GROUPS,
      changed: 0,
      unchanged: 0,
      refused: 0,
    });
    const numberOf = async (rows: string) => {
      const sql = `SELECT count(*) AS count FROM ${rows}`;
      return Number((await runSql<{ count: number | string }>(database, sql))[0]!.count);
    };
    expect([
      await numberOf('user_group WHERE version = 1'),
      await numberOf("bulk_job_result WHERE result = 'created' AND version_after = 1"),
      await numberOf("audit_event WHERE action = 'user_group.create'"),
      await numberOf('bulk_job_line'),
    ]).toEqual([GROUPS, GROUPS, GROUPS, 0]);
    await server.stop();
    await database.drop();
  });
});
