import { setTimeout as sleep } from 'node:timers/promises';
import { BOUND_MS, introspectorOf, proxyTo, serve, underRotations } from '../support/asking.ts';
import { lastAskedBefore, until } from '../support/until.ts';
import { createTestDatabase, onPostgres, type TestDatabase } from '../support/databases.ts';
import { type RunningServer, startServer } from '../support/processes.ts';

// Real processes, each reached by the introspector through a proxy of its own; changes are made past it.

test('a network that loses everything, for a while or for good, makes no answer old', async () => {
  const database = await createTestDatabase('sqlite');
  const server = await serve(database);
  const held = await proxyTo(server);
  const cut = await proxyTo(server);
  const introspectors = [introspectorOf(held.baseUrl), introspectorOf(cut.baseUrl)];
  const asking = await underRotations(
    () => server.api,
    introspectors,
    async () => {
      held.hold();
      cut.cut();
      const cutAt = performance.now();
      const areBehind = () => Promise.resolve(introspectors.every(({ isCurrent }) => !isCurrent));
      expect((await lastAskedBefore(areBehind)) - cutAt).toBeLessThan(BOUND_MS);
      await sleep(BOUND_MS);
      held.release();
      cut.heal();
    },
  );
  for (const { errors } of asking) expect(errors.length).toBeGreaterThan(0);
  await server.stop('SIGKILL');
  await database.drop();
});

test('a server on sqlite that is stopped, killed and started again makes no answer old', async () => {
  const database = await createTestDatabase('sqlite');
  let server = await serve(database);
  const proxy = await proxyTo(server);
  const introspector = introspectorOf(proxy.baseUrl);
  await underRotations(
    () => server.api,
    [introspector],
    async () => {
      server.process.kill('SIGSTOP');
      await sleep(BOUND_MS + 200);
      server.process.kill('SIGCONT');
      await until(() => introspector.isCurrent);
      await server.stop('SIGKILL');
      server = await serve(database);
      proxy.leadTo(server.baseUrl);
    },
  );
  await server.stop('SIGKILL');
  await database.drop();
});

onPostgres('two replicas on postgres', () => {
  let database: TestDatabase;
  let replicas: [RunningServer, RunningServer];

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    replicas = [await startServer(database.env), await startServer(database.env)];
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
    await database.drop();
  });

  test('one that is stopped, and one that is killed, while the other takes changes, makes no answer old', async () => {
    const [first, second] = replicas;
    const proxy = await proxyTo(first);
    const introspector = introspectorOf(proxy.baseUrl);
    await underRotations(
      () => second.api,
      [introspector],
      async () => {
        first.process.kill('SIGSTOP');
        const stoppedAt = performance.now();
        expect((await lastAskedBefore(() => Promise.resolve(!introspector.isCurrent))) - stoppedAt).toBeLessThan(
          BOUND_MS,
        );
        await sleep(BOUND_MS);
        first.process.kill('SIGCONT');
        await until(() => introspector.isCurrent);
        await first.stop('SIGKILL');
        proxy.leadTo(second.baseUrl);
      },
    );
  });

  test('a rolling restart makes no answer old, and nothing forgotten that has not changed', async () => {
    const second = replicas[1];
    const proxy = await proxyTo(second);
    const introspector = introspectorOf(proxy.baseUrl);
    const { token } = await second.api.create();
    let current = second;
    await underRotations(
      () => current.api,
      [introspector],
      async () => {
        const answer = await introspector.introspect(token);
        current = await serve(database);
        proxy.leadTo(current.baseUrl);
        await second.stop();
        await until(() => introspector.isCurrent);
        expect(await introspector.introspect(token)).toBe(answer);
      },
    );
  });
});
