import { MAX_GRACE_SECONDS } from '../../src/platform/common/grace.ts';
import { DAY_MS } from '../../src/platform/common/time.ts';
import { IdempotencyKeyExpiry } from '../../src/core/idempotency/idempotency-keys.ts';
import type { Answer, ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { HS256 } from '../target/target-bodies.ts';
import { callOf, describeOperations } from '../support/api/every-operation.ts';
import { withService } from '../support/test-service.ts';

const V1 = '/api/v1';
const ACTING_FOR = { subject: 'ada@example.com', reason: 'ticket 7' };

/** A call that creates or issues, and what of it there is in the database. */
interface Operation {
  prepare: (api: ApiClient, name: string) => Promise<{ path: string; body: object }>;
  other: object;
  status: number;
  hasLocation: boolean;
  counted: string;
}

const operations: Record<string, Operation> = {
  'the issue of an API token': {
    prepare: (_api, name) =>
      Promise.resolve({ path: `${V1}/api-tokens`, body: { name, scopes: ['audit:read'] } }),
    other: { scopes: ['events:read'] },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM api_token',
  },
  'the rotation of an API token': {
    prepare: async (api, name) => {
      const { body } = await api.call('POST', `${V1}/api-tokens`, { name, scopes: ['audit:read'] });
      return {
        path: `${V1}/api-tokens/${body.api_token.id}/rotate`,
        body: { grace_period_seconds: 60 },
      };
    },
    other: { grace_period_seconds: 61 },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM api_token',
  },
  'an embed token for somebody who acts for a group': {
    prepare: async (api) => {
      const { path } = await api.create();
      return {
        path: `${path}/embed-tokens`,
        body: { audience: 'dashboards', expires_in_seconds: 60, acting_for: ACTING_FOR },
      };
    },
    other: { audience: 'others' },
    status: 201,
    hasLocation: false,
    counted: `SELECT id FROM audit_event WHERE action = 'user_group.view_as'`,
  },
  'a webhook endpoint': {
    prepare: (_api, name) =>
      Promise.resolve({
        path: `${V1}/webhook-endpoints`,
        body: { url: 'https://example.com/', description: name },
      }),
    other: { url: 'https://example.org/' },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM webhook_endpoint',
  },
  'a new webhook secret': {
    prepare: async (api) => {
      const { body } = await api.call('POST', `${V1}/webhook-endpoints`, {
        url: 'https://example.com/',
      });
      return { path: `${V1}/webhook-endpoints/${body.webhook_endpoint.id}/roll-secret`, body: {} };
    },
    other: { grace_period_seconds: 7 },
    status: 201,
    hasLocation: false,
    counted: `SELECT id FROM audit_event WHERE action = 'webhook_endpoint.roll_secret'`,
  },
  'a replay': {
    prepare: async (api) => {
      const { body } = await api.call('POST', `${V1}/webhook-endpoints`, {
        url: 'https://example.com/',
      });
      const path = `${V1}/webhook-endpoints/${body.webhook_endpoint.id}/replay`;
      return { path, body: { from: '2030-01-01T00:00:00Z' } };
    },
    other: { from: '2031-01-01T00:00:00Z' },
    status: 200,
    hasLocation: false,
    counted: 'SELECT workspace_id FROM webhook_replay',
  },
  'a schema': {
    prepare: (_api, name) =>
      Promise.resolve({ path: `${V1}/schemas`, body: { provided_id: name, name } }),
    other: { name: 'another' },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM registered_schema',
  },
  'a data source': {
    prepare: (_api, name) =>
      Promise.resolve({ path: `${V1}/data-sources`, body: { provided_id: name, name } }),
    other: { name: 'another' },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM registered_data_source',
  },
};

/** The contract ignores the header, and so does an introspection; a gateway sends the headers of a viewer's request. */
const TAKING_ANY_HEADER = ['/api/user', `${V1}/introspect`, `${V1}/forward-auth`];

onEachDatabase((kind) => {
  const service = withService(kind);
  let keys = 0;

  const newKey = () => `key-${++keys}`;
  const send = (api: ApiClient, path: string, body: object, key: string): Promise<Answer> =>
    api.call('POST', path, body, { 'Idempotency-Key': key });
  const rowsOf = async (sql: string) => (await service.query(sql)).length;
  const stored = () => rowsOf('SELECT key_hash FROM idempotency_key');

  describe.each(Object.entries(operations))('%s', (_name, operation) => {
    test('with one key is done once, and every repetition gets the first response', async () => {
      const key = newKey();
      const { path, body } = await operation.prepare(service.api, key);
      const before = await rowsOf(operation.counted);
      const answers = [
        await send(service.api, path, body, key),
        await send(service.api, path, body, key),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.text]).toEqual([operation.status, answers[0]!.text]);
      }
      const locations = answers.map(({ headers }) => headers['location']);
      expect(locations).toEqual(
        operation.hasLocation ? [locations[0], locations[0]] : [undefined, undefined],
      );
      if (operation.hasLocation) expect(locations[0]).toMatch(/^\/api\/v1\/[a-z-]+\/\d+$/);
      expect((await rowsOf(operation.counted)) - before).toBe(1);
      await changeDatabase(service.database, 'DELETE FROM webhook_replay');
    });

    test('with one key at the same time is done once', async () => {
      const key = newKey();
      const { path, body } = await operation.prepare(service.api, key);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => send(service.api, path, body, key)),
      );
      for (const answer of answers) {
        expect([answer.status, answer.text]).toEqual([operation.status, answers[0]!.text]);
      }
      await changeDatabase(service.database, 'DELETE FROM webhook_replay');
    });

    test('with a key that was used for another body is refused', async () => {
      const key = newKey();
      const { path, body } = await operation.prepare(service.api, key);
      expect((await send(service.api, path, body, key)).status).toBe(operation.status);
      const before = await rowsOf(operation.counted);
      const { status, body: problem } = await send(
        service.api,
        path,
        { ...body, ...operation.other },
        key,
      );
      expect([status, problem.code]).toEqual([409, 'idempotency_key_reused']);
      expect(await rowsOf(operation.counted)).toBe(before);
      await changeDatabase(service.database, 'DELETE FROM webhook_replay');
    });
  });

  test.each<[string, string, object, object]>([
    [
      'members in another order, within objects too',
      'embed-tokens',
      { audience: 'x', acting_for: { subject: 's', reason: 'r' } },
      { acting_for: { reason: 'r', subject: 's' }, audience: 'x' },
    ],
    [
      'the default life',
      'embed-tokens',
      { audience: 'x', acting_for: ACTING_FOR },
      { audience: 'x', acting_for: ACTING_FOR, expires_in_seconds: 600 },
    ],
    ['the default grace period', 'tokens/rotate', {}, { grace_period_seconds: 0 }],
    [
      'scopes in another order, and no limits as null',
      `${V1}/api-tokens`,
      { name: 'n', scopes: ['audit:read', 'events:read'] },
      { scopes: ['events:read', 'audit:read'], name: 'n', expires_at: null, allowed_cidrs: null },
    ],
    [
      'ranges in another order',
      `${V1}/api-tokens`,
      { name: 'n', scopes: ['audit:read'], allowed_cidrs: ['10.0.0.0/8', '127.0.0.1/32'] },
      { name: 'n', scopes: ['audit:read'], allowed_cidrs: ['127.0.0.1/32', '10.0.0.0/8'] },
    ],
    [
      'each default of an endpoint',
      `${V1}/webhook-endpoints`,
      { url: 'https://example.com/' },
      {
        url: 'https://example.com/',
        description: null,
        event_types: ['*'],
        signature: 'v1',
        headers: {},
      },
    ],
    [
      'the default grace period, for many groups',
      `${V1}/bulk-jobs`,
      { action: 'rotate', ids: ['nobody'] },
      { ids: ['nobody'], action: 'rotate', grace_period_seconds: 0 },
    ],
    [
      'header fields in another order',
      `${V1}/webhook-endpoints`,
      { url: 'https://example.com/', headers: { 'X-A': '1', 'X-B': '2' } },
      { headers: { 'X-B': '2', 'X-A': '1' }, url: 'https://example.com/' },
    ],
  ])('the same call with %s gets the first response', async (_name, place, first, second) => {
    const key = newKey();
    const path = place.startsWith(V1) ? place : `${(await service.api.create()).path}/${place}`;
    const answers = [
      await send(service.api, path, first, key),
      await send(service.api, path, second, key),
    ];
    expect(answers[0]!.status).toBeLessThan(300);
    expect([answers[1]!.status, answers[1]!.text]).toEqual([answers[0]!.status, answers[0]!.text]);
  });

  test('the same rotation of an API token, a secret or a group with its default grace period is the first one', async () => {
    const { body } = await service.api.call('POST', `${V1}/api-tokens`, {
      name: 'r',
      scopes: ['audit:read'],
    });
    const endpoint = await service.api.call('POST', `${V1}/webhook-endpoints`, {
      url: 'https://example.com/',
    });
    const { token } = await service.api.create();
    for (const [path, grace_period_seconds, rest] of [
      [`${V1}/api-tokens/${body.api_token.id}/rotate`, 0, {}],
      [
        `${V1}/webhook-endpoints/${endpoint.body.webhook_endpoint.id}/roll-secret`,
        MAX_GRACE_SECONDS,
        {},
      ],
      ['/api/user', 0, { current_token: token }],
    ] as const) {
      const key = newKey();
      const one = await send(service.api, path, rest, key);
      const two = await send(service.api, path, { grace_period_seconds, ...rest }, key);
      expect(one.status).toBeLessThan(300);
      expect([path, two.status, two.text]).toEqual([path, one.status, one.text]);
    }
  });

  test('a malformed key is refused by every operation, before anything is done', async () => {
    expect(
      (await service.api.call('PUT', `${V1}/user-groups/1`, { name: 'kept' })).status,
    ).toBeLessThan(300);
    const recorded = () => service.query('SELECT id FROM change_event');
    const before = await recorded();
    const wrong: string[] = [];
    for (const operation of await describeOperations()) {
      if (TAKING_ANY_HEADER.includes(operation.path) || !operation.path.startsWith('/api/')) {
        continue;
      }
      const call = callOf(operation);
      for (const key of ['', 'not visible', 'x'.repeat(256)]) {
        const { status, body } = await service.api.send({
          ...call,
          headers: { ...call.headers, 'Idempotency-Key': key },
        });
        if (status !== 400 || body.code !== 'idempotency_key_invalid') {
          wrong.push(`${call.method} ${call.path} ${status}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(await recorded()).toEqual(before);
  });

  test('the keys of another caller are others', async () => {
    const key = newKey();
    const other = service.clientOf(await service.issueToken(['registry:write']));
    const thing = (provided_id: string) => ({ provided_id, name: 'N' });
    expect((await send(service.api, `${V1}/schemas`, thing('mine'), key)).status).toBe(201);
    const theirs = await send(other, `${V1}/schemas`, thing('theirs'), key);
    expect([theirs.status, theirs.text.includes('theirs')]).toEqual([201, true]);
  });

  test('a key of a rotation is refused to another call, and a key of another call to a rotation', async () => {
    const [one, other] = [newKey(), newKey()];
    const { path, token } = await service.api.create();
    const things = await rowsOf('SELECT id FROM registered_schema');
    const create = (name: string, key: string) =>
      send(service.api, `${V1}/schemas`, { provided_id: name, name: 'N' }, key);
    const rotated = await send(service.api, '/api/user', { current_token: token }, one);
    expect([rotated.status, (await create('of the other key', other)).status]).toEqual([200, 201]);
    const refused = [
      await create('of a key of a rotation', one),
      await send(service.api, `${path}/tokens/rotate`, {}, other),
      await send(service.api, '/api/user', { current_token: rotated.body.user_group.token }, other),
    ];
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
    }
    expect(await rowsOf('SELECT id FROM registered_schema')).toBe(things + 1);
    const { body } = await service.api.call('GET', `${path}/tokens`);
    expect(body.tokens).toHaveLength(2);
  });

  test('an expired key can be used again by a call of the other kind', async () => {
    const [one, other] = [newKey(), newKey()];
    const { path, token } = await service.api.create();
    const create = (name: string, key: string) =>
      send(service.api, `${V1}/schemas`, { provided_id: name, name: 'N' }, key);
    await send(service.api, '/api/user', { current_token: token }, one);
    await create('before it expired', other);
    await changeDatabase(
      service.database,
      `UPDATE idempotency_key SET created_at = ${Date.now() - DAY_MS - 1000}`,
    );
    const created = await create('after it expired', one);
    const rotated = await send(service.api, `${path}/tokens/rotate`, {}, other);
    expect([created.status, rotated.status]).toEqual([201, 200]);
    // The key does not go with the group of the call that had it first.
    await service.api.call('DELETE', path);
    expect((await create('after it expired', one)).text).toBe(created.text);
  });

  test('a call that is refused leaves its key unused', async () => {
    const key = newKey();
    const thing = { provided_id: 'taken at first', name: 'N' };
    const first = await service.api.call('POST', `${V1}/schemas`, thing);
    const before = await stored();
    expect((await send(service.api, `${V1}/schemas`, thing, key)).body.code).toBe(
      'provided_id_taken',
    );
    expect(await stored()).toBe(before);
    await service.api.call('DELETE', first.headers['location'] as string);
    expect((await send(service.api, `${V1}/schemas`, thing, key)).status).toBe(201);
  });

  test('nothing is created if the key cannot be stored', async () => {
    const tokens = await rowsOf('SELECT id FROM api_token');
    await changeDatabase(service.database, 'ALTER TABLE idempotency_key RENAME TO hidden_key');
    const body = { name: 'n', scopes: ['audit:read'] };
    const { status } = await send(service.api, `${V1}/api-tokens`, body, newKey());
    await changeDatabase(service.database, 'ALTER TABLE hidden_key RENAME TO idempotency_key');
    expect(status).toBeGreaterThanOrEqual(500);
    expect(await rowsOf('SELECT id FROM api_token')).toBe(tokens);
  });

  test('the database holds no secret of a response', async () => {
    const { body } = await send(
      service.api,
      `${V1}/api-tokens`,
      { name: 'n', scopes: ['audit:read'] },
      newKey(),
    );
    const rows = await service.query<{ ciphertext: Buffer }>(
      'SELECT ciphertext FROM idempotency_key WHERE ciphertext IS NOT NULL',
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { ciphertext } of rows) {
      expect(ciphertext.includes(body.api_token.token)).toBe(false);
    }
  });

  test('after 24 hours a key is forgotten, and its response removed', async () => {
    const key = newKey();
    const body = { name: 'n', scopes: ['audit:read'] };
    const first = await send(service.api, `${V1}/api-tokens`, body, key);
    const age = (ms: number) =>
      changeDatabase(
        service.database,
        `UPDATE idempotency_key SET created_at = ${Date.now() - ms}`,
      );
    await age(DAY_MS - 60_000);
    expect((await send(service.api, `${V1}/api-tokens`, body, key)).text).toBe(first.text);
    await age(DAY_MS + 1000);
    expect((await send(service.api, `${V1}/api-tokens`, body, key)).text).not.toBe(first.text);
    await age(DAY_MS + 1000);
    const before = await stored();
    expect(await service.app.get(IdempotencyKeyExpiry).sweep()).toBe(before);
    expect(await stored()).toBe(0);
  });

  test('a response that cannot be decrypted any more is not returned, and the call not repeated', async () => {
    const key = newKey();
    const body = { name: 'n', scopes: ['audit:read'] };
    await send(service.api, `${V1}/api-tokens`, body, key);
    await changeDatabase(service.database, `UPDATE idempotency_key SET key_id = 'gone'`);
    const tokens = await rowsOf('SELECT id FROM api_token');
    const { status, body: problem } = await send(service.api, `${V1}/api-tokens`, body, key);
    expect([status, problem.code]).toEqual([409, 'idempotency_key_spent']);
    expect(await rowsOf('SELECT id FROM api_token')).toBe(tokens);
  });

  test('an API token keeps its last 1,000 keys, and uses up those of no other', async () => {
    await changeDatabase(service.database, 'DELETE FROM idempotency_key');
    const one = service.clientOf(await service.issueToken(['registry:write'], 'keys'));
    const other = service.clientOf(await service.issueToken(['registry:write'], 'keys'));
    const create = (api: ApiClient, name: string) =>
      send(api, `${V1}/schemas`, { provided_id: name, name: 'N' }, `key-of-${name}`);
    const at = Date.now();
    expect((await create(one, 'first')).status).toBe(201);
    await changeDatabase(
      service.database,
      `UPDATE idempotency_key SET created_at = ${at - DAY_MS / 2}`,
    );
    const second = await create(one, 'second');
    const numbers =
      kind === 'sqlite'
        ? 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 20000) SELECT n FROM t'
        : 'SELECT generate_series(1, 20000) AS n';
    const hash =
      kind === 'sqlite' ? 'CAST(CAST(n AS text) AS blob)' : `convert_to(CAST(n AS text), 'UTF8')`;
    await changeDatabase(
      service.database,
      `INSERT INTO idempotency_key
         (workspace_id, api_token_id, key_hash, request_hash, key_id, ciphertext, created_at)
       SELECT r.workspace_id, r.api_token_id, ${hash}, r.request_hash, r.key_id, r.ciphertext, ${at} - 60000 - n
       FROM (SELECT * FROM idempotency_key LIMIT 1) AS r, (${numbers}) AS s`,
    );
    const theirs = await create(other, 'theirs');
    expect(theirs.status).toBe(201);
    expect((await create(one, 'third')).status).toBe(201);
    // Without the key of the other token.
    expect(await stored()).toBe(1000 + 1);
    expect((await create(other, 'theirs')).text).toBe(theirs.text);
    expect((await create(one, 'second')).text).toBe(second.text);
    expect((await create(one, 'first')).body.code).toBe('provided_id_taken');
  });

  test.each([
    'the issue of an API token',
    'the rotation of an API token',
    'a webhook endpoint',
    'a new webhook secret',
  ])('a repetition of %s that shows a secret again is in the audit log', async (name) => {
    const key = newKey();
    const { path, body } = await operations[name]!.prepare(service.api, key);
    const shown = () => rowsOf(`SELECT id FROM audit_event WHERE action = 'secret.show'`);
    const before = await shown();
    const first = await send(service.api, path, body, key);
    expect(await shown()).toBe(before);
    const again = await send(service.api, path, body, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    const { api_token: token, webhook_endpoint: endpoint } = again.body;
    const { body: found } = await service.api.call(
      'GET',
      `${V1}/audit-events?types=secret.show&limit=1`,
    );
    expect(await shown()).toBe(before + 1);
    expect(found.audit_events[0]!.object).toEqual(
      name.includes('API token')
        ? { type: 'api_token', id: String(token.id) }
        : { type: 'webhook_endpoint', id: String(endpoint.id) },
    );
  });

  test.each<[string, object]>([
    ['a target', { target: 'replayed' }],
    ['support', { audience: 'x', acting_for: ACTING_FOR }],
  ])('a repetition that shows a token for %s again is in the audit log', async (_name, body) => {
    const cube = { kind: 'cube', signing: HS256, claims: { team: { $: 'team_id' } } };
    await service.api.call('PUT', `${V1}/targets/replayed`, cube);
    const { path, id } = await service.api.create();
    const key = newKey();
    const issue = () => send(service.api, `${path}/embed-tokens`, body, key);
    const first = await issue();
    expect(first.status).toBe(201);
    const shown = async () => {
      const { body: found } = await service.api.call(
        'GET',
        `${V1}/audit-events?types=secret.show&object_type=user_group&object_id=${id}`,
      );
      return found.audit_events.length;
    };
    expect(await shown()).toBe(0);
    expect((await issue()).text).toBe(first.text);
    expect(await shown()).toBe(1);
  });

  test('an API token that has rotated itself is never shown its successor again', async () => {
    const own = await service.issueToken(['admin'], 'superseded');
    const api = service.clientOf(own);
    const { body } = await api.call('GET', `${V1}/api-tokens`);
    const path = `${V1}/api-tokens/${body.api_tokens[0]!.id}/rotate`;
    const rotate = () => send(api, path, { grace_period_seconds: 3600 }, 'rotation');
    const { status, body: rotated } = await rotate();
    expect(status).toBe(201);
    const again = await rotate();
    expect([again.status, again.body.code]).toEqual([403, 'api_token_superseded']);
    expect(again.text).not.toContain(rotated.api_token.token);
  });

  test('the key of an embed token is not kept: a repetition issues another', async () => {
    const { path } = await service.api.create();
    const before = await stored();
    const [one, other] = [1, 2].map(() =>
      send(service.api, `${path}/embed-tokens`, { audience: 'renderer' }, 'page'),
    );
    expect([(await one)!.status, (await other)!.status]).toEqual([201, 201]);
    expect((await one)!.body.embed_token.jti).not.toBe((await other)!.body.embed_token.jti);
    expect(await stored()).toBe(before);
  });
});
