import {
  decodeProtectedHeader,
  generateKeyPair,
  exportPKCS8,
  importJWK,
  jwtVerify,
  type JWK,
} from 'jose';
import jsonwebtoken from 'jsonwebtoken';
import type { Scope } from '../../src/platform/common/access/caller.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
} from '../support/database/databases.ts';
import { forbidEvents } from '../support/events/forbid-events.ts';
import { errorsOf, TestWorkspace } from '../support/registry.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { keyList } from '../system/lab/keys.mjs';
import { runCli } from '../support/process/processes.ts';
import { goTo, passTime, stopTime } from '../support/time/fake-time.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import {
  ADA,
  bodies,
  HS256,
  OTHER_SECRET,
  properties,
  SALES,
  SECRET,
  targetBody,
} from './target-bodies.ts';

type Claims = Record<string, unknown> & { exp: number };

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `issuing ${++count}`);
    await own.put('acme', { properties, mapping: { sales: 'warehouse-emea' } });
  });

  const put = async (name: string, body: object) => {
    const answer = await own.api.call('PUT', `/api/v1/targets/${name}`, body);
    expect([answer.body.errors, answer.status < 300]).toEqual([undefined, true]);
  };
  const issue = (
    body: object,
    id = 'acme',
    headers?: Record<string, string>,
    by: ApiClient = own.api,
  ) => by.call('POST', `/api/v1/user-groups/${id}/embed-tokens`, body, headers);
  const read = (token: string, secret = SECRET) =>
    jsonwebtoken.verify(token, secret, { algorithms: ['HS256'] }) as Claims;
  const events = async (type: string) =>
    (await own.api.call('GET', `/api/v1/audit-events?types=${type}`)).body.audit_events;

  test('the response is the token of the tool, and says that nothing ends it sooner', async () => {
    await put('bi', bodies.superset);
    const answer = await issue({ target: 'bi', user: ADA, resources: [SALES] });
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    const { token, ...rest } = answer.body.embed_token;
    expect(rest).toEqual({
      token_type: 'target_token',
      target: 'bi',
      expires_at: new Date(read(token).exp * 1000).toISOString(),
      expires_in: 300,
      revocable: false,
      kid: 'a',
    });
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'a' });
    expect(await own.api.isActive(token)).toBe(false);
  });

  test('each is an event, which names the group, the target and the user, and never the token', async () => {
    await put('bi', bodies.cube);
    const { body } = await issue({ target: 'bi', user: ADA });
    const [event, ...others] = await events('target.issue');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      object: { type: 'user_group', id: 'acme' },
      details: { target: 'bi', user_id: ADA.id, expires_at: body.embed_token.expires_at },
    });
    expect(JSON.stringify(event)).not.toContain(body.embed_token.token.split('.')[2]);
    const allow = await forbidEvents(service);
    const refused = await issue({ target: 'bi' });
    await allow();
    expect([refused.status, refused.body.code]).toEqual([503, 'audit_unavailable']);
    expect(refused.text).not.toContain('eyJ');
  });

  test('a key of idempotency gets one token, and another body is refused', async () => {
    await put('bi', bodies.cube);
    const key = { 'Idempotency-Key': 'once' };
    const [first, second] = [
      await issue({ target: 'bi' }, 'acme', key),
      await issue({ target: 'bi' }, 'acme', key),
    ];
    expect(second.body).toEqual(first.body);
    expect(await events('target.issue')).toHaveLength(1);
    expect((await issue({ target: 'bi', expires_in_seconds: 9 }, 'acme', key)).body.code).toBe(
      'idempotency_key_reused',
    );
  });

  test('a key of idempotency is spent when its token has expired', async () => {
    await put('bi', bodies.cube);
    stopTime();
    const again = () =>
      issue({ target: 'bi', expires_in_seconds: 5 }, 'acme', { 'Idempotency-Key': 'k' });
    const first = await again();
    passTime(4000);
    expect((await again()).body).toEqual(first.body);
    passTime(1000);
    const { status, body } = await again();
    expect([status, body.code]).toEqual([409, 'idempotency_key_spent']);
  });

  test('a group that ends within the second gets no token that has ended', async () => {
    await put('bi', bodies.cube);
    stopTime();
    const end = (Math.floor(Date.now() / 1000) + 1) * 1000 + 500;
    await own.api.call('PATCH', '/api/v1/user-groups/acme', {
      valid_until: new Date(end).toISOString(),
    });
    goTo(end - 100);
    for (const body of [{ target: 'bi' }, { audience: 'a' }]) {
      expect((await issue(body)).body.code).toBe('user_group_inactive');
    }
  });

  test.each<[string, object[]]>([
    ['another type', [{ type: 'chart', id: 'c9' }]],
    ['two', [SALES, { type: 'dashboard', id: 'other' }]],
  ])('a request for %s is not served by the default of a resource', async (_what, resources) => {
    const claims = { tenant: { $: 'sub' }, board: { $: 'resource.dashboard', default: 'main' } };
    await put('own', { ...bodies.jwt, claims });
    expect(errorsOf(await issue({ target: 'own', resources }))).toEqual([
      ['/resources', 'not_acceptable'],
    ]);
    expect(read((await issue({ target: 'own' })).body.embed_token.token)).toMatchObject({
      board: 'main',
    });
  });

  test('what the target decides may not be sent, and without a target an audience must be', async () => {
    await put('bi', bodies.cube);
    expect(
      errorsOf(
        await issue({ target: 'bi', audience: 'a', origin: 'https://a.example', format: 'jwt' }),
      ),
    ).toEqual([
      ['/audience', 'not_acceptable'],
      ['/origin', 'not_acceptable'],
      ['/format', 'not_acceptable'],
    ]);
    expect(errorsOf(await issue({}))).toEqual([['/audience', 'required']]);
    expect(errorsOf(await issue({ target: 'A b' }))).toEqual([['/target', 'not_acceptable']]);
    expect((await issue({ target: 'none' })).body.code).toBe('target_not_found');
    expect((await issue({ target: 'bi' }, 'nobody')).body.code).toBe('user_group_not_found');
  });

  test('it ends with the target’s limit and with the group, whichever is first', async () => {
    await put('bi', { ...bodies.cube, max_seconds: 60 });
    expect((await issue({ target: 'bi' })).body.embed_token.expires_in).toBe(60);
    expect((await issue({ target: 'bi', expires_in_seconds: 5 })).body.embed_token.expires_in).toBe(
      5,
    );
    expect(errorsOf(await issue({ target: 'bi', expires_in_seconds: 61 }))).toEqual([
      ['/expires_in_seconds', 'not_acceptable'],
    ]);
    const end = Math.floor(Date.now() / 1000) + 20;
    await own.api.call('PATCH', '/api/v1/user-groups/acme', {
      valid_until: new Date(end * 1000).toISOString(),
    });
    expect(read((await issue({ target: 'bi' })).body.embed_token.token).exp).toBe(end);
  });

  test('the checks of embed tokens hold: suspended, incomplete, required variables, ended tokens', async () => {
    await put('bi', bodies.cube);
    await own.api.call('POST', '/api/v1/user-groups/acme/suspend');
    expect((await issue({ target: 'bi' })).body.code).toBe('user_group_inactive');
    await own.api.call('POST', '/api/v1/user-groups/acme/resume');
    expect((await issue({ target: 'bi' })).status).toBe(201);
    await own.set({
      variables: [
        { name: 'region', type: 'string' },
        { name: 'store', type: 'integer', source: 'token', required: true },
      ],
    });
    expect(errorsOf(await issue({ target: 'bi' }))).toEqual([
      ['/variables/store', 'variable_missing'],
    ]);
  });

  test('view-as: its scope, its limit, its event, and who acts is in the token', async () => {
    await put('bi', { ...bodies.cube, max_seconds: 3600 });
    const acting_for = { subject: 'kim@support.example', reason: 'Ticket 4711' };
    const clientOf = async (...scopes: Scope[]) =>
      service.clientOf(await service.issueToken(scopes, own.name));
    const plain = await clientOf('embed-tokens:issue');
    expect((await issue({ target: 'bi', acting_for }, 'acme', {}, plain)).body.code).toBe(
      'insufficient_scope',
    );
    expect((await issue({ target: 'bi' }, 'acme', {}, plain)).status).toBe(201);
    const support = await clientOf('user-groups:view-as');
    expect((await issue({ target: 'bi' }, 'acme', {}, support)).body.code).toBe(
      'insufficient_scope',
    );
    const { body } = await issue({ target: 'bi', acting_for }, 'acme', {}, support);
    expect(read(body.embed_token.token)['act']).toEqual({ sub: acting_for.subject });
    expect(await events('user_group.view_as')).toMatchObject([
      { details: { ...acting_for, target: 'bi' } },
    ]);
    await put('unnamed', bodies.superset);
    const asUser = { target: 'unnamed', user: ADA, resources: [SALES], acting_for };
    expect(errorsOf(await issue(asUser, 'acme', {}, support))).toEqual([
      ['/acting_for', 'not_acceptable'],
    ]);
    const username = { $: 'acting_for' };
    await put('named', {
      ...bodies.superset,
      claims: { ...bodies.superset.claims, user: { username } },
    });
    const named = await issue({ ...asUser, target: 'named' }, 'acme', {}, support);
    expect(read(named.body.embed_token.token)['user']).toEqual({ username: acting_for.subject });
    expect(errorsOf(await issue({ target: 'bi', acting_for, expires_in_seconds: 901 }))).toEqual([
      ['/expires_in_seconds', 'not_acceptable'],
    ]);
    await own.set({ view_as: 'forbidden' });
    expect((await issue({ target: 'bi', acting_for })).body.code).toBe('view_as_forbidden');
  });

  test('the first secret signs: a replacement is one PUT, and no token has a key of neither', async () => {
    const keys = (...ids: string[]) => ({
      ...bodies.cube,
      signing: { alg: 'HS256', keys: ids.map((id) => ({ id })) },
    });
    await put('bi', {
      ...bodies.cube,
      signing: {
        alg: 'HS256',
        keys: [
          { id: 'a', secret: SECRET },
          { id: 'b', secret: OTHER_SECRET },
        ],
      },
    });
    const secrets: Record<string, string> = { a: SECRET, b: OTHER_SECRET };
    let swaps = 0;
    const swapping = (async () => {
      for (; swaps < 6; swaps++) await put('bi', swaps % 2 === 0 ? keys('b', 'a') : keys('a', 'b'));
    })();
    const seen = new Set<string>();
    while (swaps < 6) {
      const { token, kid } = (await issue({ target: 'bi' })).body.embed_token;
      seen.add(kid);
      expect(read(token, secrets[kid])['team']).toBeGreaterThan(0);
    }
    await swapping;
    await put('bi', keys('b'));
    const last = (await issue({ target: 'bi' })).body.embed_token;
    expect([last.kid, read(last.token, OTHER_SECRET)['region']]).toEqual(['b', 'EMEA']);
    expect(() => read(last.token)).toThrow('invalid signature');
    expect(seen.size).toBeGreaterThan(0);
  });

  test('a deleted target issues nothing', async () => {
    await put('bi', bodies.cube);
    await own.api.call('DELETE', '/api/v1/targets/bi');
    expect((await issue({ target: 'bi' })).body.code).toBe('target_not_found');
  });

  test('another workspace cannot issue with it, and its own group of the same id gets its own token', async () => {
    await put('bi', bodies.cube);
    const other = await TestWorkspace.create(service, `foreign ${count}`);
    await other.put('acme', { properties: { region: 'APAC' } });
    const body = { target: 'bi' };
    expect((await issue(body, 'acme', {}, other.api)).body.code).toBe('target_not_found');
    await other.api.call('PUT', '/api/v1/targets/bi', {
      ...bodies.cube,
      signing: { alg: 'HS256', keys: [{ id: 'a', secret: OTHER_SECRET }] },
    });
    const { token } = (await issue(body, 'acme', {}, other.api)).body.embed_token;
    expect(read(token, OTHER_SECRET)['region']).toBe('APAC');
    expect(() => read(token)).toThrow();
  });

  test.each(['RS256', 'ES256'])(
    '%s: the public key of the target verifies its tokens',
    async (alg) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      await put('own', {
        ...bodies.jwt,
        signing: { alg, keys: [{ id: 'k1', private_key: await exportPKCS8(privateKey) }] },
      });
      const { token } = (await issue({ target: 'own' })).body.embed_token;
      const shown = targetBody(await own.api.call('GET', '/api/v1/targets/own')).target.signing!
        .keys[0]!;
      const key = await importJWK(shown.public_jwk as JWK, alg);
      const { payload, protectedHeader } = await jwtVerify(token, key, { audience: 'reports' });
      expect(protectedHeader).toMatchObject({ alg, kid: 'k1' });
      expect(payload).toMatchObject({
        tenant: 'acme',
        source: 'warehouse-emea',
        constant: [1, null, true],
      });
      expect(shown.public_jwk).not.toHaveProperty('d');
    },
  );

  test('grafana: the keys of the workspace verify it, its audience must be allowed, and no introspection takes it', async () => {
    await put('graphs', bodies.grafana);
    const { token } = (await issue({ target: 'graphs', user: ADA })).body.embed_token;
    const { workspace_id } = JSON.parse(
      Buffer.from(token.split('.')[1]!, 'base64url').toString(),
    ) as Record<string, string>;
    const keys = (await own.api.call('GET', `/workspaces/${workspace_id}/.well-known/jwks.json`))
      .body as unknown as { keys: JWK[] };
    const { kid } = decodeProtectedHeader(token);
    const key = await importJWK(
      keys.keys.find((one) => one.kid === kid)!,
      'ES256',
    );
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      audience: bodies.grafana.audience,
    });
    expect(protectedHeader.typ).toBe('grafana+jwt');
    expect(payload).toMatchObject({
      sub: 'acme',
      login: `g${payload['team_id'] as number}-${String(payload['login']).slice(-32)}`,
      name: ADA.name,
    });
    expect(await own.api.isActive(token)).toBe(false);
    await own.set({ embed_token_audiences: ['https://dashboards.example.com'] });
    expect(errorsOf(await issue({ target: 'graphs', user: ADA }))).toEqual([
      ['/audience', 'not_acceptable'],
    ]);
  });

  test('what a request restricts and the target leaves out is refused', async () => {
    await put('bi', bodies.cube);
    expect(errorsOf(await issue({ target: 'bi', resources: [SALES] }))).toEqual([
      ['/resources', 'not_acceptable'],
    ]);
    await own.set({
      variables: [
        { name: 'region', type: 'string' },
        { name: 'regions', type: 'string[]' },
        { name: 'store', type: 'integer', source: 'token' },
      ],
    });
    expect(
      errorsOf(await issue({ target: 'bi', variables: { store: 7, regions: ['EMEA'] } })),
    ).toEqual([
      ['/variables/store', 'not_acceptable'],
      ['/variables/regions', 'not_acceptable'],
    ]);
    await put('bi', {
      ...bodies.cube,
      claims: { s: { $: 'variables.store' }, r: { $: 'variables.regions' } },
    });
    const { token } = (await issue({ target: 'bi', variables: { store: 7, regions: ['EMEA'] } }))
      .body.embed_token;
    expect(read(token)).toMatchObject({ s: 7, r: ['EMEA'] });
    expect(
      errorsOf(await issue({ target: 'bi', variables: { store: 7, regions: ['APAC', 'LATAM'] } })),
    ).toEqual([['/variables/regions', 'not_a_subset']]);
  });

  test('a missing value is refused by its place, null too, and a default takes its place', async () => {
    await put('bi', {
      ...bodies.cube,
      claims: { a: [{ b: { $: 'variables.none' } }], t: { $: 'team_id' } },
    });
    const missing = await issue({ target: 'bi' });
    expect([missing.status, missing.body.code, ...errorsOf(missing)]).toEqual([
      422,
      'target_value_missing',
      ['/claims/a/0/b', 'required'],
    ]);
    await own.put('acme', { properties: { none: null } });
    expect((await issue({ target: 'bi' })).body.code).toBe('target_value_missing');
    await put('bi', {
      ...bodies.cube,
      claims: { a: { $: 'variables.none', default: 7 }, t: { $: 'team_id' } },
    });
    expect(read((await issue({ target: 'bi' })).body.embed_token.token)['a']).toBe(7);
  });

  test('a secret variable is in no token', async () => {
    await own.put('acme', {
      properties: { region: 'EMEA', db: { password: 'hidden-value', host: 'h' } },
    });
    await own.set({
      variables: [
        { name: 'region', type: 'string' },
        { name: 'db.password', type: 'string', is_secret: true },
        { name: 'db.host', type: 'string' },
      ],
    });
    for (const $ of ['variables.db.password', 'variables.db', 'variables.db.password.x']) {
      await put('bi', { ...bodies.cube, claims: { x: { $ } } });
      const answer = await issue({ target: 'bi' });
      expect([$, answer.body.code]).toEqual([$, 'target_value_refused']);
      expect(answer.text).not.toContain('hidden-value');
    }
    await put('bi', { ...bodies.cube, claims: { x: { $: 'variables.db.host' } } });
    expect(read((await issue({ target: 'bi' })).body.embed_token.token)['x']).toBe('h');
  });

  test('under the policy registered the data source is the one of the registry', async () => {
    await own.schema('sales');
    await own.dataSource('warehouse-emea');
    await own.set({ mapping_policy: 'registered' });
    await own.put('acme', { properties, mapping: { sales: 'warehouse-emea' } });
    await put('own', bodies.jwt);
    expect(read((await issue({ target: 'own' })).body.embed_token.token)['source']).toBe(
      'warehouse-emea',
    );
    await own.put('acme', { mapping: {} });
    expect((await issue({ target: 'own' })).body.code).toBe('target_value_missing');
  });
});

onEachDatabase((kind) => {
  test('without the feature a target is refused clearly, and its routes are gone', async () => {
    const core = await startTestService(kind, { FEATURES: 'core' });
    await core.api.put({ user_group_id: 'acme', name: 'A' });
    const answer = await core.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', {
      target: 'bi',
    });
    expect([answer.status, ...errorsOf(answer)]).toEqual([422, ['/target', 'not_acceptable']]);
    expect(answer.body.errors[0]!.detail).toContain('the feature targets is switched off');
    expect((await core.api.call('GET', '/api/v1/targets')).body.code).toBe('route_not_found');
    await core.close();
  });

  test('rewrap moves the secrets to the first key; without it the old key cannot be left out', async () => {
    const database = await createTestDatabase(kind);
    const withKeys = (...ids: string[]) => ({
      TOKEN_ENCRYPTION_KEYS: ids.map((id) => keyList(id)).join(','),
    });
    const first = await startNew(withKeys('k1'));
    await first.api.put({ user_group_id: 'acme', name: 'A', properties });
    await first.api.call('PUT', '/api/v1/targets/bi', bodies.cube);
    await first.close();
    const env = { ...database.env, ...withKeys('k2', 'k1') };
    const { stderr, code } = await runCli(env, 'keys', 'rewrap');
    expect([code, stderr]).toEqual([0, '1 token and 1 target re-encrypted.\n']);
    expect((await runCli(env, 'keys', 'status')).stdout).toMatch(/k2 +1 +encrypts +\d+ +0 +1 +0\n/);
    const second = await startTestService(database, withKeys('k2'));
    const { body } = await second.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', {
      target: 'bi',
    });
    expect(jsonwebtoken.verify(body.embed_token.token, SECRET)).toMatchObject({ region: 'EMEA' });
    await second.close();
    await expect(startTestService(database, withKeys('k3'))).rejects.toThrow(
      '"k2", which is not configured',
    );
    // The group's token is no reason any more.
    await changeDatabase(database, 'DELETE FROM user_group_token');
    await expect(startTestService(database, withKeys('k3'))).rejects.toThrow(
      '"k2", which is not configured',
    );
    await database.drop();

    async function startNew(own: Record<string, string>) {
      const { loadConfig } = await import('../../src/platform/config/load-config.ts');
      await prepareDatabase(loadConfig({ ...database.env, ...own }));
      return startTestService(database, own);
    }
  });

  test('with a lost key a target issues nothing, until its secrets are sent again', async () => {
    const service = await startTestService(kind);
    await service.api.put({ user_group_id: 'acme', name: 'A', properties });
    await service.api.call('PUT', '/api/v1/targets/bi', bodies.cube);
    const spoilt = kind === 'sqlite' ? "x'01'" : "'\\x01'";
    await changeDatabase(service.database, `UPDATE target SET ciphertext = ${spoilt}`);
    const issue = () =>
      service.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', { target: 'bi' });
    expect((await issue()).body.code).toBe('target_secret_unreadable');
    const kept = await service.api.call('PUT', '/api/v1/targets/bi', {
      ...bodies.cube,
      signing: { alg: 'HS256', keys: [{ id: 'a' }] },
    });
    expect([kept.status, kept.body.code]).toEqual([409, 'target_secret_unreadable']);
    expect(
      (await service.api.call('PUT', '/api/v1/targets/bi', { ...bodies.cube, signing: HS256 }))
        .status,
    ).toBe(200);
    expect((await issue()).status).toBe(201);
    await service.close();
  });
});
