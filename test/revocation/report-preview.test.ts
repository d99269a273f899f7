import { scopes } from '../../src/platform/common/access/caller.ts';
import { RateLimits } from '../../src/core/rate-limit/rate-limits.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { importGroups } from '../support/api/lines.ts';
import type { components } from '../../clients/typescript/schema.js';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

type Inspection = components['schemas']['Inspection'];

const UNKNOWN = `ugt_${'0'.repeat(38)}`;

const report = (api: ApiClient, tokens: unknown, more: object = {}) =>
  api.call('POST', '/api/v1/tokens/report-leaked', { tokens, ...more });
const preview = (api: ApiClient, tokens: unknown) => report(api, tokens, { dry_run: true });
const inspect = async (api: ApiClient, token: string) => {
  const { body } = await api.call('POST', '/api/v1/tokens/inspect', { token });
  return (body as unknown as { inspection: Inspection }).inspection;
};
const embedTokenOf = async (api: ApiClient, path: string) =>
  (await api.call('POST', `${path}/embed-tokens`, { audience: 'renderer' })).body.embed_token.token;

onEachDatabase((kind) => {
  const service = withService(kind);

  test('a dry run says of each token what would become of it and when it was last used, and ends none', async () => {
    const { api } = service;
    const [current, overlap, old, deleted] = [
      await api.create(),
      await api.create(),
      await api.create(),
      await api.create(),
    ];
    const successor = await api.rotate(overlap.token, 3600);
    await api.rotate(old.token);
    await api.call('DELETE', deleted.path);
    const embedded = await embedTokenOf(api, old.path);
    const ended = await embedTokenOf(api, old.path);
    await report(api, [ended]);
    expect(await api.isActive(overlap.token)).toBe(true);
    const used = async () =>
      (await inspect(api, overlap.token)).token_generation!.last_introspected_at;
    await until(async () => (await used()) !== null);
    const apiToken = await service.issueToken(['user-groups:read']);
    const tokens = [
      current.token,
      overlap.token,
      old.token,
      deleted.token,
      embedded,
      ended,
      apiToken,
      UNKNOWN,
      `{"a": "${old.token}", "b": "${current.token}"}`,
    ];
    const events = '/api/v1/audit-events?types=*.leaked,*.revoke,user_group_token.rotate';
    const before = (await api.call('GET', events)).body.audit_events;
    const { status, body, text } = await preview(api, tokens);
    expect(status).toBe(200);
    const never = { last_used_at: null };
    expect(body.results).toEqual([
      { kind: 'user_group_token', result: 'would_end', provided_id: current.id, ...never },
      {
        kind: 'user_group_token',
        result: 'would_end',
        provided_id: overlap.id,
        last_used_at: await used(),
      },
      { kind: 'user_group_token', result: 'already_inactive', provided_id: old.id, ...never },
      { kind: 'user_group_token', result: 'already_inactive' },
      { kind: 'embed_token', result: 'would_end', provided_id: old.id },
      { kind: 'embed_token', result: 'already_inactive', provided_id: old.id },
      { kind: 'api_token', result: 'would_end', ...never },
      { kind: 'unknown', result: 'unknown' },
      { kind: 'user_group_token', result: 'would_end', provided_id: current.id, ...never },
    ]);
    for (const token of tokens) expect(text).not.toContain(token);
    expect((await api.call('GET', events)).body.audit_events).toEqual(before);
    for (const token of [current.token, overlap.token, embedded, successor]) {
      expect(await api.isActive(token)).toBe(true);
    }
    const real = await report(api, tokens);
    expect(real.body.results.map(({ result }) => result)).toEqual(
      body.results.map(({ result }) => (result === 'would_end' ? 'ended' : result)),
    );
  });

  test('a dry run spares the last API tokens that the report would spare', async () => {
    const of = async (granted: readonly (typeof scopes)[number][]) =>
      service.issueToken([...granted], 'admins');
    const [one, two, plain] = [await of(scopes), await of(scopes), await of(['tokens:rotate'])];
    const api = service.clientOf(await of(['tokens:rotate']));
    const tokens = [two, plain, one];
    const seen = (await preview(api, tokens)).body.results.map(({ result }) => result);
    expect(seen).toEqual(['last_admin_token', 'would_end', 'would_end']);
    const done = (await report(api, tokens)).body.results.map(({ result }) => result);
    expect(done).toEqual(['last_admin_token', 'ended', 'ended']);
    const again = (await preview(api, tokens)).body.results.map(({ result }) => result);
    expect(again).toEqual(['last_admin_token', 'already_inactive', 'already_inactive']);
  });

  test('a dry run counts no API token for certain user groups as an administrator', async () => {
    const admin = await service.issueToken([...scopes], 'one admin');
    const api = service.clientOf(admin);
    const other = await api.call('POST', '/api/v1/api-tokens', {
      name: 'restricted',
      scopes,
      user_groups: { ids: ['a'] },
    });
    expect(other.status).toBe(201);
    const reporter = service.clientOf(await service.issueToken(['tokens:rotate'], 'one admin'));
    const seen = (await preview(reporter, [admin])).body.results.map(({ result }) => result);
    const done = (await report(reporter, [admin])).body.results.map(({ result }) => result);
    expect([seen, done]).toEqual([['last_admin_token'], ['last_admin_token']]);
  });

  test('a dry run needs the scope of the report, and shows no token of another workspace', async () => {
    const { token } = await service.api.create();
    const reader = service.clientOf(await service.issueToken(['user-groups:read']));
    expect((await preview(reader, [token])).status).toBe(403);
    const other = service.clientOf(await service.issueToken([...scopes], 'elsewhere'));
    expect((await preview(other, [token])).body.results).toEqual([
      { kind: 'unknown', result: 'unknown' },
    ]);
    const { status, body } = await report(service.api, [token], { dry_run: 'yes' });
    expect([status, body.errors[0]!.pointer]).toEqual([422, '/dry_run']);
    expect(await service.api.isActive(token)).toBe(true);
  });

  test('an API token that is rotated looks at no API token, as it ends none', async () => {
    const own = await service.api.call('POST', '/api/v1/api-tokens', {
      name: 'rotated',
      scopes: ['tokens:rotate'],
    });
    const { id, token } = own.body.api_token;
    await service.api.call('POST', `/api/v1/api-tokens/${id}/rotate`, {
      grace_period_seconds: 600,
    });
    const holder = service.clientOf(token);
    const { status, body } = await preview(holder, [token]);
    expect([status, body.code]).toEqual([403, 'api_token_superseded']);
  });

  test('dry runs that wait for the rate limits leave a report of the same API token its turn', async () => {
    const api = service.clientOf(await service.issueToken([...scopes], 'waiting'));
    const { token } = await api.create();
    const limits = service.app.get(RateLimits);
    const original = limits.take.bind(limits);
    let isFull = true;
    let waiting = 0;
    const take = jest.spyOn(limits, 'take').mockImplementation((caller, wanted) => {
      if (!isFull || wanted === 1) return original(caller, wanted);
      waiting++;
      return Promise.resolve(0);
    });
    const looks = ['x', 'y'].map((text) => preview(api, [`${text}-one`, `${text}-two`]));
    await until(() => waiting >= 2);
    expect((await preview(api, ['z-one', 'z-two'])).body.code).toBe('too_many_at_once');
    expect((await report(api, [token])).body.results).toMatchObject([{ result: 'ended' }]);
    isFull = false;
    expect((await Promise.all(looks)).map(({ status }) => status)).toEqual([200, 200]);
    take.mockRestore();
  });

  test('an inspected token says when a report has ended it', async () => {
    const { api } = service;
    const id = `leaked ${crypto.randomUUID()}`;
    await importGroups(api, { user_group_id: id, name: 'L' });
    const path = `/api/v1/user-groups/${encodeURIComponent(id)}`;
    const current = async () => (await api.get({ user_group_id: id })).body.user_group.token;
    const [first, embedded, apiToken] = [
      await current(),
      await embedTokenOf(api, path),
      await service.issueToken(['user-groups:read']),
    ];
    await api.rotate(first, 3600);
    const second = await current();
    const replaced = await api.rotate(second, 0);
    for (const token of [first, second, replaced, embedded, apiToken]) {
      expect(await inspect(api, token)).not.toHaveProperty('leaked_at');
    }
    const other = await api.create();
    const tokens = [replaced, await embedTokenOf(api, other.path), apiToken];
    await report(api, tokens);
    const { audit_events: events } = (await api.call('GET', '/api/v1/audit-events?types=*.leaked'))
      .body;
    const at = (action: string) => events.find((event) => event.action === action)!.occurred_at;
    const seen = [];
    for (const token of tokens) seen.push((await inspect(api, token)).leaked_at);
    expect(seen).toEqual([
      at('user_group_token.leaked'),
      at('embed_token.leaked'),
      at('api_token.leaked'),
    ]);
    // Each has ended otherwise, or not at all.
    for (const token of [second, await current()]) {
      expect(await inspect(api, token)).not.toHaveProperty('leaked_at');
    }
  });

  test('a token in overlap that a report has ended says so', async () => {
    const { api } = service;
    const { token } = await api.create();
    await api.rotate(token, 3600);
    await report(api, [token]);
    expect(await inspect(api, token)).toMatchObject({
      reason: 'revoked',
      leaked_at: expect.any(String),
    });
  });
});
