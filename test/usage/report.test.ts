import {
  UsageRetention,
  UsageUserExpiry,
} from '../../src/features/usage/counting/usage-retention.ts';
import type { UsageResponse } from '../../src/features/usage/dto/usage-response.dto.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { recordRoundTrips } from '../support/database/database-traffic.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { planOf, wasteIn } from '../support/database/query-plan.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { goTo, passTime, stopTime } from '../support/time/fake-time.ts';
import { ago, DAY_MS, HOUR_MS, readUsage, report } from './usage-calls.ts';

const PATH = '/api/v1/usage';
const CSV = { Accept: 'text/csv' };

/** Every entry of the list, page by page. */
async function readAll(api: ApiClient, query: Record<string, string>, path = PATH) {
  const entries: UsageResponse['usage'] = [];
  for (let cursor: string | undefined; ;) {
    const page = await readUsage(api, { ...query, ...(cursor && { cursor }) }, path);
    entries.push(...page.usage);
    if (!page.has_more) return entries;
    cursor = page.next_cursor;
  }
}

onEachDatabase((kind) => {
  const roundTrips = recordRoundTrips();
  const service = withService(kind, { USAGE_RETENTION_DAYS: '100' });

  if (kind === 'postgres') {
    // Once a table is known to have few rows, PostgreSQL reads all of them.
    beforeAll(() =>
      changeDatabase(service.database, 'ALTER TABLE usage_count SET (autovacuum_enabled = false)'),
    );
  }

  test('each day of a period has an entry, with the distinct users of the day', async () => {
    goTo('2030-03-10T12:00:00Z');
    const { api } = await TestWorkspace.create(service, 'days');
    const [one, other] = [await api.create(), await api.create()];
    await report(api, [
      { sub: one.id, user_id: 'ann', count: 2, at: '2030-03-09T10:00:00Z' },
      { sub: one.id, user_id: 'ann', count: 3, at: '2030-03-09T23:59:59Z' },
      { sub: one.id, user_id: 'ben', count: 1, at: '2030-03-10T00:00:00Z' },
      { sub: other.id, user_id: 'ann', count: 4, at: '2030-03-09T11:00:00Z' },
    ]);
    await report(api, [{ sub: one.id, user_id: 'ann', count: 1, at: '2030-03-10T01:00:00Z' }]);
    const query = { from: '2030-03-08T05:00:00Z', to: '2030-03-10T12:00:00Z' };
    const none = { embed_tokens: 0, introspections: 0 };
    expect(await readUsage(api, query)).toEqual({
      success: 1,
      usage: [
        { period: '2030-03-08', views: 0, ...none, users: 0 },
        { period: '2030-03-09', views: 9, ...none, users: 2 },
        { period: '2030-03-10', views: 2, ...none, users: 2 },
      ],
      has_more: false,
    });
    const { usage } = await readUsage(api, query, `${one.path}/usage`);
    expect(usage.map(({ views, users }) => [views, users])).toEqual([
      [0, 0],
      [5, 1],
      [2, 2],
    ]);
  });

  test('each hour of a period has an entry, which knows no users', async () => {
    goTo('2030-03-20T12:30:00Z');
    const { api } = await TestWorkspace.create(service, 'hours');
    const { id, path } = await api.create();
    await report(api, [
      { sub: id, user_id: 'u', count: 2, at: '2030-03-20T10:59:59.999Z' },
      { sub: id, count: 3, at: '2030-03-20T14:00:00+02:00' },
    ]);
    const query = { by: 'hour', from: '2030-03-20T10:15:00Z', to: '2030-03-20T12:00:00.001Z' };
    const expected = [
      ['2030-03-20T10:00:00.000Z', 2, null],
      ['2030-03-20T11:00:00.000Z', 0, null],
      ['2030-03-20T12:00:00.000Z', 3, null],
    ];
    for (const place of [PATH, `${path}/usage`]) {
      const { usage } = await readUsage(api, query, place);
      expect(usage.map(({ period, views, users }) => [period, views, users])).toEqual(expected);
    }
  });

  test('days of a time zone have their own hours, also when its clocks change', async () => {
    goTo('2030-04-01T00:30:00Z');
    const { api } = await TestWorkspace.create(service, 'zones');
    const { id } = await api.create();
    const at = (time: string, count: number) => ({ sub: id, count, at: time });
    await report(api, [
      at('2030-03-30T22:59:00Z', 1),
      at('2030-03-30T23:00:00Z', 10),
      at('2030-03-31T21:59:00Z', 100),
      at('2030-03-31T22:00:00Z', 1000),
    ]);
    const query = { tz: 'Europe/Berlin', from: '2030-03-30T12:00:00Z', to: '2030-04-01T00:00:00Z' };
    const { usage } = await readUsage(api, query);
    expect(usage.map(({ period, views, users }) => [period, views, users])).toEqual([
      ['2030-03-30', 1, null],
      ['2030-03-31', 110, null],
      ['2030-04-01', 1000, null],
    ]);
    expect(await readAll(api, { ...query, limit: '1' })).toEqual(usage);
  });

  test('30 days or 24 hours are listed where no period is given', async () => {
    const { api } = await TestWorkspace.create(service, 'defaults');
    expect((await readUsage(api)).usage.length).toBeGreaterThanOrEqual(30);
    expect((await readUsage(api, { by: 'hour' })).usage.length).toBeGreaterThanOrEqual(24);
  });

  test('pages of days continue each other', async () => {
    const { api } = await TestWorkspace.create(service, 'pages');
    const query = { from: '2030-01-01T00:00:00Z', to: '2030-01-08T00:00:00Z' };
    const { usage } = await readUsage(api, query);
    expect(usage).toHaveLength(7);
    for (const limit of ['1', '3', '7']) {
      expect(await readAll(api, { ...query, limit })).toEqual(usage);
    }
  });

  describe('the busiest groups', () => {
    test('have the most views, then embed tokens, then introspections, in any page', async () => {
      goTo('2030-05-15T12:00:00Z');
      const { api } = await TestWorkspace.create(service, 'busiest');
      const created = await Promise.all(Array.from({ length: 7 }, () => api.create()));
      // The newest comes first among those with the same counts.
      const groups = created.sort((one, other) => one.teamId - other.teamId);
      const views = [5, 30, 5, 2, 5, 100, 1];
      await report(
        api,
        groups.map(({ id }, n) => ({
          sub: id,
          user_id: `u${n % 2}`,
          count: views[n],
          at: n === 5 ? '2030-05-14T12:00:00Z' : '2030-05-15T12:00:00Z',
        })),
      );
      const teams = [5, 1, 4, 2, 0, 3, 6].map((n) => groups[n]!.teamId);
      const month = await readUsage(api, { by: 'group' });
      expect(month.usage.map(({ team_id }) => team_id)).toEqual(teams);
      expect(month.usage[0]).toEqual({
        team_id: groups[5]!.teamId,
        provided_id: groups[5]!.id,
        name: groups[5]!.id,
        views: 100,
        embed_tokens: 0,
        introspections: 0,
        users: 1,
      });
      expect(await readAll(api, { by: 'group', limit: '2' })).toEqual(month.usage);
      const period = { from: '2030-05-15T00:00:00Z', to: '2030-05-16T00:00:00Z' };
      const day = await readUsage(api, { by: 'group', ...period });
      expect(day.usage.map(({ team_id }) => team_id)).toEqual(teams.slice(1));
      await api.call('DELETE', groups[5]!.path);
      const [deleted] = (await readUsage(api, { by: 'group' })).usage;
      expect(deleted).toMatchObject({ team_id: groups[5]!.teamId, provided_id: null, name: null });
    });

    test('are read by their index', async () => {
      const { api } = await TestWorkspace.create(service, 'indexed');
      roundTrips.length = 0;
      await readUsage(api, { by: 'group' });
      const reading = roundTrips.flat().filter((sql) => sql.includes('FROM usage_count'));
      expect(reading).toHaveLength(1);
      const plan = await planOf(service, reading[0]!);
      expect([plan, wasteIn(plan)]).toEqual([plan, []]);
      expect(plan.join()).toContain('usage_count_busiest_idx');
    });

    test.each([
      ['from', { from: '2030-01-02T00:00:00Z', to: '2030-01-04T00:00:00Z' }],
      ['from', { from: '2030-01-01T00:00:01Z', to: '2030-02-01T00:00:00Z' }],
      ['from', { from: '2030-01-15T00:00:00Z' }],
      ['tz', { tz: 'Europe/Berlin' }],
    ])('refuse %s of %j', async (parameter, query) => {
      const asked = new URLSearchParams({ by: 'group', ...query } as Record<string, string>);
      const answer = await service.api.call('GET', `${PATH}?${asked.toString()}`);
      expect([answer.status, answer.body.errors[0]?.parameter]).toEqual([422, parameter]);
    });
  });

  test.each([
    ['by', { by: 'minute' }],
    ['by', { by: 'group' }, '/api/v1/user-groups/x/usage'],
    ['tz', { tz: 'Mars/Olympus' }],
    ['tz', { tz: 'Europe/Berlin', by: 'hour' }],
    ['to', { from: '2030-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' }],
    ['from', { from: '2020-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' }],
    ['cursor', { cursor: 'WyJ4Il0' }],
    ['group', { group: 'x' }],
  ])('refuses %s of %j', async (parameter, query, path = PATH) => {
    const asked = new URLSearchParams(query as Record<string, string>);
    const answer = await service.api.call('GET', `${path}?${asked.toString()}`);
    expect([answer.status, answer.body.errors[0]?.parameter]).toEqual([422, parameter]);
  });

  test('a group of another workspace is not found', async () => {
    const { api } = await TestWorkspace.create(service, 'elsewhere');
    const { path } = await service.api.create();
    for (const place of [path, '/api/v1/user-groups/nobody']) {
      expect(await api.call('GET', `${place}/usage`)).toMatchObject({
        status: 404,
        body: { code: 'user_group_not_found' },
      });
    }
  });

  describe('CSV', () => {
    const fetchCsv = async (apiToken: string, query: string) => {
      const headers = { Authorization: `Token ${apiToken}`, ...CSV };
      const answer = await fetch(`${service.baseUrl}${PATH}${query}`, { headers });
      return { headers: answer.headers, text: await answer.text() };
    };

    test('has the same entries, and a link to the next page', async () => {
      goTo('2030-06-15T12:00:00Z');
      const apiToken = await service.issueToken(['usage:read'], 'csv');
      const { api } = await TestWorkspace.create(service, 'csv');
      await api.put({ user_group_id: '=1+1', name: 'a "quoted", name' });
      await api.put({ user_group_id: 'plain', name: '-x' });
      await report(api, [
        { sub: '=1+1', count: 2, at: ago(0) },
        { sub: 'plain', count: 1, at: ago(0) },
      ]);
      const { usage } = await readUsage(api, { by: 'group' });
      const teams = usage.map(({ team_id }) => team_id);
      const first = await fetchCsv(apiToken, '?by=group&limit=1');
      expect(first.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
      expect(first.headers.get('Vary')).toContain('Accept');
      const header = 'team_id,provided_id,name,views,embed_tokens,introspections,users\r\n';
      expect(first.text).toBe(`${header}${teams[0]},'=1+1,"a ""quoted"", name",2,0,0,0\r\n`);
      const [, link] = /^<(.*)>; rel="next"$/.exec(first.headers.get('Link')!)!;
      const next = await fetchCsv(apiToken, link!);
      expect(next.text).toBe(`${header}${teams[1]},plain,'-x,1,0,0,0\r\n`);
      expect(next.headers.get('Link')).toBeNull();
    });

    test('leaves out users that are not known', async () => {
      const query = '?by=hour&from=2030-01-01T00:00:00Z&to=2030-01-01T01:00:00Z';
      expect((await fetchCsv(service.bootstrapToken, query)).text).toBe(
        'period,views,embed_tokens,introspections,users\r\n2030-01-01T00:00:00.000Z,0,0,0,\r\n',
      );
    });

    test.each(['application/json', '*/*', 'text/csv;q=0.5, application/json', 'image/png'])(
      'is not for a caller that asks for %s',
      async (Accept) => {
        const answer = await service.api.call('GET', PATH, undefined, { Accept });
        expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
        expect(answer.body.success).toBe(1);
      },
    );
  });

  test('users are stored as hashes that differ between groups and workspaces, for a few days', async () => {
    stopTime();
    const hashes: string[] = [];
    const read = async () => {
      const rows = await service.query<{ hash: Buffer }>(
        "SELECT DISTINCT user_hash AS hash FROM usage_user WHERE unit = 'day' AND end_at < 1893456000000",
      );
      return rows.map(({ hash }) => hash.toString('latin1'));
    };
    const before = new Set(await read());
    for (const name of ['hashes', 'other hashes']) {
      const { api } = await TestWorkspace.create(service, name);
      for (const { id } of [await api.create(), await api.create()]) {
        await report(api, [{ sub: id, user_id: 'ada@acme.example', count: 1, at: ago(0) }]);
      }
    }
    hashes.push(...(await read()).filter((hash) => !before.has(hash)));
    expect(new Set(hashes).size).toBe(4);
    expect(hashes.map(({ length }) => length)).toEqual([16, 16, 16, 16]);
    passTime(34 * DAY_MS);
    await service.app.get(UsageUserExpiry).sweep();
    expect(await read()).toEqual([]);
  });

  test('usage is removed some days after its hour, day or month, and not before', async () => {
    goTo('2031-01-01T00:00:00Z');
    const { api } = await TestWorkspace.create(service, 'old');
    const { id, path } = await api.create();
    await report(api, [{ sub: id, count: 1, at: ago(0) }]);
    const units = async () => {
      const [row] = await service.query<{ id: number }>(
        `SELECT id FROM workspace WHERE name = 'old'`,
      );
      const rows = await service.query<{ unit: string }>(
        `SELECT unit FROM usage_count WHERE workspace_id = ${row!.id} AND user_group_id > 0 ORDER BY unit`,
      );
      return rows.map(({ unit }) => unit);
    };
    const sweep = () => service.app.get(UsageRetention).sweep();
    passTime(100 * DAY_MS + HOUR_MS);
    await sweep();
    expect(await units()).toEqual(['day', 'hour', 'month']);
    passTime(1);
    await sweep();
    expect(await units()).toEqual(['day', 'month']);
    passTime(DAY_MS);
    await sweep();
    expect(await units()).toEqual(['month']);
    passTime(31 * DAY_MS);
    await sweep();
    expect(await units()).toEqual([]);
    expect((await readUsage(api, {}, `${path}/usage`)).usage.length).toBeGreaterThanOrEqual(30);
  });

  test('the retention is on the system page', async () => {
    const { body } = await service.api.call('GET', '/api/v1/system');
    expect(body).toMatchObject({ system: { retention: { usage_days: 100 } } });
  });

  test('a workspace of many groups reads its own days from one row each', async () => {
    const { api } = await TestWorkspace.create(service, 'rows');
    roundTrips.length = 0;
    await readUsage(api, {});
    const reading = roundTrips.flat().filter((sql) => sql.includes('FROM usage_count'));
    expect(reading).toHaveLength(1);
    const plan = await planOf(service, reading[0]!);
    expect([plan, wasteIn(plan)]).toEqual([plan, []]);
    expect(plan.join()).toMatch(/usage_count_pkey|sqlite_autoindex_usage_count/);
  });
});
