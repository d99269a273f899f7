import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { UsageBatchExpiry } from '../../src/features/usage/counting/usage-retention.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
} from '../support/database/databases.ts';
import { errorsOf, TestWorkspace } from '../support/registry.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { passTime, stopTime } from '../support/time/fake-time.ts';
import { ago, batchOf, DAY_MS, HOUR_MS, report, totalOf } from './usage-calls.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  test('views of a batch count for their groups, and for the workspace', async () => {
    const { api } = await TestWorkspace.create(service, 'counted');
    const [one, other] = [await api.create(), await api.create()];
    const answer = await report(
      api,
      [
        { sub: one.id, count: 3, at: ago(0) },
        { sub: one.id, user_id: 'u', resource: 'd', count: 4, at: ago(0) },
        { sub: other.id, count: 5, at: ago(HOUR_MS) },
      ],
      'a batch',
    );
    expect(batchOf(answer)).toEqual({
      batch_id: 'a batch',
      counted: 12,
      not_counted: 0,
      unknown: [],
    });
    expect(await totalOf(api, `${one.path}/usage`)).toMatchObject({ views: 7 });
    expect(await totalOf(api, `${other.path}/usage`)).toMatchObject({ views: 5 });
    expect(await totalOf(api)).toEqual({ views: 12, embed_tokens: 0, introspections: 0 });
  });

  test('views of an unknown group, and of one of another workspace, count for nobody', async () => {
    const { api } = await TestWorkspace.create(service, 'unknown');
    const { api: other } = await TestWorkspace.create(service, 'not this one');
    const [own, foreign] = [await api.create(), await other.create()];
    const answer = await report(api, [
      { sub: 'nobody', count: 1, at: ago(0) },
      { sub: own.id, count: 2, at: ago(0) },
      { sub: foreign.id, count: 4, at: ago(0) },
    ]);
    expect(batchOf(answer)).toMatchObject({ counted: 2, not_counted: 5, unknown: [0, 2] });
    expect(await totalOf(api)).toMatchObject({ views: 2 });
    expect(await totalOf(other)).toMatchObject({ views: 0 });
    expect(batchOf(await report(api, [{ sub: 'nobody', count: 1, at: ago(0) }]))).toMatchObject({
      counted: 0,
    });
  });

  test('a batch that is sent again counts nothing, and gets the same response', async () => {
    const { api } = await TestWorkspace.create(service, 'again');
    const { id } = await api.create();
    const views = [
      { sub: id, count: 3, at: ago(0) },
      { sub: 'nobody', count: 2, at: ago(0) },
    ];
    const first = await report(api, views, 'once');
    const second = await report(api, views, 'once');
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await totalOf(api)).toMatchObject({ views: 3 });
    const reordered = await api.call('POST', '/api/v1/usage/batches', { views, batch_id: 'once' });
    expect(reordered.body).toEqual(first.body);
  });

  test('the id of a batch with other views is refused, and counts nothing', async () => {
    const { api } = await TestWorkspace.create(service, 'reused');
    const { id } = await api.create();
    const view = { sub: id, count: 1, at: ago(0) };
    await report(api, [view], 'mine');
    const others = [
      [{ ...view, count: 2 }],
      [{ ...view, user_id: 'u' }],
      [{ ...view, resource: 'u' }],
      [view, view],
    ];
    for (const views of others) {
      expect(await report(api, views, 'mine')).toMatchObject({
        status: 409,
        body: { code: 'usage_batch_reused' },
      });
    }
    expect(await totalOf(api)).toMatchObject({ views: 1 });
  });

  test('each workspace has ids of batches of its own', async () => {
    for (const name of ['ids', 'other ids']) {
      const { api } = await TestWorkspace.create(service, name);
      const { id } = await api.create();
      await report(api, [{ sub: id, count: 1, at: ago(0) }], 'the same');
      expect(await totalOf(api)).toMatchObject({ views: 1 });
    }
  });

  test('replicas that get one batch at once count it once, and respond alike', async () => {
    const database = await createTestDatabase(kind);
    const one = await startTestService(database);
    const other = await startTestService(database);
    const { id } = await one.api.create();
    for (let round = 0; round < 5; round++) {
      const views = [{ sub: id, user_id: 'u', count: 1, at: ago(0) }];
      const calls = [one, other, one, other].map(({ api }) => report(api, views, `round ${round}`));
      const answers = await Promise.all(calls);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
    expect(await totalOf(one.api)).toMatchObject({ views: 5 });
    await one.close();
    await other.close();
    await database.drop();
  });

  test('batches with the same groups in different orders, at once, are all counted', async () => {
    const { api } = await TestWorkspace.create(service, 'orders');
    const groups = await Promise.all(Array.from({ length: 20 }, () => api.create()));
    const views = groups.map(({ id }, at) => ({
      sub: id,
      user_id: `u${at}`,
      count: 1,
      at: ago(at * HOUR_MS),
    }));
    const orders = Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0 ? views : [...views.slice(n), ...views.slice(0, n)].toReversed(),
    );
    const answers = await Promise.all(orders.map((order) => report(api, order)));
    expect(answers.map(({ status }) => status)).toEqual(orders.map(() => 200));
    expect(await totalOf(api)).toMatchObject({ views: 240 });
  });

  test('a batch is stored with its counts, or not at all', async () => {
    const { api } = await TestWorkspace.create(service, 'as a whole');
    const { id } = await api.create();
    const views = [{ sub: id, user_id: 'u', count: 1, at: ago(0) }];
    await changeDatabase(service.database, 'ALTER TABLE usage_count RENAME TO usage_count_away');
    try {
      expect((await report(api, views, 'whole')).status).toBeGreaterThanOrEqual(500);
    } finally {
      await changeDatabase(service.database, 'ALTER TABLE usage_count_away RENAME TO usage_count');
    }
    expect(batchOf(await report(api, views, 'whole'))).toMatchObject({ counted: 1 });
    expect(await totalOf(api)).toMatchObject({ views: 1 });
  });

  test('1,000 views of 1,000 groups are one batch, and 1,001 are refused', async () => {
    const { api } = await TestWorkspace.create(service, 'large');
    const { id } = await api.create();
    const views = Array.from({ length: 1000 }, (_, n) => ({
      sub: n % 2 === 0 ? id : `nobody ${n}`,
      count: 1,
      at: ago(0),
    }));
    expect(batchOf(await report(api, views))).toMatchObject({ counted: 500, not_counted: 500 });
    const answer = await report(api, [...views, views[0]!]);
    expect([answer.status, errorsOf(answer)]).toEqual([422, [['/views', 'too_many']]]);
    expect(await totalOf(api)).toMatchObject({ views: 500 });
  });

  test.each([
    ['/batch_id', { batch_id: '' }],
    ['/batch_id', { batch_id: undefined }],
    ['/batch_id', { batch_id: 'x'.repeat(256) }],
    ['/batch_id', { batch_id: 'a\nb' }],
    ['/views', { views: undefined }],
    ['/views', { views: [] }],
    ['/views/0/sub', { views: [{ count: 1, at: ago(0) }] }],
    ['/views/0/count', { views: [{ sub: 'x', count: 0, at: ago(0) }] }],
    ['/views/0/count', { views: [{ sub: 'x', count: 1.5, at: ago(0) }] }],
    ['/views/0/count', { views: [{ sub: 'x', count: 1_000_001, at: ago(0) }] }],
    ['/views/0/user_id', { views: [{ sub: 'x', user_id: 7, count: 1, at: ago(0) }] }],
    ['/views/0/at', { views: [{ sub: 'x', count: 1, at: 'now' }] }],
    ['/views/0/at', { views: [{ sub: 'x', count: 1, at: ago(2 * DAY_MS + 60_000) }] }],
    ['/views/0/at', { views: [{ sub: 'x', count: 1, at: ago(-10 * 60_000) }] }],
    ['/views/0/name', { views: [{ sub: 'x', count: 1, at: ago(0), name: 'x' }] }],
  ])('refuses %s of %j, and counts nothing', async (pointer, fields) => {
    const body = { batch_id: 'x', views: [{ sub: 'x', count: 1, at: ago(0) }], ...fields };
    const answer = await service.api.call('POST', '/api/v1/usage/batches', body);
    expect([answer.status, errorsOf(answer)[0]?.[0]]).toEqual([422, pointer]);
  });

  test('a clock that is five minutes ahead is no mistake', async () => {
    const { id } = await service.api.create();
    const answer = await report(service.api, [{ sub: id, count: 1, at: ago(-4 * 60_000) }]);
    expect(batchOf(answer)).toMatchObject({ counted: 1 });
  });

  test('a batch is known for as long as its views could be counted again', async () => {
    stopTime();
    const { api } = await TestWorkspace.create(service, 'remembered');
    const { id } = await api.create();
    const views = [{ sub: id, count: 1, at: ago(0) }];
    const first = await report(api, views, 'remembered');
    passTime(2 * DAY_MS);
    await service.app.get(UsageBatchExpiry).sweep();
    expect((await report(api, views, 'remembered')).body).toEqual(first.body);
    passTime(2 * HOUR_MS);
    await service.app.get(UsageBatchExpiry).sweep();
    expect(errorsOf(await report(api, views, 'remembered'))).toEqual([
      ['/views/0/at', 'not_acceptable'],
    ]);
  });

  test('metrics count batches and views, without a label for groups', async () => {
    const { api } = await TestWorkspace.create(service, 'metrics');
    const { id } = await api.create();
    const scrape = () => service.app.get(Metrics).registry.metrics();
    const valueOf = async (name: string) =>
      Number(
        (await scrape())
          .split('\n')
          .find((line) => line.startsWith(name))
          ?.split(' ')
          .at(-1),
      );
    const names = [
      'usage_batches_total{result="counted"}',
      'usage_batches_total{result="repeated"}',
      'usage_views_total',
    ];
    const before = await Promise.all(names.map(valueOf));
    const views = [{ sub: id, count: 3, at: ago(0) }];
    await report(api, views, 'm');
    await report(api, views, 'm');
    const after = await Promise.all(names.map(valueOf));
    expect(after.map((value, at) => value - before[at]!)).toEqual([1, 1, 3]);
    expect(await scrape()).not.toContain(id);
  });
});
