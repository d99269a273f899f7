import type { ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { importGroups } from '../support/api/lines.ts';
import { noteForeignToken } from '../support/jest/leaks.ts';
import { runCli, type RunningServer, startServer } from '../support/process/processes.ts';
import { withService } from '../support/test-service.ts';
import { lastAskedBefore, until, untilAfter } from '../support/time/until.ts';
import { stopTimeLimits } from '../support/time/fake-time.ts';

const SCOPES = [
  'admin',
  'audit:read',
  'tokens:introspect',
  'user-groups:write',
  'user-group-tokens:read',
] as const;
const ALL = ['user_group_token', 'embed_token'];

async function end(api: ApiClient, body: object = {}) {
  // Times are compared to the millisecond: a token of the same one counts as later.
  await untilAfter();
  return api.call('POST', '/api/v1/workspace/end-tokens', {
    kinds: ALL,
    reason: 'leaked',
    ...body,
  });
}

const embed = (api: ApiClient, path: string) =>
  api.call('POST', `${path}/embed-tokens`, { audience: 'renderer' });

onEachDatabase((kind) => {
  const service = withService(kind);

  test('ends every token of the workspace, and those of no other', async () => {
    const { api } = service;
    const other = service.clientOf(await service.issueToken([...SCOPES], 'other'));
    const [mine, theirs] = [await api.create(), await other.create()];
    await api.rotate(mine.token, 3600);
    const imported = 'token-of-another-system-1';
    noteForeignToken(imported);
    await importGroups(api, { user_group_id: 'imported', name: 'I', token: imported });
    const embedded = (await embed(api, mine.path)).body.embed_token.token;
    const { body } = await end(api);
    const { before } = body.ended_tokens;
    expect(body).toEqual({
      success: 1,
      ended_tokens: {
        before,
        kinds: ALL,
        in_force: { user_group_token: before, embed_token: before },
      },
    });
    for (const token of [mine.token, imported, embedded]) {
      expect(await api.introspect(token)).toEqual({ active: false });
    }
    expect(await other.isActive(theirs.token)).toBe(true);
    const { body: listed } = await api.call('GET', `${mine.path}/tokens`);
    expect(listed.tokens.map(({ refused_because: reason }) => reason)).toEqual([
      'tokens_ended',
      'tokens_ended',
    ]);
  });

  test('a dry run counts the tokens that would end, current or in overlap, and ends none', async () => {
    const api = service.clientOf(
      await service.issueToken([...SCOPES, 'tokens:rotate', 'user-groups:read'], 'counted'),
    );
    const [kept, rotated, ended] = [await api.create(), await api.create(), await api.create()];
    await api.rotate(rotated.token, 3600);
    await api.rotate(ended.token, 0);
    const wouldEnd = async (body: object = {}) => {
      const { status, body: answer } = await end(api, { dry_run: true, ...body });
      const { in_force, would_end } = answer.ended_tokens;
      return [status, in_force.user_group_token, would_end];
    };
    expect(await wouldEnd()).toEqual([200, null, { count: 4, exact: true }]);
    expect(await wouldEnd({ kinds: ['embed_token'] })).toEqual([
      200,
      null,
      { count: 0, exact: true },
    ]);
    expect(await wouldEnd({ before: '2020-01-01T00:00:00Z' })).toEqual([
      200,
      null,
      { count: 0, exact: true },
    ]);
    expect(await Promise.all([kept, rotated].map(({ token }) => api.isActive(token)))).toEqual([
      true,
      true,
    ]);
    const { audit_events: events } = (
      await api.call('GET', '/api/v1/audit-events?types=workspace.end_tokens')
    ).body;
    expect(events).toEqual([]);
    const { body } = await end(api);
    const { before, would_end } = body.ended_tokens;
    expect(would_end).toBeUndefined();
    // The second count has no ended token, and has one that was issued since then.
    expect(await wouldEnd()).toEqual([200, before, { count: 0, exact: true }]);
    expect((await api.get({ user_group_id: kept.id })).status).toBe(200);
    expect(await wouldEnd()).toEqual([200, before, { count: 1, exact: true }]);
    expect(await wouldEnd({ before })).toEqual([200, before, { count: 0, exact: true }]);
  });

  test('a dry run counts over more groups than it reads at once', async () => {
    const api = service.clientOf(await service.issueToken([...SCOPES], 'many'));
    await importGroups(
      api,
      ...Array.from({ length: 1001 }, (_, at) => ({ user_group_id: `${at}`, name: 'Many' })),
    );
    const { body } = await end(api, { dry_run: true });
    expect(body.ended_tokens.would_end).toEqual({ count: 1001, exact: true });
  });

  test('GET and PUT of a group issue a fresh token once, and record it', async () => {
    const { api } = service;
    const [byGet, byPut, byWrite] = [await api.create(), await api.create(), await api.create()];
    await end(api);
    const answers = [
      await api.get({ user_group_id: byGet.id }),
      await api.put({ user_group_id: byPut.id }),
      await api.get({ user_group_id: byWrite.id, name: 'other', properties: { a: 1 } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[0]!.body).toMatchObject({
      new_user_group: false,
      user_group: { team_id: byGet.teamId },
    });
    for (const [index, { id, token: old }] of [byGet, byPut, byWrite].entries()) {
      const { token } = answers[index]!.body.user_group;
      expect(token).not.toBe(old);
      expect([await api.isActive(token), await api.isActive(old)]).toEqual([true, false]);
      expect((await api.get({ user_group_id: id })).body.user_group.token).toBe(token);
      const path = `/api/v1/audit-events?object_id=${encodeURIComponent(id)}&types=user_group_token.rotate`;
      const { audit_events: events } = (await api.call('GET', path)).body;
      expect(events.map(({ details }) => details)).toEqual([
        expect.objectContaining({ ended: true, grace_period_seconds: 0 }),
      ]);
    }
  });

  test('1,000 parallel GETs of one ended group issue exactly one token', async () => {
    const { id, token, path } = await service.api.create();
    await end(service.api);
    stopTimeLimits();
    const answers = await Promise.all(
      Array.from({ length: 1000 }, () => service.api.get({ user_group_id: id })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const issued = new Set(answers.map(({ body }) => body.user_group.token));
    expect([issued.size, issued.has(token)]).toEqual([1, false]);
    expect((await service.api.call('GET', `${path}/tokens`)).body.tokens).toHaveLength(2);
  });

  test('the holder of an ended token cannot rotate it; the host can, by the id', async () => {
    const { api } = service;
    const { token, path } = await api.create();
    await end(api);
    const unknown = await api.post({
      current_token: token.replace(/.{38}$/, '00000000000000000000000000000000000000'),
    });
    const refused = await api.post({ current_token: token });
    expect([refused.status, refused.body.code]).toEqual([404, 'token_not_found']);
    expect({ ...refused.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    const rotated = await api.call('POST', `${path}/tokens/rotate`);
    expect(await api.isActive(rotated.body.user_group.token)).toBe(true);
  });

  test('a reader is told which scope replaces the token', async () => {
    const { id, path } = await service.api.create();
    await end(service.api);
    const reader = service.clientOf(
      await service.issueToken(['user-groups:read', 'user-group-tokens:read']),
    );
    const { status, body } = await reader.get({ user_group_id: id });
    expect([status, body.code]).toEqual([403, 'insufficient_scope']);
    expect(body.detail).toContain('user-groups:write');
    for (const refused of [
      await reader.call('GET', `${path}/tokens/current`),
      await embed(service.api, path),
    ]) {
      expect([refused.status, refused.body.code]).toEqual([409, 'user_group_tokens_ended']);
    }
    expect((await reader.get({ user_group_id: 'nowhere' })).body.code).toBe('user_group_not_found');
  });

  test('embed tokens can be ended alone, and are issued again in the same second', async () => {
    const { api } = service;
    const { token, path } = await api.create();
    const issue = async () => (await embed(api, path)).body.embed_token.token;
    let last = await issue();
    // Several calls in each second: what was issued between two of them ends with the second.
    for (let round = 0; round < 12; round++) {
      expect((await end(api, { kinds: ['embed_token'] })).status).toBe(200);
      const next = await issue();
      expect([round, await api.isActive(last), await api.isActive(next)]).toEqual([
        round,
        false,
        true,
      ]);
      last = next;
    }
    expect(await api.isActive(token)).toBe(true);
    const { body } = await api.call('POST', '/api/v1/tokens/inspect', { token: last });
    expect(body).toMatchObject({ inspection: { accepted: true } });
    await end(api, { kinds: ['embed_token'] });
    const { body: ended } = await api.call('POST', '/api/v1/tokens/inspect', { token: last });
    expect(ended).toMatchObject({ inspection: { accepted: false, reason: 'tokens_ended' } });
  });

  test('a token that was issued between a time and the call for it stays active', async () => {
    const { api } = service;
    const { path } = await api.create();
    const issue = async () => (await embed(api, path)).body.embed_token.token;
    const early = await issue();
    await untilAfter();
    const before = new Date().toISOString();
    const late = await issue();
    await end(api, { kinds: ['embed_token'], before });
    expect([await api.isActive(early), await api.isActive(late)]).toEqual([false, true]);
  });

  test('a time is never moved back, and changes that change nothing are not recorded', async () => {
    const api = service.clientOf(await service.issueToken([...SCOPES], 'moving back'));
    const { token } = await api.create();
    const path = '/api/v1/audit-events?types=workspace.end_tokens';
    const early = '2020-01-01T00:00:00.000Z';
    const answers = [
      await end(api, { before: early }),
      await end(api, { before: '2019-01-01T00:00:00Z' }),
    ];
    for (const { body } of answers) {
      expect(body.ended_tokens.in_force).toEqual({ user_group_token: early, embed_token: early });
    }
    expect(await api.isActive(token)).toBe(true);
    const { audit_events: events } = (await api.call('GET', path)).body;
    expect(events).toEqual([
      expect.objectContaining({
        before: { user_group_token: null, embed_token: null },
        after: { user_group_token: early, embed_token: early },
        details: { kinds: ALL, reason: 'leaked' },
      }),
    ]);
  });

  test.each([
    ['/before', { before: '2999-01-01T00:00:00Z' }],
    ['/before', { before: 'yesterday' }],
    ['/kinds', { kinds: [] }],
    ['/kinds', { kinds: 'embed_token' }],
    ['/kinds', { kinds: undefined }],
    ['/kinds/0', { kinds: ['api_token'] }],
    ['/kinds/1', { kinds: ['embed_token', 'embed_token'] }],
    ['/reason', { reason: undefined }],
    ['/reason', { reason: '' }],
    ['/dry_run', { dry_run: 'true' }],
    ['/other', { other: 1 }],
  ])('refuses a body whose %s is not acceptable: %j', async (pointer, body) => {
    const { status, body: problem } = await end(service.api, body);
    expect([status, problem.errors[0]!.pointer]).toEqual([422, pointer]);
  });

  test('rotations beside it leave no token that was issued before', async () => {
    const { api } = service;
    const groups = await Promise.all(Array.from({ length: 20 }, () => api.create()));
    const issued = groups.map(({ token }) => token);
    const rotating = groups.map(async ({ id }) => {
      for (let round = 0; round < 10; round++) {
        const { body } = await api.get({ user_group_id: id });
        const { status, body: rotated } = await api.post({ current_token: body.user_group.token });
        if (status === 200) issued.push(rotated.user_group.token);
      }
    });
    await until(() => issued.length > 40);
    const before = issued.slice();
    await end(api, { kinds: ['user_group_token'] });
    await Promise.all(rotating);
    const active = await Promise.all(before.map((token) => api.isActive(token)));
    expect(new Set(active)).toEqual(new Set([false]));
    for (const { id } of groups) {
      expect(await api.isActive((await api.get({ user_group_id: id })).body.user_group.token)).toBe(
        true,
      );
    }
  });
});

onEachDatabase((kind) => {
  let database: TestDatabase;
  let servers: RunningServer[];

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    servers = await Promise.all([startServer(database.env), startServer(database.env)]);
  });

  afterAll(async () => {
    for (const server of servers) expect(await server.stop()).toBe(0);
    await database.drop();
  });

  test('is seen by every process within a second, and healed once by all of them', async () => {
    const { id, token } = await servers[0]!.api.create();
    for (const { api } of servers) expect(await api.isActive(token)).toBe(true);
    const ending = [
      'workspace',
      'end-tokens',
      '--kinds',
      ALL.join(),
      '--reason',
      'lost',
      '--output',
      'json',
    ];
    const counted = JSON.parse(
      (await runCli(database.env, ...ending, '--dry-run')).stdout,
    ) as object;
    expect(counted).toMatchObject({ ended_tokens: { would_end: { count: 1, exact: true } } });
    for (const { api } of servers) expect(await api.isActive(token)).toBe(true);
    const { stdout } = await runCli(database.env, ...ending);
    expect(JSON.parse(stdout)).toMatchObject({ success: 1, ended_tokens: { kinds: ALL } });
    const endedAt = performance.now();
    const asked = servers.map(({ api }) =>
      lastAskedBefore(async () => !(await api.isActive(token))),
    );
    for (const lastAskedAt of await Promise.all(asked)) {
      expect(lastAskedAt - endedAt).toBeLessThan(1000);
    }
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => servers[index % 2]!.api.get({ user_group_id: id })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.user_group.token)).size).toBe(1);
    for (const { api } of servers) {
      expect(await api.isActive(answers[0]!.body.user_group.token)).toBe(true);
    }
  });
});
