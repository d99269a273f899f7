import type { OverviewResponse } from '../../src/features/overview/dto/overview-response.dto.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { recordRoundTrips } from '../support/database/database-traffic.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { planOf, wasteIn } from '../support/database/query-plan.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const PATH = '/api/v1/overview';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Overview = OverviewResponse['overview'];

onEachDatabase((kind) => {
  const roundTrips = recordRoundTrips();
  const service = withService(kind);

  const read = async (api: ApiClient) => {
    const { status, body } = await api.call('GET', PATH);
    expect(status).toBe(200);
    return (body as unknown as OverviewResponse).overview;
  };

  /** Reads until the counts are as expected: they may be some ten times as old as they take. */
  const eventually = async (api: ApiClient, expected: object) => {
    let overview: Overview;
    await until(
      async () => isLike((overview = await read(api)), expected),
      () => JSON.stringify(overview),
    );
  };

  test('an empty workspace has nothing', async () => {
    const { api } = await TestWorkspace.create(service, 'empty');
    const before = Date.now();
    const overview = await read(api);
    expect(overview).toEqual({
      user_groups: {
        total: 0,
        suspended: 0,
        expired: 0,
        incomplete: 0,
        no_valid_token: 0,
        unresolved: 0,
      },
      user_group_tokens: { in_overlap: 0, in_overlap_used_last_hour: 0 },
      api_tokens: { active: 1, expiring_within_30_days: 0 },
      as_of: expect.any(String),
    });
    expect(Date.parse(overview.as_of)).toBeGreaterThanOrEqual(before);
  });

  test('counts groups as they come, are suspended, and go, and never those of others', async () => {
    const { api } = await TestWorkspace.create(service, 'groups');
    const other = await TestWorkspace.create(service, 'other groups');
    await other.put('theirs');
    for (const id of ['a', 'b', 'c']) {
      await api.call('PUT', `/api/v1/user-groups/${id}`, { name: id });
    }
    await api.call('POST', '/api/v1/user-groups/a/suspend');
    await api.call('POST', '/api/v1/user-groups/b/suspend');
    await eventually(api, { user_groups: { total: 3, suspended: 2 } });
    await api.call('POST', '/api/v1/user-groups/a/resume');
    await api.call('DELETE', '/api/v1/user-groups/b');
    await eventually(api, { user_groups: { total: 2, suspended: 0 } });
    await eventually(other.api, { user_groups: { total: 1, suspended: 0 } });
  });

  test('counts the groups that lack something, or have ended, and under the policy open no mapping', async () => {
    const workspace = await TestWorkspace.create(service, 'flawed');
    const { api } = workspace;
    await workspace.put('whole', { mapping: { sales: 'lake' }, properties: { tier: 1 } });
    await workspace.put('astray', { mapping: { sales: 'sea' }, properties: { tier: 1 } });
    await api.call('PATCH', '/api/v1/user-groups/astray', { valid_until: '2020-01-01T00:00:00Z' });
    await workspace.put('bare');
    await workspace.schema('sales');
    await workspace.dataSource('lake');
    await eventually(api, { user_groups: { total: 3, expired: 1, incomplete: 0, unresolved: 0 } });
    await workspace.set({ variables: [{ name: 'tier', type: 'integer', required: true }] });
    await eventually(api, { user_groups: { expired: 1, incomplete: 1, unresolved: 0 } });
    await workspace.set({ variables: [] });
    await eventually(api, { user_groups: { expired: 1, incomplete: 0 } });
  });

  test('counts the groups whose token was ended together with others, until they have another one', async () => {
    const { api } = await TestWorkspace.create(service, 'ended');
    const other = await TestWorkspace.create(service, 'not ended');
    await other.put('theirs');
    const ids = ['healed', 'waiting', 'stopped'];
    for (const id of ids) await api.put({ user_group_id: id, name: id });
    await api.call('POST', '/api/v1/user-groups/stopped/suspend');
    await eventually(api, { user_groups: { total: 3, no_valid_token: 0 } });
    await api.call('POST', '/api/v1/workspace/end-tokens', {
      kinds: ['user_group_token'],
      reason: 'drill',
    });
    const reader = service.clientOf(await service.issueToken(['user-groups:read'], 'ended'));
    await eventually(reader, {
      user_groups: { total: 3, suspended: 1, no_valid_token: 2 },
      api_tokens: null,
    });
    await api.get({ user_group_id: 'healed' });
    await eventually(reader, { user_groups: { total: 3, suspended: 1, no_valid_token: 1 } });
    await eventually(other.api, { user_groups: { total: 1, no_valid_token: 0 } });
  });

  test('counts replaced tokens that are still valid, and those that somebody uses', async () => {
    const { api } = await TestWorkspace.create(service, 'overlaps');
    const tokens: Record<string, string> = {};
    for (const id of ['used', 'unused', 'at once', 'twice']) {
      const { body } = await api.put({ user_group_id: id, name: id });
      tokens[id] = body.user_group.token;
    }
    for (const id of ['used', 'unused', 'twice']) {
      await api.post({ current_token: tokens[id], grace_period_seconds: 3600 });
    }
    await api.post({ current_token: tokens['at once'] });
    const path = '/api/v1/user-groups/twice/tokens/rotate';
    const again = await api.call('POST', path, { grace_period_seconds: 60 });
    expect(again.status).toBe(200);
    // The service stores the last use once a minute.
    const lastUse = (id: string, at: string) =>
      changeDatabase(
        service.database,
        `UPDATE user_group_token SET last_introspected_at = ${at} WHERE generation = 1
         AND user_group_id = (SELECT id FROM user_group WHERE provided_id = '${id}')`,
      );
    await lastUse('used', String(Date.now()));
    await lastUse('unused', 'retired_at - 1');
    await eventually(api, { user_group_tokens: { in_overlap: 3, in_overlap_used_last_hour: 1 } });
    await changeDatabase(
      service.database,
      `UPDATE user_group_token SET retired_at = retired_at - ${2 * HOUR_MS}, last_introspected_at = last_introspected_at - ${2 * HOUR_MS}
       WHERE retired_at IS NOT NULL`,
    );
    await eventually(api, { user_group_tokens: { in_overlap: 3, in_overlap_used_last_hour: 0 } });
    const ended = await api.call('POST', '/api/v1/workspace/end-tokens', {
      kinds: ['user_group_token'],
      reason: 'drill',
    });
    expect(ended.status).toBe(200);
    await eventually(api, { user_group_tokens: { in_overlap: 0, in_overlap_used_last_hour: 0 } });
    // The second of two rotations leaves an old token that was issued after the end.
    for (const rotation of [1, 2]) {
      const { status } = await api.call('POST', path, { grace_period_seconds: 60 });
      expect([rotation, status]).toEqual([rotation, 200]);
    }
    await eventually(api, { user_group_tokens: { in_overlap: 1 } });
    await changeDatabase(
      service.database,
      `UPDATE user_group_token SET valid_until = ${Date.now() - 1} WHERE valid_until IS NOT NULL`,
    );
    await eventually(api, { user_group_tokens: { in_overlap: 0, in_overlap_used_last_hour: 0 } });
  });

  test('counts API tokens for administrators alone', async () => {
    await service.issueToken(['admin'], 'api tokens', 40 * DAY_MS);
    await service.issueToken(['tokens:introspect'], 'api tokens', 20 * DAY_MS);
    const ended = await service.issueToken(['user-groups:read'], 'api tokens', 20 * DAY_MS);
    await service.revokeToken(ended);
    const reader = await service.issueToken(['user-groups:read'], 'api tokens');
    const admin = await service.issueToken(['user-groups:read', 'admin'], 'api tokens');
    expect((await read(service.clientOf(reader))).api_tokens).toBeNull();
    const { api_tokens: counts } = await read(service.clientOf(admin));
    expect(counts).toEqual({ active: 4, expiring_within_30_days: 1 });
  });

  test('callers share a count, which reads nothing but the indexes that are made for it', async () => {
    const { api } = await TestWorkspace.create(service, 'many');
    const [workspace] = await service.query<{ id: number }>(
      "SELECT id FROM workspace WHERE name = 'many'",
    );
    const numbers = {
      sqlite: `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 60000)`,
      postgres: `WITH n AS (SELECT generate_series(1, 60000) AS value)`,
    }[kind];
    await changeDatabase(
      service.database,
      `${numbers} INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at, suspended_at)
       SELECT ${workspace!.id}, 'group ' || value, 'n', '{}', 1, 1, CASE WHEN value % 100 = 0 THEN 1 END FROM n`,
    );
    const hash = (column: string) =>
      kind === 'sqlite'
        ? `unhex(printf('%08x', ${column}))`
        : `decode(lpad(to_hex(${column}), 8, '0'), 'hex')`;
    await changeDatabase(
      service.database,
      `INSERT INTO user_group_token (user_group_id, workspace_id, generation, last_four, token_hash, created_at, retired_at, valid_until)
       SELECT id, workspace_id, 1, 'four', ${hash('id')}, 1, CASE WHEN id % 2 = 0 THEN 1 END, CASE WHEN id % 2 = 0 THEN ${Date.now() + DAY_MS} END
       FROM user_group WHERE workspace_id = ${workspace!.id}`,
    );
    await changeDatabase(
      service.database,
      `INSERT INTO user_group_token (user_group_id, workspace_id, generation, last_four, token_hash, created_at)
       SELECT user_group_id, workspace_id, 2, 'four', ${hash('user_group_id + 1000000')}, 1
       FROM user_group_token WHERE valid_until IS NOT NULL AND workspace_id = ${workspace!.id}`,
    );
    await changeDatabase(service.database, kind === 'sqlite' ? 'ANALYZE' : 'VACUUM ANALYZE');
    roundTrips.length = 0;
    // More at once wait for a turn, which a slow count would make too long.
    const answers = await Promise.all([read(api), read(api)]);
    answers.push(await read(api));
    for (const answer of answers) {
      expect(answer).toMatchObject({
        user_groups: { total: 60_000, suspended: 600 },
        user_group_tokens: { in_overlap: 30_000 },
      });
    }
    // 60,000 groups in two parts, those suspended in one, 30,000 overlaps in sixty-one: once for all callers.
    const counting = roundTrips
      .flat()
      .filter((sql) => /LIMIT (50000|1000|500)$/m.test(sql) && !sql.includes('mapping'));
    expect(counting).toHaveLength(67);
    for (const sql of new Set(counting)) {
      const plan = await planOf(service, sql);
      expect([sql, plan, wasteIn(plan)]).toEqual([sql, plan, []]);
      const indexes = {
        'user_group_token\n': 'user_group_token_overlap_idx',
        'g.suspended_at IS NOT NULL\n': 'user_group_suspended_idx',
        'g.valid_until IS NOT NULL\n': 'user_group_ending_idx',
        'g.flaw = ': 'user_group_flaw_idx',
      };
      const [, index] = Object.entries(indexes).find(([part]) => sql.includes(part)) ?? [
        '',
        'user_group_workspace_id_id_idx',
      ];
      expect([sql, plan.join('\n')]).toEqual([sql, expect.stringContaining(index)]);
    }
  });
});

function isLike(overview: Overview, expected: object): boolean {
  try {
    expect(overview).toMatchObject(expected);
    return true;
  } catch {
    return false;
  }
}
