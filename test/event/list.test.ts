import { setImmediate } from 'node:timers/promises';
import { ChangeReader, type ReadChanges } from '../../src/core/change-log/change-reader.ts';
import { ChangeRetention } from '../../src/core/change-log/change-retention.ts';
import { ChangeTail } from '../../src/features/event/feed/change-tail.ts';
import { EventService } from '../../src/features/event/feed/event.service.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { passTime } from '../support/time/fake-time.ts';
import { importGroups } from '../support/api/lines.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

interface Listed {
  events: {
    id: string;
    type: string;
    occurred_at: string;
    user_group?: { team_id: number; provided_id: string; version?: number; generation?: number };
    object?: { type: string; id: string };
  }[];
  next_cursor: string;
  has_more: boolean;
}

onEachDatabase((kind) => {
  const service = withService(kind);

  const list = async (query: Record<string, string | number>, by: ApiClient = service.api) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
    const answer = await by.call('GET', `/api/v1/events?${parameters.toString()}`);
    return { ...answer, listed: answer.body as unknown as Listed };
  };
  /** Waiting calls follow it. */
  const tail = () => service.app.get(ChangeTail);
  afterEach(() => jest.restoreAllMocks());

  const latest = async (by?: ApiClient) => (await list({ after: 'latest' }, by)).listed.next_cursor;

  test('changes are listed in their order, thin and without a token', async () => {
    const after = await latest();
    const { id, teamId, token } = await service.api.create({ properties: { secret: 'S3cret' } });
    await service.api.put({ user_group_id: id, name: 'Renamed' });
    const rotated = await service.api.rotate(token);
    const { text, listed } = await list({ after });
    const group = { team_id: teamId, provided_id: id };
    expect(listed).toMatchObject({ has_more: false, next_cursor: expect.any(String) });
    expect(listed.events).toEqual([
      {
        id: expect.stringMatching(/^evt_\d+$/),
        occurred_at: expect.stringMatching(/Z$/),
        type: 'user_group.create',
        user_group: { ...group, version: 1 },
      },
      {
        id: expect.stringMatching(/^evt_\d+$/),
        occurred_at: expect.stringMatching(/Z$/),
        type: 'user_group.update',
        user_group: { ...group, version: 2 },
      },
      {
        id: expect.stringMatching(/^evt_\d+$/),
        occurred_at: expect.stringMatching(/Z$/),
        type: 'user_group_token.rotate',
        user_group: { ...group, generation: 2 },
      },
    ]);
    for (const secret of [token, rotated, 'S3cret', 'Renamed']) expect(text).not.toContain(secret);
    expect((await list({ after: listed.next_cursor })).listed.events).toEqual([]);
  });

  test('pages follow each other and leave nothing out', async () => {
    const after = await latest();
    const groups = Array.from({ length: 25 }, (_, index) => ({
      user_group_id: `page ${index}`,
      name: 'P',
    }));
    await importGroups(service.api, ...groups.slice(0, 20));
    for (const group of groups.slice(20)) await service.api.put(group);
    const ids: string[] = [];
    let pages = 0;
    for (let cursor = after, hasMore = true; hasMore; pages++) {
      const { listed } = await list({ after: cursor, limit: 3 });
      ids.push(...listed.events.map(({ user_group }) => user_group!.provided_id));
      ({ next_cursor: cursor, has_more: hasMore } = listed);
    }
    expect(ids.toSorted()).toEqual(groups.map(({ user_group_id }) => user_group_id).toSorted());
    expect(pages).toBeGreaterThan(1);
  });

  test('without a cursor the oldest event comes first', async () => {
    const { listed } = await list({ limit: 1 });
    expect(listed.events[0]).toMatchObject({
      type: 'api_token.issue',
      object: { type: 'api_token', id: '1' },
    });
  });

  test.each([
    ['user_group.update', ['user_group.update']],
    ['user_group.*', ['user_group.create', 'user_group.update']],
    ['user_group_token.rotate,user_group.create', ['user_group.create', 'user_group_token.rotate']],
    ['*', ['user_group.create', 'user_group.update', 'user_group_token.rotate']],
    ['api_token.*', []],
    ['*.create,*.update', ['user_group.create', 'user_group.update']],
  ])('types can be chosen: %s', async (types, expected) => {
    const after = await latest();
    const { id, token } = await service.api.create();
    await service.api.put({ user_group_id: id, name: 'Other' });
    await service.api.rotate(token);
    const { listed } = await list({ after, types });
    expect(listed.events.map(({ type }) => type)).toEqual(expected);
    expect((await list({ after: listed.next_cursor, types })).listed.events).toEqual([]);
  });

  test('where few events are wanted an answer ends before all are searched, and says so', async () => {
    const after = await latest();
    for (let number = 0; number < 15; number++) await service.api.create();
    const types = 'workspace.create';
    const { listed } = await list({ after, limit: 1, types });
    expect(listed).toMatchObject({ events: [], has_more: true });
    const rest = await list({ after: listed.next_cursor, limit: 1, types });
    expect(rest.listed).toMatchObject({ events: [], has_more: false });
  });

  /** Lets the waits of calls end only when the test says so. */
  const holdWaits = (waitMs: number) => {
    const { setTimeout: wait } = globalThis;
    const ends: (() => void)[] = [];
    jest.spyOn(globalThis, 'setTimeout').mockImplementation((callback, ms, ...rest) => {
      if (ms !== waitMs) return wait(callback, ms, ...rest);
      ends.push(callback);
      return wait(() => undefined, 0);
    });
    return () => {
      for (const end of ends.splice(0)) end();
    };
  };

  test('a call can wait for the next event, and is answered when it happens, before the time is over', async () => {
    const after = await latest();
    holdWaits(20_000);
    const waiting = list({ after, wait: 20 });
    await until(() => tail().count === 1);
    const { id } = await service.api.create();
    const { listed } = await waiting;
    expect(listed.events).toMatchObject([
      { type: 'user_group.create', user_group: { provided_id: id } },
    ]);
  });

  test('a call that waits for a type sleeps through others, and the time is over in the end', async () => {
    const after = await latest();
    const end = holdWaits(20_000);
    const read = jest.spyOn(service.app.get(EventService), 'readWanted');
    const isOfWaiting = ([, { isWanted }]: Parameters<EventService['readWanted']>) =>
      !isWanted('user_group.create');
    let hasEnded = false;
    const waiting = list({ after, wait: 20, types: 'workspace.*' }).finally(
      () => (hasEnded = true),
    );
    await until(() => tail().count === 1);
    const other = list({ after, wait: 20 });
    await until(() => tail().count === 2);
    await service.api.create();
    expect((await other).listed.events).toHaveLength(1);
    const isPastAll = async () => {
      const own = read.mock.results.filter((_, at) => isOfWaiting(read.mock.calls[at]!));
      const { position } = (await own.at(-1)!.value) as ReadChanges;
      const { changes } = await service.app.get(ChangeReader).read(position, { limit: 1 });
      return changes.length === 0;
    };
    await until(isPastAll);
    await setImmediate();
    expect(hasEnded).toBe(false);
    end();
    const { status, listed } = await waiting;
    expect([status, listed.events, listed.has_more]).toEqual([200, [], false]);
    // The cursor is past the events that the call slept through.
    expect((await list({ after: listed.next_cursor })).listed.events).toEqual([]);
  });

  test('many who wait share one look at the log, and nobody looks when nobody waits', async () => {
    const after = await latest();
    holdWaits(20_000);
    const waiting = Array.from({ length: 10 }, () => list({ after, wait: 20 }));
    await until(() => tail().count === 10);
    await service.api.create();
    for (const { listed } of await Promise.all(waiting)) expect(listed.events).toHaveLength(1);
    expect(tail().count).toBe(0);
  });

  test('who goes away while waiting is not waited for', async () => {
    const after = await latest();
    const abort = new AbortController();
    const headers = { Authorization: `Token ${service.bootstrapToken}` };
    const url = `${service.baseUrl}/api/v1/events?after=${after}&wait=30`;
    const call = fetch(url, { headers, signal: abort.signal }).catch(() => undefined);
    await until(() => tail().count === 1);
    abort.abort();
    await call;
    await until(() => tail().count === 0);
  });

  test('an API token that is revoked while it waits is told of nothing', async () => {
    const token = await service.issueToken(['events:read']);
    const by = service.clientOf(token);
    const after = await latest(by);
    const waiting = list({ after, wait: 20 }, by);
    await until(() => tail().count === 1);
    await service.revokeToken(token);
    expect((await waiting).status).toBe(401);
  });

  test('an API token that is restricted while it waits is told of nothing', async () => {
    const body = { name: 'reader', scopes: ['events:read'] };
    const { id, token } = (await service.api.call('POST', '/api/v1/api-tokens', body)).body
      .api_token;
    const by = service.clientOf(token);
    const after = await latest(by);
    const waiting = list({ after, wait: 20 }, by);
    await until(() => tail().count === 1);
    const user_groups = { ids: ['only'] };
    await service.api.call('PATCH', `/api/v1/api-tokens/${id}`, { user_groups });
    await service.api.create();
    expect((await waiting).status).toBe(403);
  });

  test('a workspace is told of its own changes alone, and takes no cursor of another', async () => {
    const token = await service.issueToken(
      ['events:read', 'user-groups:write', 'user-group-tokens:read'],
      'neighbour',
    );
    const neighbour = service.clientOf(token);
    const [own, foreign] = [await latest(), await latest(neighbour)];
    await neighbour.create();
    expect((await list({ after: own })).listed.events).toEqual([]);
    const seen = (await list({ after: foreign }, neighbour)).listed.events;
    expect(seen.map(({ type }) => type)).toEqual(['user_group.create']);
    const refused = await list({ after: foreign });
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
  });

  test.each([
    ['after', 'x'],
    ['after', 'azE.AAAA'],
    ['after', `azE.${'A'.repeat(200)}`],
    ['after', ''],
    ['after', '9'.repeat(9000)],
    ['wait', '31'],
    ['wait', '-1'],
    ['wait', 'soon'],
    ['limit', '0'],
    ['limit', '1001'],
    ['types', ''],
    ['types', 'user_group'],
    ['types', 'nothing.*'],
    ['types', 'user_group.update,'],
    ['types', 'User.update'],
    ['types', Array.from({ length: 51 }, () => '*').join()],
    ['from', 'now'],
  ])('%s=%.20s is refused', async (name, value) => {
    const { status, body } = await list({ [name]: value });
    expect([status, body.code, body.title]).toEqual([
      422,
      'validation_failed',
      'Request not acceptable',
    ]);
    expect(body.errors[0]).toMatchObject({ in: 'query', parameter: name });
  });

  test('a cursor whose events are no longer kept is answered 410', async () => {
    const after = await latest();
    await changeDatabase(service.database, 'DELETE FROM change_event');
    passTime(169 * 3_600_000);
    const gone = await list({ after });
    expect([gone.status, gone.body.code]).toEqual([410, 'events_gone']);
    expect((await list({})).status).toBe(200);
  });

  test('a cursor stays gone when events are kept for longer than before', async () => {
    const own = await startTestService(kind, { EVENT_RETENTION_HOURS: '24' });
    await own.api.create();
    const after = (await own.api.call('GET', '/api/v1/events?after=latest')).body.next_cursor;
    for (let count = 0; count < 3; count++) await own.api.create();
    const later = Date.now() + 30 * 3_600_000;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => later);
    try {
      expect(await own.app.get(ChangeRetention).sweep()).toBeGreaterThan(3);
      const { id } = await own.api.create();
      const longer = await startTestService(own.database, { EVENT_RETENTION_HOURS: '168' });
      for (const { api } of [own, longer]) {
        const gone = await api.call('GET', `/api/v1/events?after=${after}`);
        expect([gone.status, gone.body.code]).toEqual([410, 'events_gone']);
        const stream = await api.call('GET', '/api/v1/events/stream', undefined, {
          'Last-Event-ID': after,
        });
        expect([stream.status, stream.body.code]).toEqual([410, 'events_gone']);
      }
      const { events } = (await longer.api.call('GET', '/api/v1/events')).body as unknown as {
        events: { user_group: object }[];
      };
      expect(events.at(-1)!.user_group).toMatchObject({ provided_id: id });
      await longer.close();
      await own.close();
    } finally {
      clock.mockRestore();
    }
  });
});
