import type { GetUserGroupResponse } from '../../../src/core/user-group/resource/dto/past-response.dto.ts';
import { changeDatabase, onEachDatabase } from '../../support/database/databases.ts';
import { passTime } from '../../support/time/fake-time.ts';
import { TestWorkspace } from '../../support/registry.ts';
import { withService } from '../../support/test-service.ts';
import { untilAfter } from '../../support/time/until.ts';

const DAY_MS = 86_400_000;

type PastBody = Required<GetUserGroupResponse>;

onEachDatabase((kind) => {
  const service = withService(kind);
  const settings = '/api/v1/workspace';

  const call = async (method: string, path: string, body?: object) => {
    const answer = await service.api.call(method, path, body);
    if (answer.status >= 300) throw new Error(answer.text);
    return answer;
  };
  const at = (path: string, time: string) =>
    service.api.call('GET', `${path}?at=${encodeURIComponent(time)}`);
  const seen = async (path: string, time: string) => {
    const { body } = await at(path, time);
    const { user_group, past } = body;
    const tokens = past.tokens.map(({ generation, refused_because }) => [
      generation,
      refused_because,
    ]);
    return [past.version, user_group.name, ...tokens];
  };
  /** Returns the time; the next call happens at a later one. */
  const now = () => {
    const time = new Date().toISOString();
    passTime(10);
    return time;
  };

  test('each time has its state and its tokens, also after the deletion, and none before the creation', async () => {
    const before = now();
    const { path, token, id, teamId } = await service.api.create({
      mapping: { sales: 7 },
      properties: { a: 1 },
    });
    const first = now();
    await call('PATCH', path, { name: 'Second', mapping: null });
    const second = now();
    const rotated = await service.api.rotate(token, 60);
    const third = now();
    await call('POST', `${path}/suspend`);
    const fourth = now();
    await call('POST', `${path}/resume`);
    await call('POST', `${path}/tokens/1/revoke`);
    const fifth = now();
    passTime(1000);
    await service.api.rotate(rotated);
    const sixth = now();
    const expected: [string, unknown[]][] = [
      [first, [1, id, [1, null]]],
      [second, [2, 'Second', [1, null]]],
      [third, [2, 'Second', [2, null], [1, null]]],
      [fourth, [3, 'Second', [2, 'group_suspended'], [1, 'group_suspended']]],
      [fifth, [4, 'Second', [2, null], [1, 'revoked']]],
      [sixth, [4, 'Second', [3, null], [2, 'superseded']]],
    ];
    const inOrder = async () => {
      for (const [time, state] of expected) {
        expect([time, await seen(path, time)]).toEqual([time, state]);
      }
    };
    await inOrder();
    await call('DELETE', path);
    const gone = now();
    await inOrder();
    await call('PUT', path, { name: 'Another' });
    await inOrder();
    expect(await seen(path, now())).toEqual([1, 'Another', [1, null]]);

    const { body } = await at(path, first);
    expect(body.user_group).toMatchObject({
      team_id: teamId,
      mapping: { sales: 7 },
      properties: { a: 1 },
    });
    expect(body.past.at).toBe(first);
    expect((await at(path, first)).headers['etag']).toBeUndefined();
    for (const time of [before, gone]) {
      const { status, body } = await at(path, time);
      expect([status, body.code]).toEqual([404, 'user_group_not_found']);
    }
  });

  test('the status is that of the time, and a restored group ends when it did', async () => {
    const { path, token } = await service.api.create();
    const active = now();
    const valid_until = new Date(Date.now() + 60_000).toISOString();
    await call('PATCH', path, { valid_until });
    const ending = now();
    passTime(120_000);
    const expired = now();
    await call('POST', `${path}/suspend`);
    const suspended = now();
    await call('DELETE', path);
    const statuses = await Promise.all(
      [active, ending, expired, suspended].map(async (time) => {
        const { user_group, past } = (await at(path, time)).body as unknown as PastBody;
        return [
          user_group.status,
          user_group.reasons.map(({ code }) => code),
          past.tokens[0]!.refused_because,
        ];
      }),
    );
    expect(statuses).toEqual([
      ['active', [], null],
      ['active', [], null],
      ['expired', ['expired'], 'group_expired'],
      ['suspended', ['suspended', 'expired'], 'group_suspended'],
    ]);
    const restored = (await call('POST', `${path}/versions/3/restore`)).body as unknown as PastBody;
    expect(restored.user_group).toMatchObject({ valid_until, status: 'suspended' });
    expect(await service.api.isActive(token)).toBe(false);
  });

  test('the moment of a change belongs to the state after it', async () => {
    const { path } = await service.api.create();
    now();
    const { updated_at } = (await call('PATCH', path, { name: 'Changed' })).body.user_group;
    now();
    await call('PATCH', path, { name: 'Again' });
    expect((await at(path, updated_at)).body.user_group.name).toBe('Changed');
    const earlier = new Date(Date.parse(updated_at) - 1).toISOString();
    expect((await at(path, earlier)).body.past.version).toBe(1);
  });

  test('tokens are judged by the rules and the kill switch of that time', async () => {
    const { path, id } = await service.api.create();
    const free = await realTime();
    await changeDatabase(
      service.database,
      `UPDATE workspace SET variables = '[{"name":"plan","type":"string","required":true,"isSecret":false}]', rules_version = rules_version + 1`,
    );
    const required = await realTime();
    await changeDatabase(
      service.database,
      `UPDATE workspace SET variables = '[]', rules_version = rules_version + 1`,
    );
    const relaxed = await realTime();
    await call('POST', `${settings}/end-tokens`, { kinds: ['user_group_token'], reason: 'test' });
    const ended = await realTime();
    expect([
      await seen(path, free),
      await seen(path, required),
      await seen(path, relaxed),
      await seen(path, ended),
    ]).toEqual([
      [1, id, [1, null]],
      [1, id, [1, 'group_incomplete']],
      [1, id, [1, null]],
      [1, id, [1, 'tokens_ended']],
    ]);
    const { user_group, past } = (await at(path, ended)).body as unknown as PastBody;
    expect([user_group.status, past.tokens[0]!.generation]).toEqual(['no_valid_token', 1]);
    await service.api.get({ user_group_id: id });
    const statuses = await Promise.all(
      [relaxed, ended, await realTime()].map(
        async (time) => (await at(path, time)).body.user_group.status,
      ),
    );
    expect(statuses).toEqual(['active', 'no_valid_token', 'active']);
  });

  test('a policy that is left takes the resolutions with it, which the response says', async () => {
    const { api } = await TestWorkspace.create(service, 'left');
    const registered = (body: object) => api.call('PATCH', settings, body);
    await api.call('POST', '/api/v1/schemas', { provided_id: 'sales', name: 'Sales' });
    await api.call('POST', '/api/v1/data-sources', { provided_id: 'warehouse', name: 'Warehouse' });
    const { path } = await api.create({ mapping: { sales: 'warehouse' } });
    const open = await realTime();
    const sent = { mapping_policy: 'registered', required_schemas: ['sales'] };
    expect((await registered(sent)).status).toBe(200);
    const enforced = await realTime();
    await api.call('PATCH', path, { name: 'Changed under the policy' });
    const changed = await realTime();
    expect((await registered({ mapping_policy: 'open' })).status).toBe(200);
    const known = async (time: string) => {
      const { body } = await api.call('GET', `${path}?at=${time}`);
      return [body.past.is_resolution_kept, body.past.tokens[0]!.refused_because];
    };
    expect(await known(open)).toEqual([true, null]);
    expect(await known(enforced)).toEqual([true, null]);
    expect(await known(changed)).toEqual([false, null]);
    expect(await known(await realTime())).toEqual([true, null]);
  });

  /** A time between two others by the clock of the database, which no test can set. */
  async function realTime(): Promise<string> {
    await untilAfter();
    const time = new Date().toISOString();
    await untilAfter();
    return time;
  }

  test('a time in the future, or in no form of a time, is refused; a foreign group is not found', async () => {
    const { path } = await service.api.create();
    for (const time of ['2999-01-01T00:00:00Z', 'yesterday', '2020-02-31T00:00:00Z']) {
      expect([time, (await at(path, time)).status]).toEqual([time, 422]);
    }
    const other = service.clientOf(await service.issueToken(['user-groups:read'], 'another'));
    const time = new Date().toISOString();
    const foreign = await other.call('GET', `${path}?at=${time}`);
    const missing = await other.call('GET', `/api/v1/user-groups/never?at=${time}`);
    expect([foreign.status, foreign.body.code, foreign.body.detail]).toEqual([
      404,
      'user_group_not_found',
      missing.body.detail,
    ]);
  });

  test('a time beyond the retention has no state, also of a group that has not changed since', async () => {
    const { path } = await service.api.create();
    const time = now();
    passTime(366 * DAY_MS);
    const { status, body } = await at(path, time);
    expect([status, body.code]).toEqual([404, 'history_begins_later']);
    expect((await at(path, new Date().toISOString())).status).toBe(200);
  });
});
