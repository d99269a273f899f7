import { ChangeFeed } from '../../src/core/change-log/change-feed.ts';
import { TokenUses } from '../../src/core/embed-token/token-uses.ts';
import { UsageNoticeExpiry } from '../../src/features/usage/counting/usage-retention.ts';
import type { UsageTally } from '../../src/features/usage/counting/usage-tally.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { recordCalls } from '../support/database/database-traffic.ts';
import { errorsOf, TestWorkspace } from '../support/registry.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';
import { goTo, passTime, stopTime } from '../support/time/fake-time.ts';
import { until } from '../support/time/until.ts';
import { ago, DAY_MS, HOUR_MS, report } from './usage-calls.ts';

const NONE = { embed_tokens_per_day: null, users_per_month: null, refuse_embed_tokens: false };

interface QuotaEvent {
  action: string;
  actor: { type: string };
  object: { id: string };
  details: { team_id: number; limit: string; limit_value: number; used: number; from: string };
}

const flush = ({ app }: TestService) => app.get<UsageTally>(TokenUses).flush();

const put = async (api: ApiClient, { path }: { path: string }, limits: object) => {
  const answer = await api.call('PUT', `${path}/limits`, limits);
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.body as unknown as { limits: object }).limits;
};

const issue = (api: ApiClient, { path }: { path: string }, fields: object = {}) =>
  api.call('POST', `${path}/embed-tokens`, { audience: 'a', ...fields });

/** Issues some tokens, and writes their counts. */
const use = async (
  service: TestService,
  api: ApiClient,
  group: { path: string },
  count: number,
) => {
  for (let n = 0; n < count; n++) expect((await issue(api, group)).status).toBe(201);
  await flush(service);
};

const eventsOf = async (api: ApiClient): Promise<QuotaEvent[]> => {
  const types = 'user_group.quota_near,user_group.quota_reached';
  const { body } = await api.call('GET', `/api/v1/audit-events?limit=200&types=${types}`);
  return (body.audit_events as unknown as QuotaEvent[]).toReversed();
};

const toldOf = async (api: ApiClient) =>
  (await eventsOf(api)).map(
    ({ action, details: { limit, limit_value, used } }) =>
      `${action.split('_').at(-1)} ${limit} ${used}/${limit_value}`,
  );

/** The bodies of views of new users. */
const viewsOf = (sub: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => {
    return { sub, user_id: `user ${from + n}`, count: 1, at: ago(0) };
  });

onEachDatabase((kind) => {
  const service = withService(kind);
  const calls = recordCalls();

  // The first test: a process that refuses no group reads no limits again when others change something.
  test('issuing an embed token reads nothing of limits', async () => {
    const { api } = await TestWorkspace.create(service, 'cost');
    const [limited, free] = [await api.create(), await api.create()];
    await put(api, limited, { embed_tokens_per_day: 100, refuse_embed_tokens: true });
    // A write of counts, which may happen meanwhile, reads both.
    const sentBy = async (group: { path: string }) => {
      calls.length = 0;
      expect((await issue(api, group)).status).toBe(201);
      return calls
        .flatMap((call) => JSON.stringify(call))
        .filter((sql) => sql.includes('usage_limit') && !sql.includes('usage_count'));
    };
    expect([await sentBy(limited), await sentBy(free)]).toEqual([[], []]);
  });

  test('limits are replaced as a whole, and are none of the fields of a group', async () => {
    const { api } = await TestWorkspace.create(service, 'replaced');
    const group = await api.create();
    const before = (await api.call('GET', group.path)).text;
    const read = async () => (await api.call('GET', `${group.path}/limits`)).body;
    expect(await read()).toEqual({ success: 1, limits: NONE });
    const first = { ...NONE, embed_tokens_per_day: 1000, users_per_month: 0 };
    expect(await put(api, group, { embed_tokens_per_day: 1000, users_per_month: 0 })).toEqual(
      first,
    );
    expect(await read()).toEqual({ success: 1, limits: first });
    expect(await put(api, group, { users_per_month: 5 })).toEqual({ ...NONE, users_per_month: 5 });
    expect(await put(api, group, {})).toEqual(NONE);
    expect(await read()).toEqual({ success: 1, limits: NONE });
    expect((await api.call('GET', group.path)).text).toBe(before);
    expect(
      await service.query(`SELECT * FROM usage_limit WHERE user_group_id = ${group.teamId}`),
    ).toEqual([]);
  });

  test('each change of limits is an event with the limits before and after, and the same PUT again is none', async () => {
    const { api } = await TestWorkspace.create(service, 'changed');
    const group = await api.create();
    const limits = { ...NONE, users_per_month: 5 };
    for (const sent of [limits, limits, {}, NONE]) await put(api, group, sent);
    const { body } = await api.call('GET', '/api/v1/audit-events?types=user_group.change_limits');
    expect(body.audit_events.map(({ before, after }) => ({ before, after }))).toEqual([
      { before: limits, after: NONE },
      { before: NONE, after: limits },
    ]);
  });

  test('of limits that are replaced at once each event begins with those of the event before it', async () => {
    const { api } = await TestWorkspace.create(service, 'at once');
    const group = await api.create();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => put(api, group, { users_per_month: n + 1 })),
    );
    const { body } = await api.call('GET', '/api/v1/audit-events?types=user_group.change_limits');
    const events = body.audit_events.toReversed();
    expect(events).toHaveLength(20);
    expect(events.map(({ before }) => before)).toEqual([
      NONE,
      ...events.slice(0, -1).map(({ after }) => after),
    ]);
  });

  test.each([
    ['/embed_tokens_per_day', { embed_tokens_per_day: -1 }],
    ['/embed_tokens_per_day', { embed_tokens_per_day: 1.5 }],
    ['/embed_tokens_per_day', { embed_tokens_per_day: 1_000_000_001 }],
    ['/users_per_month', { users_per_month: '5' }],
    ['/refuse_embed_tokens', { embed_tokens_per_day: 1, refuse_embed_tokens: 1 }],
    ['/embed_tokens_per_day', { refuse_embed_tokens: true, users_per_month: 5 }],
    ['/views', { views: 5 }],
  ])('refuses %s of %j', async (pointer, limits) => {
    const { path } = await service.api.create();
    const answer = await service.api.call('PUT', `${path}/limits`, limits);
    expect([answer.status, errorsOf(answer)[0]?.[0]]).toEqual([422, pointer]);
    expect((await service.api.call('GET', `${path}/limits`)).body).toMatchObject({ limits: NONE });
  });

  test('limits go with their group, and a new group of its id has none', async () => {
    const { api } = await TestWorkspace.create(service, 'deleted');
    const group = await api.create();
    await put(api, group, { embed_tokens_per_day: 0, refuse_embed_tokens: true });
    expect((await issue(api, group)).status).toBe(429);
    expect((await api.call('DELETE', group.path)).status).toBe(200);
    await api.put({ user_group_id: group.id, name: 'again' });
    expect((await api.call('GET', `${group.path}/limits`)).body).toMatchObject({ limits: NONE });
    expect((await issue(api, group)).status).toBe(201);
  });

  test('a group that nears a limit of a day is told of at 80 %, and at 100 %, once each', async () => {
    goTo('2030-02-01T10:00:00Z');
    const { api } = await TestWorkspace.create(service, 'near');
    const group = await api.create();
    await put(api, group, { embed_tokens_per_day: 10 });
    await use(service, api, group, 7);
    expect(await toldOf(api)).toEqual([]);
    await use(service, api, group, 1);
    await use(service, api, group, 1);
    expect(await toldOf(api)).toEqual(['near embed_tokens_per_day 8/10']);
    await use(service, api, group, 1);
    await use(service, api, group, 3);
    expect(await toldOf(api)).toEqual([
      'near embed_tokens_per_day 8/10',
      'reached embed_tokens_per_day 10/10',
    ]);
    expect(await eventsOf(api)).toEqual([
      expect.objectContaining({ action: 'user_group.quota_near' }),
      expect.objectContaining({
        action: 'user_group.quota_reached',
        actor: expect.objectContaining({ type: 'service' }),
        object: { type: 'user_group', id: group.id },
        details: {
          team_id: group.teamId,
          limit: 'embed_tokens_per_day',
          limit_value: 10,
          used: 10,
          from: '2030-02-01T00:00:00.000Z',
          to: '2030-02-02T00:00:00.000Z',
        },
      }),
    ]);
    passTime(DAY_MS);
    await use(service, api, group, 12);
    expect((await toldOf(api)).slice(2)).toEqual([
      'near embed_tokens_per_day 12/10',
      'reached embed_tokens_per_day 12/10',
    ]);
  });

  test('users of a month count once, also those of batches, and the next month begins with none', async () => {
    goTo('2030-04-30T10:00:00Z');
    const { api } = await TestWorkspace.create(service, 'month');
    const group = await api.create();
    await put(api, group, { users_per_month: 5 });
    await report(api, viewsOf(group.id, 0, 3));
    await report(api, viewsOf(group.id, 0, 3));
    expect(await toldOf(api)).toEqual([]);
    await report(api, viewsOf(group.id, 0, 4));
    await issue(api, group, { user: { id: 'user 4' } });
    await flush(service);
    await report(api, viewsOf(group.id, 3, 9));
    const told = ['near users_per_month 4/5', 'reached users_per_month 5/5'];
    expect(await toldOf(api)).toEqual(told);
    passTime(DAY_MS);
    await report(api, viewsOf(group.id, 0, 3));
    expect(await toldOf(api)).toEqual(told);
    await report(api, viewsOf(group.id, 3, 4));
    expect((await toldOf(api)).slice(2)).toEqual(['near users_per_month 4/5']);
  });

  test('a limit that is set below the use of its period is told of at once, and a raised limit once more', async () => {
    goTo('2030-05-10T10:00:00Z');
    const { api } = await TestWorkspace.create(service, 'lowered');
    const group = await api.create();
    await use(service, api, group, 4);
    await put(api, group, { embed_tokens_per_day: 4 });
    await put(api, group, { embed_tokens_per_day: 5 });
    await put(api, group, { embed_tokens_per_day: 4 });
    expect(await toldOf(api)).toEqual([
      'near embed_tokens_per_day 4/4',
      'reached embed_tokens_per_day 4/4',
      'near embed_tokens_per_day 4/5',
    ]);
  });

  test('other groups, and the same group in another workspace, are not told of', async () => {
    const { api } = await TestWorkspace.create(service, 'others');
    const { api: foreign } = await TestWorkspace.create(service, 'not others');
    await Promise.all([api, foreign].map((one) => one.put({ user_group_id: 'same', name: 'x' })));
    const path = '/api/v1/user-groups/same';
    const other = await api.create();
    await put(api, { path }, { embed_tokens_per_day: 1 });
    await use(service, foreign, { path }, 3);
    await use(service, api, other, 3);
    expect([await toldOf(api), await toldOf(foreign)]).toEqual([[], []]);
  });

  describe('across replicas', () => {
    let database: TestDatabase;
    let replicas: TestService[];

    beforeEach(async () => {
      database = await createTestDatabase(kind);
      replicas = [await startTestService(database), await startTestService(database)];
    });

    afterEach(async () => {
      for (const one of replicas) await one.close();
      await database.drop();
    });

    test('each event is recorded once, whichever of them counts, and however often at once', async () => {
      const [one, other] = replicas as [TestService, TestService];
      const groups = await Promise.all(Array.from({ length: 5 }, () => one.api.create()));
      for (const group of groups) await put(one.api, group, { embed_tokens_per_day: 6 });
      for (let round = 0; round < 3; round++) {
        for (const group of groups) {
          for (const { api } of replicas) expect((await issue(api, group)).status).toBe(201);
        }
        await Promise.all(replicas.map(flush));
        await Promise.all(groups.map((group) => report(other.api, viewsOf(group.id, 0, 1))));
      }
      const told = await eventsOf(one.api);
      expect(told.map(({ action, object }) => `${action} ${object.id}`).sort()).toEqual(
        groups
          .flatMap(({ id }) => [`user_group.quota_near ${id}`, `user_group.quota_reached ${id}`])
          .sort(),
      );
    });

    test('each of them refuses after it has written its counts, and issues again once the limits allow it', async () => {
      const [one, other] = replicas as [TestService, TestService];
      const group = await one.api.create();
      await put(one.api, group, { embed_tokens_per_day: 2, refuse_embed_tokens: true });
      await use(one, one.api, group, 2);
      expect((await issue(one.api, group)).status).toBe(429);
      await use(other, other.api, group, 1);
      expect((await issue(other.api, group)).status).toBe(429);
      await put(one.api, group, { embed_tokens_per_day: 9, refuse_embed_tokens: true });
      expect((await issue(one.api, group)).status).toBe(201);
      await until(async () => (await issue(other.api, group)).status === 201);
    });

    test('one that is started later refuses from the beginning', async () => {
      const [one] = replicas as [TestService];
      const group = await one.api.create();
      await put(one.api, group, { embed_tokens_per_day: 1, refuse_embed_tokens: true });
      await use(one, one.api, group, 1);
      const later = await startTestService(database);
      replicas.push(later);
      expect((await issue(later.api, group)).status).toBe(429);
    });
  });

  describe('embed tokens beyond a limit', () => {
    test('are issued unless the limits refuse them', async () => {
      const { api } = await TestWorkspace.create(service, 'not refused');
      const group = await api.create();
      await put(api, group, { embed_tokens_per_day: 1 });
      await use(service, api, group, 3);
      expect((await issue(api, group)).status).toBe(201);
    });

    test('are refused until the day ends, and Retry-After tells the seconds', async () => {
      goTo('2030-06-10T22:00:00Z');
      const { api } = await TestWorkspace.create(service, 'refused');
      const group = await api.create();
      const other = await api.create();
      await put(api, group, { embed_tokens_per_day: 2, refuse_embed_tokens: true });
      await use(service, api, group, 2);
      const refused = await issue(api, group);
      expect(refused).toMatchObject({ status: 429, body: { code: 'quota_reached' } });
      expect(Number(refused.headers['retry-after'])).toBe((2 * HOUR_MS) / 1000);
      expect((await issue(api, other)).status).toBe(201);
      passTime(2 * HOUR_MS);
      expect((await issue(api, group)).status).toBe(201);
    });

    test('are all refused by a limit of 0, on each day', async () => {
      stopTime();
      const { api } = await TestWorkspace.create(service, 'zero');
      const group = await api.create();
      await put(api, group, { embed_tokens_per_day: 0, refuse_embed_tokens: true });
      for (let day = 0; day < 2; day++) {
        const { status, headers } = await issue(api, group);
        expect(status).toBe(429);
        expect(Number(headers['retry-after'])).toBeLessThanOrEqual(DAY_MS / 1000);
        passTime(DAY_MS);
      }
      expect(await eventsOf(api)).toEqual([]);
    });

    test('are issued again once the limits allow it, also if older limits are read meanwhile', async () => {
      const { api } = await TestWorkspace.create(service, 'overlapping');
      const group = await api.create();
      await put(api, group, { embed_tokens_per_day: 0, refuse_embed_tokens: true });
      const statements = service.app.get(Statements);
      const read = statements.read.bind(statements);
      /** Ends the reads that are held, in their order. */
      const releases: (() => void)[] = [];
      const held = jest.spyOn(statements, 'read').mockImplementation(async (...given) => {
        const found = await read(...given);
        if (given[0].name === 'usage.find-refusal' && releases.length < 2) {
          await new Promise<void>((resolve) => releases.push(resolve));
        }
        return found;
      });
      service.app.get(ChangeFeed).invalidate({ workspaceId: 1, userGroupId: group.teamId });
      await until(() => releases.length === 1);
      await put(api, group, { embed_tokens_per_day: 9, refuse_embed_tokens: true });
      expect((await issue(api, group)).status).toBe(201);
      releases[0]!();
      await until(() => releases.length === 2);
      expect((await issue(api, group)).status).toBe(201);
      releases[1]!();
      held.mockRestore();
    });

    test('are not introspections: tokens of the group stay valid', async () => {
      const { api } = await TestWorkspace.create(service, 'introspected');
      const group = await api.create();
      const issued = (await issue(api, group)).body.embed_token.token;
      await put(api, group, { embed_tokens_per_day: 0, refuse_embed_tokens: true });
      expect((await issue(api, group)).status).toBe(429);
      expect([await api.isActive(group.token), await api.isActive(issued)]).toEqual([true, true]);
    });

    test('leave no trace but a count of refusals', async () => {
      const { api } = await TestWorkspace.create(service, 'no trace');
      const group = await api.create();
      await put(api, group, { embed_tokens_per_day: 0, refuse_embed_tokens: true });
      const read = async () => {
        const text = await service.app.get(Metrics).registry.metrics();
        const line = text.split('\n').find((one) => one.startsWith('usage_refused_embed_tokens'));
        return Number(line!.split(' ').at(-1));
      };
      const before = await read();
      expect((await issue(api, group)).status).toBe(429);
      await flush(service);
      expect(await read()).toBe(before + 1);
      const rows = await service.query(
        `SELECT 1 FROM usage_count WHERE user_group_id = ${group.teamId}`,
      );
      expect(rows).toEqual([]);
    });
  });

  test('what was told is forgotten when nothing can be added to its period any more', async () => {
    goTo('2030-08-15T10:00:00Z');
    const { api } = await TestWorkspace.create(service, 'forgotten');
    const group = await api.create();
    await put(api, group, { users_per_month: 1 });
    await report(api, viewsOf(group.id, 0, 1));
    const kept = async () => {
      await service.app.get(UsageNoticeExpiry).sweep();
      return service.query(`SELECT level FROM usage_notice WHERE user_group_id = ${group.teamId}`);
    };
    goTo('2030-09-04T00:00:00Z');
    expect(await kept()).toHaveLength(2);
    passTime(1);
    expect(await kept()).toEqual([]);
  });
});
