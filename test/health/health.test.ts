import { AppliedMigrations } from '../../src/platform/database/schema/applied-migrations.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';
import { isDeepStrictEqual } from 'node:util';

onEachDatabase((kind) => {
  const service = withService(kind);

  const get = (path: string, headers: Record<string, string> = {}) =>
    service.clientOf(undefined).send({ method: 'GET', path, headers });

  const readiness = async () => {
    const { status, body } = await get('/health/ready');
    return [status, body.success, status === 200 ? body.status : body.code];
  };

  /** The database is asked once a second. */
  async function becomes(wanted: unknown[]): Promise<void> {
    await until(async () => isDeepStrictEqual(await readiness(), wanted));
  }

  test.each(['live', 'ready'])('anyone may ask whether the process is %s', async (status) => {
    for (const headers of [{}, { Authorization: 'Token wrong' }]) {
      const answer = await get(`/health/${status}`, headers as Record<string, string>);
      expect([answer.status, answer.body]).toEqual([200, { success: 1, status }]);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s is refused', async (method) => {
    for (const path of ['/health/live', '/health/ready']) {
      const { status, body, headers } = await service.clientOf(undefined).send({ method, path });
      expect([status, body.code, headers['allow']]).toEqual([
        405,
        'method_not_allowed',
        'GET, HEAD',
      ]);
    }
    const elsewhere = await get('/health');
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'route_not_found']);
  });

  test('a database that lacks a migration is not ready, until it has it', async () => {
    await becomes([200, 1, 'ready']);
    await runSql(service.database, `UPDATE migration SET name = 'x' || name WHERE id = 1`);
    await becomes([503, 0, 'migrations_pending']);
    expect((await get('/health/ready')).headers['retry-after']).toBe('5');
    expect((await get('/health/live')).status).toBe(200);
    await runSql(service.database, `UPDATE migration SET name = substr(name, 2) WHERE id = 1`);
    await becomes([200, 1, 'ready']);
  });

  /** Moves the clock of the process on, so that the next call asks the database again. */
  const passCheck = () => {
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 1000);
  };

  afterEach(() => jest.restoreAllMocks());

  test('a database that a newer version has migrated is ready', async () => {
    const migration = `(timestamp, name) VALUES (1999999999999, 'OfANewerVersion1999999999999')`;
    await runSql(service.database, `INSERT INTO migration ${migration}`);
    passCheck();
    expect(await readiness()).toEqual([200, 1, 'ready']);
  });

  test('a database without a record of migrations is not ready, and nothing of it is told', async () => {
    await runSql(service.database, 'ALTER TABLE migration RENAME TO migration_away');
    await becomes([503, 0, 'database_unavailable']);
    expect(JSON.stringify((await get('/health/ready')).body)).not.toMatch(
      /table|relation|migration/i,
    );
    await runSql(service.database, 'ALTER TABLE migration_away RENAME TO migration');
    await becomes([200, 1, 'ready']);
  });

  test('however many ask, the database is asked once a second', async () => {
    // A whole number: sums of others are not exact.
    const startedAt = Math.ceil(performance.now());
    // Other parts of the service read the database meanwhile.
    const read = jest.spyOn(service.app.get(AppliedMigrations), 'count');
    const askMany = () => Promise.all(Array.from({ length: 50 }, () => get('/health/ready')));
    const clock = jest.spyOn(performance, 'now');
    for (const [passedMs, reads] of [
      [1000, 1],
      [1999, 1],
      [2000, 2],
    ] as const) {
      clock.mockReturnValue(startedAt + passedMs);
      await askMany();
      expect(read).toHaveBeenCalledTimes(reads);
    }
  });
});
