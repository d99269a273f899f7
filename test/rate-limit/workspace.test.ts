import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';

const LIMIT = 10;
const SHARED = 15;
const INTROSPECTIONS = 4;
const TOKENS = '/api/v1/api-tokens';
const look = { user_group_id: 'g' };
const LOOKING = ['user-groups:read', 'user-group-tokens:read'] as const;
withFrozenBuckets();

onEachDatabase((kind) => {
  const service = withService(kind, {
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
    WORKSPACE_RATE_LIMIT_PER_MINUTE: String(SHARED),
    INTROSPECTION_RATE_LIMIT_PER_MINUTE: String(INTROSPECTIONS),
  });
  let workspace: string;
  let count = 0;

  beforeEach(() => {
    workspace = `workspace ${++count}`;
  });

  const issue = async (...scopes: Parameters<TestService['issueToken']>[0]) =>
    service.clientOf(await service.issueToken(scopes, workspace));

  test('the tokens of a workspace have a limit together, which those of another do not use up', async () => {
    const [one, other] = [await issue(...LOOKING), await issue(...LOOKING)];
    for (let n = 1; n <= LIMIT; n++) expect((await one.get(look)).status).toBe(404);
    for (let n = 1; n <= SHARED - LIMIT; n++) {
      const { status, headers } = await other.get(look);
      expect([status, headers['ratelimit-policy']]).toEqual([
        404,
        `"api-token";q=${LIMIT};w=60, "workspace";q=${SHARED};w=60`,
      ]);
      expect(leftOf(headers)).toEqual({ 'api-token': LIMIT - n, workspace: SHARED - LIMIT - n });
    }
    const limited = await other.get(look);
    expect([limited.status, limited.body.code]).toEqual([429, 'rate_limited']);
    expect(limited.body.detail).toMatch(/^The API tokens of the workspace have made too many/);
    expect(limited.headers['retry-after']).toBe(String(60 / SHARED));
    workspace = `${workspace} beside`;
    expect((await (await issue(...LOOKING)).get(look)).status).toBe(404);
  });

  test('what one token makes too much does not use up what the others have', async () => {
    const [one, other] = [await issue(...LOOKING), await issue(...LOOKING)];
    const answers = await Promise.all(Array.from({ length: 60 }, () => one.get(look)));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(LIMIT);
    for (let n = 1; n <= SHARED - LIMIT; n++) expect((await other.get(look)).status).toBe(404);
    expect((await other.get(look)).status).toBe(429);
  });

  test('nor does what the workspace refuses use up what a token has', async () => {
    const clients = [await issue(...LOOKING), await issue(...LOOKING)];
    for (const client of clients) for (let n = 0; n < 9; n++) await client.get(look);
    expect(leftOf((await clients[1]!.get(look)).headers)).toEqual({ 'api-token': 4, workspace: 0 });
  });

  test('introspections of a workspace have a limit of their own, of five API tokens', async () => {
    const clients: Awaited<ReturnType<typeof issue>>[] = [];
    for (let n = 0; n < 6; n++) clients.push(await issue('tokens:introspect', ...LOOKING));
    const introspect = (n: number) =>
      clients[n % 6]!.call('POST', '/api/v1/introspect', { token: 'x'.repeat(40) });
    for (let n = 0; n < 5 * INTROSPECTIONS; n++) expect((await introspect(n)).status).toBe(200);
    const limited = await introspect(5 * INTROSPECTIONS);
    expect([limited.status, limited.headers['ratelimit-policy'], leftOf(limited.headers)]).toEqual([
      429,
      `"introspection";q=${INTROSPECTIONS};w=60, "workspace-introspection";q=${5 * INTROSPECTIONS};w=60`,
      { introspection: 1, 'workspace-introspection': 0 },
    ]);
    expect((await clients[0]!.get(look)).status).toBe(404);
  });

  test('a token that came of a rotation goes on with the count of its predecessors', async () => {
    const administrator = await issue('admin', ...LOOKING);
    const [own] = (await administrator.call('GET', TOKENS)).body.api_tokens;
    const rotate = async (by: typeof administrator, id: number) =>
      (await by.call('POST', `${TOKENS}/${id}/rotate`, { grace_period_seconds: 60 })).body
        .api_token;
    const second = await rotate(administrator, own!.id);
    const third = await rotate(service.clientOf(second.token), second.id);
    const last = service.clientOf(third.token);
    expect(leftOf((await last.get(look)).headers)['api-token']).toBe(LIMIT - 4);
    // In the overlap old and new have the one count.
    expect(leftOf((await service.clientOf(second.token).get(look)).headers)['api-token']).toBe(
      LIMIT - 5,
    );
    const minted = await last.call('POST', TOKENS, { name: 'm', scopes: [...LOOKING] });
    const fresh = await service.clientOf(minted.body.api_token.token).get(look);
    expect(leftOf(fresh.headers)).toEqual({ 'api-token': LIMIT - 1, workspace: SHARED - 7 });
  });
});

test('by default one token is never limited by its workspace first', async () => {
  const service = await startTestService('sqlite', { RATE_LIMIT_PER_MINUTE: '7' });
  const { headers } = await service.api.get(look);
  expect(headers['ratelimit-policy']).toBe('"api-token";q=7;w=60, "workspace";q=35;w=60');
  await service.close();
});

test('each of the two limits can be had without the other', async () => {
  for (const [env, policy] of [
    [{ RATE_LIMIT_PER_MINUTE: '0', WORKSPACE_RATE_LIMIT_PER_MINUTE: '3' }, '"workspace";q=3;w=60'],
    [{ RATE_LIMIT_PER_MINUTE: '3', WORKSPACE_RATE_LIMIT_PER_MINUTE: '0' }, '"api-token";q=3;w=60'],
  ] as const) {
    const service = await startTestService('sqlite', env);
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await service.api.get(look)).status);
    const { headers } = await service.api.get(look);
    expect([statuses, headers['ratelimit-policy']]).toEqual([[404, 404, 404, 429], policy]);
    await service.close();
  }
});

/** The number of calls that are left of each policy. */
function leftOf({ ratelimit }: Answer['headers']): Record<string, number> {
  const policies = String(ratelimit).matchAll(/"(?<name>[a-z-]+)";r=(?<left>\d+);t=\d+/g);
  const entries = [...policies].map(({ groups }): [string, number] => [
    groups!['name']!,
    Number(groups!['left']),
  ]);
  return Object.fromEntries(entries);
}
