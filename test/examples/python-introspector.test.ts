import {
  type AskedIntrospector,
  answered,
  closeLater,
  proxyTo,
  serve,
  underRotations,
} from '../support/api/asking.ts';
import { PythonIntrospector } from '../support/api/python-introspector.ts';
import { isRefusedInTime, seesChangesOfGroups } from '../support/api/seen-changes.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';
import { readUsage, totalOf } from '../usage/usage-calls.ts';

// The introspector of the Python client does what that of the TypeScript client does in test/client. Its cases on a clock
// that stands still are those of clients/python/tests/test_cached_introspector.py.

/** Lives until the end of the test. */
function connect(baseUrl: string, apiToken = BOOTSTRAP_TOKEN): PythonIntrospector {
  const introspector = new PythonIntrospector(baseUrl, apiToken);
  closeLater(() => introspector.close());
  return introspector;
}

onEachDatabase((kind) => {
  let database: TestDatabase;
  let server: RunningServer;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    server = await startServer(database.env);
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  test('an answer comes from memory for as long as nothing changes', async () => {
    const introspector = connect(server.baseUrl);
    const { token } = await server.api.create({ properties: { region: 'EMEA' } });
    await until(() => introspector.isCurrent);
    expect(await answered(introspector, token)).toEqual(await server.api.introspect(token));
    const { counts } = introspector;
    // A machine that stands still for a moment ends what may be remembered, which does not happen each time.
    await until(async () => {
      await until(() => introspector.isCurrent);
      await answered(introspector, token);
      const before = { ...counts };
      await introspector.ask(token, 1000).catch(() => undefined);
      return counts.remembered === before.remembered + 1000 && counts.asked === before.asked;
    });
  });

  test('a change of a group is seen within a second by every process that has it in memory', async () => {
    // One process for all, since the machine has few cores.
    const introspector = connect(server.baseUrl);
    await seesChangesOfGroups(server, () => introspector);
  });

  test('each call that finds an active token is a view, which has arrived when the introspector is closed', async () => {
    const introspector = new PythonIntrospector(server.baseUrl, BOOTSTRAP_TOKEN);
    const { token, path, id } = await server.api.create();
    const { body } = await server.api.call('POST', `${path}/embed-tokens`, {
      audience: 'a',
      user: { id: 'ann' },
    });
    await introspector.ask(token, 5);
    await introspector.ask(body.embed_token.token, 2);
    await introspector.introspect('unknown');
    await introspector.close();
    expect(await totalOf(server.api, `${path}/usage`)).toMatchObject({ views: 7 });
    const { usage } = await readUsage(server.api, { by: 'group', limit: '200' });
    expect(usage.find(({ provided_id }) => provided_id === id)).toMatchObject({ users: 1 });
  });

  test('a revoked API token is given nothing a second later', () =>
    isRefusedInTime(server, (apiToken) => connect(server.baseUrl, apiToken)));
});

/** Waits until it knows that it may be behind, and nobody gets an answer. */
const beBehind = (introspector: AskedIntrospector) => until(() => !introspector.isCurrent);

test('a network that loses everything, and a server that is stopped, killed and started again, make no answer old', async () => {
  const database = await createTestDatabase('sqlite');
  let server = await serve(database);
  const proxy = await proxyTo(server);
  const introspector = connect(proxy.baseUrl);
  await underRotations(
    () => server.api,
    [introspector],
    async ([asking]) => {
      proxy.hold();
      await beBehind(introspector);
      await asking!.beLate(1);
      proxy.release();
      await until(() => introspector.isCurrent);
      server.process.kill('SIGSTOP');
      await beBehind(introspector);
      server.process.kill('SIGCONT');
      await until(() => introspector.isCurrent);
      proxy.cut();
      await beBehind(introspector);
      proxy.heal();
      await server.stop('SIGKILL');
      server = await serve(database);
      proxy.leadTo(server.baseUrl);
    },
  );
  await server.stop('SIGKILL');
  await database.drop();
});
