import { ActivityRetention, ActivityTally } from '../../src/core/activity/activity-tally.ts';
import type { ActivityResponse } from '../../src/features/overview/dto/activity-response.dto.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { recordRoundTrips } from '../support/database/database-traffic.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
} from '../support/database/databases.ts';
import { planOf, wasteIn } from '../support/database/query-plan.ts';
import { TestWorkspace } from '../support/registry.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';
import { isDeepStrictEqual } from 'node:util';

const PATH = '/api/v1/overview/activity';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Activity = ActivityResponse['activity'];

/** Writes twice: the first call may join a write that has begun before the last count. */
const flush = async ({ app }: TestService) => {
  const tally = app.get(ActivityTally);
  await tally.flush();
  await tally.flush();
};

async function read(api: ApiClient, query: Record<string, string> = {}): Promise<Activity> {
  const { status, body } = await api.call(
    'GET',
    `${PATH}?${new URLSearchParams(query).toString()}`,
  );
  expect(status).toBe(200);
  return (body as unknown as ActivityResponse).activity;
}

/** All of what was counted: the hour may end while a test runs. */
async function total(api: ApiClient): Promise<object> {
  const sum = { introspections: 0, rotations: 0, creations: 0 };
  for (const point of (await read(api)).points) {
    sum.introspections += point.introspections;
    sum.rotations += point.rotations;
    sum.creations += point.creations;
  }
  return sum;
}

onEachDatabase((kind) => {
  const roundTrips = recordRoundTrips();
  const service = withService(kind);

  const idOf = async (name: string): Promise<number> => {
    const [row] = await service.query<{ id: number }>(
      `SELECT id FROM workspace WHERE name = '${name}'`,
    );
    return row!.id;
  };

  const store = (workspaceId: number, hours: Record<string, [number, number, number]>) =>
    changeDatabase(
      service.database,
      `INSERT INTO activity (workspace_id, hour, introspections, rotations, creations) VALUES ${Object.entries(
        hours,
      )
        .map(([at, counts]) => `(${[workspaceId, Date.parse(at), ...counts].join(', ')})`)
        .join(', ')}`,
    );

  test('counts introspections, rotations and creations of each workspace alone', async () => {
    const { api } = await TestWorkspace.create(service, 'busy');
    const { api: idle } = await TestWorkspace.create(service, 'idle');
    const first = await api.create({ name: 'first' });
    await api.call('PUT', '/api/v1/user-groups/second', { name: 'Second' });
    await api.call('PUT', '/api/v1/user-groups/second', { name: 'Changed' });
    const { body } = await api.post({ current_token: first.token });
    const rotated = await api.call('POST', '/api/v1/user-groups/second/tokens/rotate', {});
    expect(rotated.status).toBe(200);
    await api.introspect(body.user_group.token);
    await api.introspect(first.token);
    await idle.introspect(body.user_group.token);
    await flush(service);
    expect(await total(api)).toEqual({ introspections: 2, rotations: 2, creations: 2 });
    expect(await total(idle)).toEqual({ introspections: 1, rotations: 0, creations: 0 });
  });

  test('what is refused is not counted', async () => {
    const { api } = await TestWorkspace.create(service, 'refused');
    await api.call('PUT', '/api/v1/user-groups/nameless', {});
    await api.call('POST', '/api/v1/user-groups/unknown/tokens/rotate', {});
    await api.call('POST', '/api/v1/introspect', {});
    await flush(service);
    expect(await total(api)).toEqual({ introspections: 0, rotations: 0, creations: 0 });
  });

  test('writes what it counts every five seconds, by itself', async () => {
    const { api } = await TestWorkspace.create(service, 'by itself');
    await api.introspect('unknown');
    const expected = { introspections: 1, rotations: 0, creations: 0 };
    await until(async () => isDeepStrictEqual(await total(api), expected));
  });

  test('what could not be written is added later', async () => {
    const { api } = await TestWorkspace.create(service, 'later');
    await api.introspect('unknown');
    await changeDatabase(service.database, 'ALTER TABLE activity RENAME TO activity_away');
    try {
      await flush(service);
      await api.introspect('unknown');
      await flush(service);
    } finally {
      await changeDatabase(service.database, 'ALTER TABLE activity_away RENAME TO activity');
    }
    await flush(service);
    await flush(service);
    expect(await total(api)).toMatchObject({ introspections: 2 });
  });

  test('processes that share a database add up, and each writes the rest at its end', async () => {
    const database = await createTestDatabase(kind);
    const [one, other] = [await startTestService(database), await startTestService(database)];
    const { token } = await one.api.create({ name: 'shared' });
    await Promise.all([one.api.introspect(token), other.api.introspect(token)]);
    await Promise.all([flush(one), flush(other)]);
    expect(await total(one.api)).toEqual({ introspections: 2, rotations: 0, creations: 1 });
    await other.api.introspect(token);
    await other.api.rotate(token);
    await other.close();
    expect(await total(one.api)).toEqual({ introspections: 3, rotations: 1, creations: 1 });
    await one.close();
    await database.drop();
  });

  test('answers each hour or day of a period, in UTC', async () => {
    const { api } = await TestWorkspace.create(service, 'steps');
    await store(await idOf('steps'), {
      '2030-01-01T22:00Z': [9, 9, 9],
      '2030-01-01T23:00Z': [5, 0, 1],
      '2030-01-02T01:00Z': [3, 1, 0],
      '2030-01-02T02:00Z': [2, 2, 2],
    });
    const hours = await read(api, {
      from: '2030-01-02T01:15:00+01:45',
      to: '2030-01-02T01:00:00.001Z',
    });
    expect(hours).toEqual({
      step: 'hour',
      points: [
        { at: '2030-01-01T23:00:00.000Z', introspections: 5, rotations: 0, creations: 1 },
        { at: '2030-01-02T00:00:00.000Z', introspections: 0, rotations: 0, creations: 0 },
        { at: '2030-01-02T01:00:00.000Z', introspections: 3, rotations: 1, creations: 0 },
      ],
    });
    const days = await read(api, {
      from: '2030-01-01T23:59:59Z',
      to: '2030-01-03T00:00:00Z',
      step: 'day',
    });
    expect(days).toEqual({
      step: 'day',
      points: [
        { at: '2030-01-01T00:00:00.000Z', introspections: 14, rotations: 9, creations: 10 },
        { at: '2030-01-02T00:00:00.000Z', introspections: 5, rotations: 3, creations: 2 },
      ],
    });
  });

  test('answers the last 24 hours or 30 days where no period is given', async () => {
    const { api } = await TestWorkspace.create(service, 'defaults');
    const before = Date.now();
    const lengths = await Promise.all(
      (['hour', 'day'] as const).map(async (step) => {
        const { points } = await read(api, { step });
        const stepMs = step === 'hour' ? HOUR_MS : DAY_MS;
        expect(Date.parse(points.at(-1)!.at)).toBeGreaterThan(before - stepMs);
        return points.length;
      }),
    );
    expect(lengths).toEqual([24, 30]);
    expect((await read(api)).step).toBe('hour');
  });

  test.each([
    ['from', { from: 'yesterday' }],
    ['to', { to: '2030-02-31T00:00:00Z' }],
    ['step', { step: 'minute' }],
    ['to', { from: '2030-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' }],
    ['from', { from: '2030-01-01T00:59:00Z', to: '2030-04-02T16:00:00.001Z' }],
    ['from', { from: '2030-01-01T00:00:00Z', to: '2036-01-10T00:00:01Z', step: 'day' }],
    ['until', { until: '2030-01-01T00:00:00Z' }],
  ])('refuses %s of %j', async (parameter, query) => {
    const answer = await service.api.call(
      'GET',
      `${PATH}?${new URLSearchParams(query as Record<string, string>).toString()}`,
    );
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ in: 'query', parameter }],
    });
  });

  test('answers 2,200 points, and reads no more of the table than it answers', async () => {
    const { api } = await TestWorkspace.create(service, 'long');
    roundTrips.length = 0;
    const { points } = await read(api, {
      from: '2030-01-01T00:59:00Z',
      to: '2030-04-02T16:00:00Z',
    });
    expect(points).toHaveLength(2200);
    const reading = roundTrips.flat().filter((sql) => sql.includes('FROM activity'));
    expect(reading).toHaveLength(1);
    const plan = await planOf(service, reading[0]!);
    expect([plan, wasteIn(plan)]).toEqual([plan, []]);
  });

  test('removes what is older than 90 days', async () => {
    await TestWorkspace.create(service, 'old');
    const id = await idOf('old');
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const at = (time: number) => new Date(time).toISOString();
    await store(id, {
      [at(hour - 91 * DAY_MS)]: [1, 1, 1],
      [at(hour - 90 * DAY_MS - HOUR_MS)]: [1, 1, 1],
      [at(hour - 89 * DAY_MS)]: [1, 1, 1],
    });
    expect(await service.app.get(ActivityRetention).sweep()).toBe(2);
    const rows = await service.query<{ hour: number | string }>(
      `SELECT hour FROM activity WHERE workspace_id = ${id}`,
    );
    expect(rows.map((row) => Number(row.hour))).toEqual([hour - 89 * DAY_MS]);
  });
});
