import { Client } from 'pg';
import { freePort } from '../system/lab/ports.mjs';
import { PATIENT_SERVER } from '../system/lab/server.mjs';
import { type Answer, ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { BOOTSTRAP_TOKEN, spawnBuilt, startServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';

const locks = new Set<Client>();

afterAll(() => Promise.all([...locks].map((client) => client.end())));

/** Keeps everybody else from API tokens until the function that it returns is called. */
async function lockApiTokens({ env }: TestDatabase): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: env['DATABASE_URL'] });
  locks.add(client);
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE api_token IN ACCESS EXCLUSIVE MODE');
  return async () => {
    locks.delete(client);
    await client.end();
  };
}

onEachDatabase((kind) => {
  test('a process is not ready before the first API token is there, and then it works', async () => {
    const database = await createTestDatabase(kind);
    // The first start also makes the schema and the keys. This one has completed them.
    expect(await (await startServer(database.env)).stop()).toBe(0);
    await runSql(database, 'DELETE FROM api_token');
    // A lock of the embedded database would keep the process from listening, too.
    const unlock = kind === 'postgres' ? await lockApiTokens(database) : undefined;
    const port = await freePort();
    const child = spawnBuilt('main.js', {
      ...database.env,
      PORT: String(port),
      METRICS_PORT: '0',
      BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN,
      // It waits for the lock until the test has seen it wait.
      NODE_OPTIONS: `--import=${PATIENT_SERVER}`,
    });
    const api = new ApiClient(`http://127.0.0.1:${port}`, BOOTSTRAP_TOKEN);
    /** Undefined while nothing listens there. */
    const ready = () => api.send({ method: 'GET', path: '/health/ready' }).catch(() => undefined);
    const next = async (isMet: (status: number) => boolean) => {
      let answer: Answer | undefined;
      await until(async () => {
        answer = await ready();
        return answer !== undefined && isMet(answer.status);
      });
      return answer!;
    };
    if (unlock) {
      const { status, body, headers } = await next(() => true);
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'starting', '1']);
      await unlock();
    }
    await next((status) => status === 200);
    expect((await api.call('GET', '/api/v1/user-groups')).status).toBe(200);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    await database.drop();
  });
});
