import { readMessages } from '../../clients/typescript/event-stream.ts';
import type { Introspection } from '../../clients/typescript/index.ts';
import { answered, introspectorOf } from '../support/api/asking.ts';
import { isRefusedInTime, seenInTime, seesChangesOfGroups } from '../support/api/seen-changes.ts';
import { until } from '../support/time/until.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';

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

  test('a stream can be resumed from the beginning, although nothing has happened', async () => {
    const abort = new AbortController();
    const { body } = await fetch(`${server.baseUrl}/api/v1/events/stream`, {
      headers: { Authorization: `Token ${BOOTSTRAP_TOKEN}` },
      signal: abort.signal,
    });
    for await (const { event, lastEventId } of readMessages(body!, abort.signal)) {
      if (event !== 'current') continue;
      expect(lastEventId).not.toBe('');
      break;
    }
    abort.abort();
  });

  test('an answer comes from memory for as long as nothing changes', async () => {
    const introspector = introspectorOf(server.baseUrl);
    const { token } = await server.api.create({ properties: { region: 'EMEA' } });
    await until(() => introspector.isCurrent);
    expect(await answered(introspector, token)).toMatchObject(await server.api.introspect(token));
    const { counts } = introspector;
    // The event of the creation may arrive later, and a machine that stands still for a moment ends what may be
    // remembered: neither happens each time.
    await until(async () => {
      await until(() => introspector.isCurrent);
      const answer = await answered(introspector, token);
      const before = { ...counts };
      for (let time = 0; time < 1000; time++) {
        if ((await answered(introspector, token)) !== answer) return false;
      }
      return counts.remembered === before.remembered + 1000 && counts.asked === before.asked;
    });
  });

  const isOfOldRegion = ({ properties }: Introspection) => properties!['region'] === 'old';
  const call = (method: string, path: string, body?: object) => server.api.call(method, path, body);

  test('a change of a group is seen within a second by every process that has it in memory', () =>
    seesChangesOfGroups(server, () => introspectorOf(server.baseUrl)));

  test('so is one of what all groups depend on', async () => {
    await call('POST', '/api/v1/schemas', { provided_id: 'sales', name: 'Sales' });
    const source = { provided_id: 'emea', name: 'old' };
    const { text } = await call('POST', '/api/v1/data-sources', source);
    const { id } = (JSON.parse(text) as { data_source: { id: number } }).data_source;
    await call('PATCH', '/api/v1/workspace', { mapping_policy: 'registered' });
    await seenInTime(
      server.api,
      introspectorOf(server.baseUrl),
      () => call('PATCH', `/api/v1/data-sources/${id}`, { name: 'new' }),
      ({ mapping }) => (mapping!['sales'] as { name: string }).name === 'old',
    );
    await call('PATCH', '/api/v1/workspace', { mapping_policy: 'open' });
  });

  if (kind === 'postgres') {
    test('so is one by an operator, with SQL', () =>
      seenInTime(
        server.api,
        introspectorOf(server.baseUrl),
        async ({ teamId }) => {
          const properties = '{"region":"new"}';
          await changeDatabase(
            database,
            `UPDATE user_group SET properties = '${properties}' WHERE id = ${teamId}`,
          );
          return { status: 200 };
        },
        isOfOldRegion,
      ));
  }

  test('a revoked API token is given nothing a second later', () =>
    isRefusedInTime(server, (apiToken) => introspectorOf(server.baseUrl, apiToken)));

  test('without the scope for events it asks each time', async () => {
    const issued = await server.api.call('POST', '/api/v1/api-tokens', {
      name: 'renderer',
      scopes: ['tokens:introspect'],
    });
    const errors: unknown[] = [];
    const { token: apiToken } = issued.body.api_token;
    const introspector = introspectorOf(server.baseUrl, apiToken, {
      onStreamError: (error) => errors.push(error),
    });
    const { token } = await server.api.create();
    await until(() => errors.length > 0);
    expect(String(errors[0])).toContain('403');
    for (let time = 0; time < 3; time++) await answered(introspector, token);
    expect(introspector.counts.remembered).toBe(0);
    expect(introspector.counts.asked).toBeGreaterThanOrEqual(3);
  });
});
