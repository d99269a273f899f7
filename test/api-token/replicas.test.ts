import type { Answer, ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { type RunningServer, startServer } from '../support/process/processes.ts';
import { lastAskedBefore, until, untilAfter } from '../support/time/until.ts';

const PATH = '/api/v1/api-tokens';
/** A group that is not there, which every reader may look for. */
const GROUP = '/api/v1/user-groups/none';

// Replicas share a PostgreSQL; the embedded database has one process.
onPostgres('on postgres', () => {
  let database: TestDatabase;
  let servers: RunningServer[];
  let admin: ApiClient;

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    servers = await Promise.all(Array.from({ length: 3 }, () => startServer(database.env)));
    admin = servers[0]!.api;
  });

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
  });

  const issue = async (settings: object = {}) =>
    (await admin.call('POST', PATH, { name: 'n', scopes: ['user-groups:read'], ...settings })).body
      .api_token;

  const changes: [string, (id: number) => Promise<Answer>, number][] = [
    ['revoking', (id) => admin.call('POST', `${PATH}/${id}/revoke`), 401],
    ['rotating', (id) => admin.call('POST', `${PATH}/${id}/rotate`, {}), 401],
    [
      'taking a scope away',
      (id) => admin.call('PATCH', `${PATH}/${id}`, { scopes: ['audit:read'] }),
      403,
    ],
    [
      'limiting the addresses',
      (id) => admin.call('PATCH', `${PATH}/${id}`, { allowed_cidrs: ['192.0.2.0/24'] }),
      403,
    ],
    [
      'letting it expire',
      async (id) => {
        for (;;) {
          const end = Date.now() + 5000;
          const expires_at = new Date(end).toISOString();
          const answer = await admin.call('PATCH', `${PATH}/${id}`, { expires_at });
          // On a busy machine the time may be past when the call is read.
          if (answer.status === 422) continue;
          await untilAfter(end);
          return answer;
        }
      },
      401,
    ],
  ];

  test.each(changes)(
    'a change to an API token is seen by every replica within a second: %s',
    async (_name, change, status) => {
      const { id, token } = await issue();
      const getStatus = (server: RunningServer) =>
        server
          .apiOf(token)
          .call('GET', GROUP)
          .then((answer) => answer.status);
      // Each replica knows the token and gets calls all the time, so that no replica looks it up by chance.
      expect(await Promise.all(servers.map(getStatus))).toEqual([404, 404, 404]);
      const asked = servers.map(() => 0);
      const polling = servers.map((server, index) =>
        lastAskedBefore(async () => {
          const found = await getStatus(server);
          asked[index]!++;
          return found === status;
        }),
      );
      await until(() => asked.every((count) => count > 5));
      expect([200, 201]).toContain((await change(id)).status);
      const changedAt = performance.now();
      for (const lastAskedAt of await Promise.all(polling)) {
        expect(lastAskedAt - changedAt).toBeLessThan(1000);
      }
    },
  );

  test('a scope that is added is seen by every replica within a second', async () => {
    const { id, token } = await issue({ scopes: ['audit:read'] });
    const getStatus = (server: RunningServer) =>
      server
        .apiOf(token)
        .call('GET', GROUP)
        .then((answer) => answer.status);
    expect(await Promise.all(servers.map(getStatus))).toEqual([403, 403, 403]);
    const polling = servers.map((server) =>
      lastAskedBefore(async () => (await getStatus(server)) === 404),
    );
    await admin.call('PATCH', `${PATH}/${id}`, { scopes: ['user-groups:read'] });
    const changedAt = performance.now();
    for (const lastAskedAt of await Promise.all(polling)) {
      expect(lastAskedAt - changedAt).toBeLessThan(1000);
    }
  });

  test.each([
    [
      'the groups of a token',
      (id: number) => admin.call('PATCH', `${PATH}/${id}`, { user_groups: { ids: ['own'] } }),
    ],
    [
      'a property of the group',
      () => admin.call('PATCH', '/api/v1/user-groups/own', { properties: { tier: 'gold' } }),
    ],
  ])('a change of %s is seen by every replica within a second', async (_of, change) => {
    const own = await admin.put({ user_group_id: 'own', name: 'own', properties: {} });
    const group = own.body.user_group.token;
    const { id, token } = await issue({
      scopes: ['tokens:introspect'],
      user_groups: { where: { tier: 'gold' } },
    });
    const isActive = (server: RunningServer) => server.apiOf(token).isActive(group);
    expect(await Promise.all(servers.map(isActive))).toEqual([false, false, false]);
    const polling = servers.map((server) => lastAskedBefore(() => isActive(server)));
    expect((await change(id)).status).toBe(200);
    const changedAt = performance.now();
    for (const lastAskedAt of await Promise.all(polling)) {
      expect(lastAskedAt - changedAt).toBeLessThan(1000);
    }
  });

  test('a token is valid on every replica as soon as it is issued', async () => {
    const { token } = await issue();
    const statuses = servers.map((server) => server.apiOf(token).call('GET', GROUP));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
