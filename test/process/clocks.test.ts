import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { jobOf, TestJobs } from '../bulk-job/test-jobs.ts';
import { importGroups, linesOf } from '../support/api/lines.ts';
import { type RunningServer, startOwnServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';

const DAY_MS = 24 * 3_600_000;
const YEAR_MS = 365 * DAY_MS;
const ALL = ['user_group_token', 'embed_token'];
const preload = pathToFileURL(
  join(import.meta.dirname, '..', 'support', 'process', 'set-clock.mjs'),
).href;

interface Group {
  id: string;
  token: string;
  path: string;
}

const embed = async (api: ApiClient, { path }: Group) =>
  (
    await api.call('POST', `${path}/embed-tokens`, {
      audience: 'renderer',
      expires_in_seconds: 86_400,
    })
  ).body.embed_token.token;

const endTokens = async (api: ApiClient) =>
  (await api.call('POST', '/api/v1/workspace/end-tokens', { kinds: ALL, reason: 'drill' })).status;

const statesOf = (api: ApiClient, tokens: string[]) =>
  Promise.all(tokens.map((token) => api.isActive(token)));

const versionsOf = async (api: ApiClient, { path }: Group) =>
  (await api.call('GET', `${path}/versions`)).body.versions.toReversed();

const patch = (api: ApiClient, { path }: Group, name: string) => api.call('PATCH', path, { name });

onEachDatabase((kind) => {
  /** On SQLite a process follows the other; on PostgreSQL they run side by side. */
  const aheads = kind === 'sqlite' ? [2 * DAY_MS] : [-5000, 900, 5000, 2 * DAY_MS];
  const servers = new Map<number, RunningServer>();
  const directory = mkdtempSync(join(tmpdir(), 'clocks-'));
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
  });

  afterAll(async () => {
    await stop();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  const fileOf = (ahead: number) => join(directory, `${ahead}`);

  const stop = async () => {
    const running = [...servers.values()];
    servers.clear();
    for (const server of running) expect(await server.stop()).toBe(0);
  };

  /** A server whose clock is ahead by these milliseconds. On SQLite one runs at a time. */
  const serverOf = async (ahead: number) => {
    const found = servers.get(ahead);
    if (found) return found;
    if (kind === 'sqlite') await stop();
    writeFileSync(fileOf(ahead), `${ahead}`);
    const clock = { NODE_OPTIONS: `--import ${preload}`, CLOCK_FILE: fileOf(ahead) };
    const server = await startOwnServer({
      ...database.env,
      ...clock,
      RATE_LIMIT_PER_MINUTE: '100000',
    });
    servers.set(ahead, server);
    return server;
  };
  const at = async (ahead: number) => (await serverOf(ahead)).api;

  /** Sets the clock of a running server, which then does what it does once an hour. */
  const step = async (server: RunningServer, ahead: number, to: number) => {
    writeFileSync(fileOf(ahead), `${to}`);
    server.process.kill('SIGWINCH');
    const isRead = () =>
      existsSync(`${fileOf(ahead)}.read`) &&
      readFileSync(`${fileOf(ahead)}.read`, 'utf8') === `${to}`;
    await until(isRead);
  };

  test('what a clock that is ahead has made is ended, changed and ordered as anything else', async () => {
    const region = { properties: { region: 'EMEA' } };
    const made = [];
    for (const ahead of aheads) {
      const api = await at(ahead);
      const isFirst = ahead === aheads[0];
      // Groups that come later have a token, whatever the clock says.
      if (isFirst) expect(await endTokens(api)).toBe(200);
      const [group, changed, removed] = [
        await api.create(region),
        await api.create(),
        await api.create(),
      ];
      await patch(api, changed, 'Second');
      await patch(api, removed, 'Second');
      made.push({ group, changed, removed, embedded: await embed(api, group) });
      expect(await statesOf(api, [group.token, made.at(-1)!.embedded])).toEqual([true, true]);
    }

    const api = await at(0);
    for (const { group, embedded } of made) {
      expect(await statesOf(api, [group.token, embedded])).toEqual([true, true]);
      group.token = await api.rotate(group.token);
      expect(await api.isActive(group.token)).toBe(true);
    }
    await importGroups(
      api,
      ...Array.from({ length: 250 }, (_, n) => ({ user_group_id: `${n}`, name: 'N', ...region })),
    );
    const actions = '/api/v1/user-groups/actions?property_name=region&property_value=EMEA';
    const summary = async (action: string) =>
      linesOf(await api.call('POST', actions, { action })).at(-1)!.summary;
    const all = { changed: 250 + made.length, unchanged: 0, failed: 0, complete: true };
    expect(await summary('suspend')).toEqual(all);
    expect(await summary('resume')).toEqual(all);
    expect(await summary('rotate')).toEqual(all);

    for (const { changed, removed } of made) {
      await patch(api, changed, 'Third');
      await patch(api, changed, 'Fourth');
      const versions = await versionsOf(api, changed);
      const times = versions.map(({ recorded_at }) => recorded_at);
      expect([...new Set(times)].sort()).toEqual(times);
      for (const { version, recorded_at } of versions) {
        const past = await api.call('GET', `${changed.path}?at=${recorded_at}`);
        // SQLite has kept what the clock said: a time to come is refused.
        if (kind === 'sqlite') expect(past.status).toBe(422);
        else expect(past.body.past.version).toBe(version);
      }
      expect(versions.map(({ replaced_at }) => replaced_at)).toEqual([...times.slice(1), null]);
      expect((await api.call('DELETE', removed.path)).status).toBe(200);
      const [, second] = await versionsOf(api, removed);
      expect(second!.replaced_at! > second!.recorded_at).toBe(true);
    }

    const tokens = [];
    for (const { group } of made) {
      const { token } = (await api.get({ user_group_id: group.id })).body.user_group;
      tokens.push(token, await embed(api, group));
    }
    expect(new Set(await statesOf(api, tokens))).toEqual(new Set([true]));
    expect(await endTokens(api)).toBe(200);
    for (const server of servers.values()) {
      for (const token of tokens) await until(async () => !(await server.api.isActive(token)));
    }
  });

  test('no token that a clock ahead has issued outlives the end of all tokens', async () => {
    const tokens = [];
    for (const ahead of aheads) {
      const api = await at(ahead);
      const group = await api.create();
      tokens.push(group.token, await embed(api, group));
    }
    const api = await at(0);
    expect(new Set(await statesOf(api, tokens))).toEqual(new Set([true]));
    expect(await endTokens(api)).toBe(200);
    for (const token of tokens) await until(async () => !(await api.isActive(token)));
    const later = await api.create();
    expect(await statesOf(api, [later.token, await embed(api, later)])).toEqual([true, true]);
  });

  test('an hour with a wrong clock removes nothing that is still needed', async () => {
    const api = await at(0);
    const group = await api.create();
    const [revoked, leaked] = [await embed(api, group), await embed(api, group)];
    await patch(api, group, 'Second');
    expect((await api.call('POST', '/api/v1/revoke', { token: revoked })).status).toBe(200);
    const report = { tokens: [leaked], source: 'scanner' };
    expect(
      (await api.call('POST', '/api/v1/tokens/report-leaked', report)).body.results[0]!.result,
    ).toBe('ended');
    const counts = async (client: ApiClient) => [
      (await versionsOf(client, group)).length,
      ...(await statesOf(client, [revoked, leaked])),
      ((await client.call('GET', '/api/v1/events')).body as unknown as { events: object[] }).events
        .length,
    ];
    const before = await counts(api);
    expect(before).toEqual([2, false, false, expect.any(Number)]);

    const far = await serverOf(2 * DAY_MS);
    for (const wrong of [2 * 3_600_000, 2 * DAY_MS, YEAR_MS]) await step(far, 2 * DAY_MS, wrong);
    // They end when they have removed what they find, and forget what they had in memory.
    await stop();
    expect(await counts(await at(0))).toEqual(before);
  });

  test('a clock that is set back locks nobody out', async () => {
    const server = await serverOf(0);
    const { token } = await server.api.create();
    await step(server, 0, -3_600_000);
    expect((await server.api.get({ user_group_id: 'nowhere' })).status).toBe(404);
    expect(await server.api.isActive(token)).toBe(true);
    const rotated = await server.api.rotate(token, 60);
    expect(await statesOf(server.api, [token, rotated])).toEqual([true, true]);
    await step(server, 0, 0);
  });

  if (kind === 'sqlite') return;

  /** Each has a process do something by its clock, and looks at it by that of another. */
  const operations: Record<string, (maker: ApiClient, looker: ApiClient) => Promise<void>> = {
    'a job, and its undo': async (maker, looker) => {
      const { id } = await maker.create();
      const job = await new TestJobs(maker).begin({ action: 'suspend', ids: [id] });
      expect(await new TestJobs(looker).ended(job.id)).toMatchObject({ changed: 1 });
      const undo = jobOf(await new TestJobs(looker).undo(job.id));
      expect(await new TestJobs(maker).ended(undo.id)).toMatchObject({ changed: 1, refused: 0 });
      expect((await looker.get({ user_group_id: id })).body.user_group.token).toBeDefined();
    },
    'the events after a cursor': async (maker, looker) => {
      const read = async (after: string) =>
        (await looker.call('GET', `/api/v1/events?after=${after}`)).body as unknown as {
          events: { user_group: { provided_id: string } }[];
          next_cursor: string;
        };
      const { next_cursor: after } = await read('latest');
      const { id } = await maker.create();
      await until(async () => (await read(after)).events.length > 0);
      expect((await read(after)).events.map((event) => event.user_group.provided_id)).toEqual([id]);
    },
    'the key of a call': async (maker, looker) => {
      const key = { 'Idempotency-Key': `issue-${Math.random()}` };
      const issue = (api: ApiClient) =>
        api.call('POST', '/api/v1/api-tokens', { name: 'k', scopes: ['audit:read'] }, key);
      const first = await issue(maker);
      expect(first.status).toBe(201);
      expect((await issue(looker)).text).toBe(first.text);
    },
    'an import after the end of all tokens': async (maker, looker) => {
      const { token, id } = await maker.create();
      expect(await endTokens(looker)).toBe(200);
      await until(async () => !(await maker.isActive(token)));
      expect((await maker.call('DELETE', `/api/v1/user-groups/${id}`)).status).toBe(200);
      const [line] = await importGroups(looker, { provided_id: id, name: 'Again', token });
      expect(line).toMatchObject({ status: 409, code: 'token_not_usable' });
    },
  };

  test.each(Object.keys(operations))(
    '%s means the same to a process whose clock is another',
    async (name) => {
      for (const clock of aheads) {
        const [one, other] = [await at(clock), await at(0)];
        await operations[name]!(one, other);
        await operations[name]!(other, one);
      }
    },
  );

  test('times that one process has set hold in every other', async () => {
    const api = await at(0);
    const far = await at(2 * DAY_MS);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const group = await api.create();
    expect((await api.call('PATCH', group.path, { valid_until: inAnHour })).status).toBe(200);
    expect(await statesOf(far, [group.token, await embed(api, group)])).toEqual([true, true]);
    const [first, second] = [await api.create(), await far.create()];
    const key = { 'Idempotency-Key': 'rotate-once' };
    const rotate = async (client: ApiClient, current_token: string) =>
      (await client.post({ current_token, grace_period_seconds: 3600 }, key)).body.user_group.token;
    const rotated = await rotate(api, first.token);
    expect(await rotate(far, first.token)).toBe(rotated);
    expect(await statesOf(far, [first.token, rotated])).toEqual([true, true]);
    await far.rotate(second.token, 3600);
    const { tokens } = (await api.call('GET', `${second.path}/tokens`)).body;
    expect(Date.parse(tokens[1]!.valid_until!)).toBeLessThan(Date.now() + 2 * 3_600_000);
    const body = { name: 'short', scopes: ['user-groups:read'], expires_at: inAnHour };
    const { token } = (await api.call('POST', '/api/v1/api-tokens', body)).body.api_token;
    const { status } = await servers
      .get(2 * DAY_MS)!
      .apiOf(token)
      .call('GET', first.path);
    expect(status).toBe(200);
  });
});
