import { onEachDatabase } from '../support/database/databases.ts';
import { forbidEvents } from '../support/events/forbid-events.ts';
import { errorsOf, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { bodies, HS256, OTHER_SECRET, pemOf, SECRET, targetBody } from './target-bodies.ts';

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `own ${++count}`);
  });

  const put = (name: string, body: object, headers?: Record<string, string>) =>
    own.api.call('PUT', `/api/v1/targets/${name}`, body, headers);
  const get = (name: string) => own.api.call('GET', `/api/v1/targets/${name}`);
  const events = async (type: string) =>
    (await own.api.call('GET', `/api/v1/audit-events?types=${type}`)).body.audit_events;

  test.each(Object.entries(bodies))(
    'a %s target is created, read, replaced and deleted',
    async (name, body) => {
      const created = await put(name, body);
      expect([created.status, created.body.errors]).toEqual([201, undefined]);
      expect(created.headers['location']).toBe(`/api/v1/targets/${name}`);
      expect(targetBody(created).target).toMatchObject({
        name,
        kind: body.kind,
        claims: body.claims,
      });
      const read = await get(name);
      expect(targetBody(read)).toEqual(targetBody(created));
      const replaced = await put(name, { ...body, max_seconds: 60 });
      expect([replaced.status, targetBody(replaced).target.max_seconds]).toEqual([200, 60]);
      expect((await own.api.call('DELETE', `/api/v1/targets/${name}`)).status).toBe(200);
      expect([(await get(name)).status, (await get(name)).body.code]).toEqual([
        404,
        'target_not_found',
      ]);
      expect((await own.api.call('DELETE', `/api/v1/targets/${name}`)).body.code).toBe(
        'target_not_found',
      );
    },
  );

  test('nothing shows a secret: no response, no list, no event', async () => {
    const { privateKey } = pemOf.ec('prime256v1');
    const signing = { alg: 'ES256', keys: [{ id: 'k', private_key: privateKey }] };
    const texts = [
      (await put('bi', bodies.superset)).text,
      (await put('own', { ...bodies.jwt, signing })).text,
      (await get('bi')).text,
      (await own.api.call('GET', '/api/v1/targets')).text,
      (
        await put('bi', {
          ...bodies.superset,
          signing: { alg: 'HS256', keys: [{ id: 'a', secret: OTHER_SECRET }] },
        })
      ).text,
      (await own.api.call('DELETE', '/api/v1/targets/bi')).text,
      JSON.stringify(await events('target.*')),
    ];
    for (const text of texts) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(OTHER_SECRET);
      expect(text).not.toContain('PRIVATE KEY');
      expect(text).not.toMatch(/"d":/);
    }
    const rows = await service.query<{ definition: string; ciphertext: Buffer }>(
      'SELECT * FROM target WHERE ciphertext IS NOT NULL',
    );
    for (const row of rows) {
      expect(`${row.definition}${row.ciphertext.toString('latin1')}`).not.toContain(SECRET);
    }
    expect(texts[1]).toContain('"public_jwk"');
  });

  test('the audit log has what changed, and that a secret did', async () => {
    await put('bi', bodies.superset);
    await put('bi', bodies.superset);
    await put('bi', {
      ...bodies.superset,
      signing: { alg: 'HS256', keys: [{ id: 'a', secret: OTHER_SECRET }] },
    });
    await own.api.call('DELETE', '/api/v1/targets/bi');
    const [created] = await events('target.create');
    expect(created).toMatchObject({
      object: { type: 'target', id: 'bi' },
      after: { kind: 'superset', audience: 'superset' },
    });
    const updates = await events('target.update');
    expect(updates).toHaveLength(1);
    expect(updates[0]).toMatchObject({ details: { new_secrets: ['a'] } });
    expect(await events('target.delete')).toMatchObject([{ before: { kind: 'superset' } }]);
  });

  test('a change without its event is rolled back', async () => {
    await put('bi', bodies.superset);
    const allow = await forbidEvents(service);
    const refused = await put('bi', { ...bodies.superset, max_seconds: 9 });
    await allow();
    expect([refused.status, refused.body.code]).toEqual([503, 'audit_unavailable']);
    expect(targetBody(await get('bi')).target.max_seconds).toBe(300);
  });

  test('two secrets are valid at once: each stays by its id, and the first is in front', async () => {
    await put('bi', bodies.cube);
    const both = await put('bi', {
      ...bodies.cube,
      signing: { alg: 'HS256', keys: [{ id: 'a' }, { id: 'b', secret: OTHER_SECRET }] },
    });
    expect([both.status, both.body.errors]).toEqual([200, undefined]);
    const [first, second] = targetBody(both).target.signing!.keys;
    expect([first!.id, second!.id]).toEqual(['a', 'b']);
    const swapped = await put('bi', {
      ...bodies.cube,
      signing: { alg: 'HS256', keys: [{ id: 'b' }, { id: 'a' }] },
    });
    expect(targetBody(swapped).target.signing!.keys).toEqual([second, first]);
    const left = await put('bi', {
      ...bodies.cube,
      signing: { alg: 'HS256', keys: [{ id: 'b' }] },
    });
    expect(targetBody(left).target.signing!.keys).toEqual([second]);
    const gone = await put('bi', {
      ...bodies.cube,
      signing: { alg: 'HS256', keys: [{ id: 'a' }] },
    });
    expect(errorsOf(gone)).toEqual([['/signing/keys/0/secret', 'required']]);
    const three = await put('bi', {
      ...bodies.cube,
      signing: {
        alg: 'HS256',
        keys: [{ id: 'b' }, { id: 'c', secret: SECRET }, { id: 'd', secret: SECRET }],
      },
    });
    expect(errorsOf(three)).toEqual([['/signing/keys', 'too_many']]);
  });

  test('a secret of one algorithm is not kept as a key of another', async () => {
    await put('x', bodies.jwt);
    const answer = await put('x', {
      ...bodies.jwt,
      signing: { alg: 'RS256', keys: [{ id: 'a' }] },
    });
    expect(errorsOf(answer)).toEqual([['/signing/keys/0/private_key', 'required']]);
  });

  test.each<[string, object, [string, string][]]>([
    [
      'a short secret',
      { alg: 'HS256', keys: [{ id: 'a', secret: 'x'.repeat(31) }] },
      [['/signing/keys/0/secret', 'not_acceptable']],
    ],
    [
      'an empty secret',
      { alg: 'HS256', keys: [{ id: 'a', secret: '' }] },
      [['/signing/keys/0/secret', 'empty']],
    ],
    ['no keys', { alg: 'HS256', keys: [] }, [['/signing/keys', 'empty']]],
    [
      'none',
      { alg: 'none', keys: [{ id: 'a', secret: SECRET }] },
      [['/signing/alg', 'not_acceptable']],
    ],
    [
      'a public key',
      { alg: 'RS256', keys: [{ id: 'a', private_key: pemOf.rsa(2048).publicKey }] },
      [['/signing/keys/0/private_key', 'not_acceptable']],
    ],
    [
      'a small RSA key',
      { alg: 'RS256', keys: [{ id: 'a', private_key: pemOf.rsa(1024).privateKey }] },
      [['/signing/keys/0/private_key', 'not_acceptable']],
    ],
    [
      'a key of another curve',
      { alg: 'ES256', keys: [{ id: 'a', private_key: pemOf.ec('secp384r1').privateKey }] },
      [['/signing/keys/0/private_key', 'not_acceptable']],
    ],
    [
      'an RSA key for ES256',
      { alg: 'ES256', keys: [{ id: 'a', private_key: pemOf.rsa(2048).privateKey }] },
      [['/signing/keys/0/private_key', 'not_acceptable']],
    ],
    [
      'a secret for RS256',
      { alg: 'RS256', keys: [{ id: 'a', secret: SECRET }] },
      [['/signing/keys/0/secret', 'not_acceptable']],
    ],
    [
      'two of one id',
      {
        alg: 'HS256',
        keys: [
          { id: 'a', secret: SECRET },
          { id: 'a', secret: OTHER_SECRET },
        ],
      },
      [['/signing/keys/1/id', 'repeated']],
    ],
    [
      'an id with a space',
      { alg: 'HS256', keys: [{ id: 'a b', secret: SECRET }] },
      [['/signing/keys/0/id', 'not_acceptable']],
    ],
  ])('keys are refused: %s', async (_name, signing, expected) => {
    const answer = await put('x', { ...bodies.jwt, signing });
    expect([answer.status, ...errorsOf(answer)]).toEqual([422, ...expected]);
    expect(answer.text).not.toContain(SECRET);
    expect((await get('x')).status).toBe(404);
  });

  test.each(['A', 'a_b', 'a b', 'é', 'x'.repeat(65), 'a\0'])(
    'the name %j is refused',
    async (name) => {
      const path = encodeURIComponent(name);
      const answer = await put(path, bodies.cube);
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
      expect((await get(path)).body.code).toBe('target_not_found');
    },
  );

  test('a workspace has 50 targets at most, also of PUTs at once', async () => {
    const names = Array.from({ length: 53 }, (_, index) => `t-${index}`);
    const answers = await Promise.all(names.map((name) => put(name, bodies.cube)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('too_many_targets');
    const kept = names[statuses.indexOf(201)]!;
    expect((await put(kept, { ...bodies.cube, max_seconds: 7 })).status).toBe(200);
    const first = await own.api.call('GET', '/api/v1/targets?limit=30');
    const rest = await own.api.call(
      'GET',
      `/api/v1/targets?limit=30&cursor=${first.body.next_cursor}`,
    );
    const listed = [...targetBody(first).targets, ...targetBody(rest).targets].map(
      ({ name }) => name,
    );
    expect([listed.length, rest.body.has_more]).toEqual([50, false]);
    expect(listed).toEqual(listed.toSorted());
  });

  test('of two PUTs at once both are done, one after the other, with the secrets of one', async () => {
    const bodyOf = (id: string, secret: string) => ({
      ...bodies.cube,
      signing: { alg: 'HS256', keys: [{ id, secret }] },
    });
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        put(`r-${round}`, bodyOf('a', SECRET)),
        put(`r-${round}`, bodyOf('b', OTHER_SECRET)),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
      const { target } = targetBody(await get(`r-${round}`));
      expect(['a', 'b']).toContain(target.signing!.keys[0]!.id);
      expect(target.signing!.keys).toHaveLength(1);
    }
  });

  test('conditions: create only, replace only what was read, delete only that', async () => {
    const created = await put('c', bodies.cube, { 'If-None-Match': '*' });
    expect(created.status).toBe(201);
    expect((await put('c', bodies.jwt, { 'If-None-Match': '*' })).status).toBe(412);
    const etag = (await get('c')).headers['etag'] as string;
    expect(
      (await own.api.call('GET', '/api/v1/targets/c', undefined, { 'If-None-Match': etag })).status,
    ).toBe(304);
    expect((await put('c', { ...bodies.cube, max_seconds: 5 }, { 'If-Match': etag })).status).toBe(
      200,
    );
    expect((await put('c', bodies.cube, { 'If-Match': etag })).status).toBe(412);
    expect(
      (await own.api.call('DELETE', '/api/v1/targets/c', undefined, { 'If-Match': etag })).status,
    ).toBe(412);
    expect((await put('new', bodies.cube, { 'If-Match': '*' })).status).toBe(412);
  });

  test('another workspace has none of it, and its own of the same name', async () => {
    const other = await TestWorkspace.create(service, `other ${count}`);
    await put('bi', bodies.cube);
    expect((await other.api.call('GET', '/api/v1/targets/bi')).body.code).toBe('target_not_found');
    expect((await other.api.call('DELETE', '/api/v1/targets/bi')).body.code).toBe(
      'target_not_found',
    );
    expect(targetBody(await other.api.call('GET', '/api/v1/targets')).targets).toEqual([]);
    expect((await other.api.call('PUT', '/api/v1/targets/bi', bodies.jwt)).status).toBe(201);
    expect(targetBody(await get('bi')).target.kind).toBe('cube');
  });

  test('what a kind does not have is refused, and what it needs is required', async () => {
    const unsigned = { ...bodies.superset, signing: null };
    expect(errorsOf(await put('x', unsigned))).toEqual([['/signing', 'required']]);
    expect(errorsOf(await put('x', { ...bodies.superset, audience: null }))).toEqual([
      ['/audience', 'required'],
    ]);
    expect(errorsOf(await put('x', { ...bodies.grafana, signing: HS256 }))).toEqual([
      ['/signing', 'not_acceptable'],
    ]);
    expect(errorsOf(await put('x', { ...bodies.lightdash, audience: 'a' }))).toEqual([
      ['/audience', 'not_acceptable'],
    ]);
    expect(errorsOf(await put('x', { ...bodies['metabase-sso'], max_seconds: 181 }))).toEqual([
      ['/max_seconds', 'not_acceptable'],
    ]);
    expect(
      errorsOf(await put('x', { ...bodies['metabase-sso'], email_domain: undefined })),
    ).toEqual([['/email_domain', 'required']]);
    expect(errorsOf(await put('x', { ...bodies.cube, row_filters: [] }))).toEqual([
      ['/row_filters', 'not_acceptable'],
    ]);
    expect(errorsOf(await put('x', { ...bodies.grafana, unfiltered: true }))).toEqual([
      ['/unfiltered', 'not_acceptable'],
    ]);
    expect(errorsOf(await put('x', { ...bodies.cube, max_seconds: 3601 }))).toEqual([
      ['/max_seconds', 'not_acceptable'],
    ]);
    expect(errorsOf(await put('x', { ...bodies.cube, rls: [] }))).toEqual([['/rls', 'unknown']]);
    const signing = { alg: 'RS256', keys: [{ id: 'a', private_key: pemOf.rsa(2048).privateKey }] };
    expect(errorsOf(await put('x', { ...bodies.cube, signing }))).toEqual([
      ['/signing/alg', 'not_acceptable'],
    ]);
  });
});
