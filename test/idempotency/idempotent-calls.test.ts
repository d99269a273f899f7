import { DAY_MS } from '../../src/common/time.ts';
import { IdempotentResponseExpiry } from '../../src/idempotency/idempotent-calls.ts';
import type { Answer, ApiClient } from '../support/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/databases.ts';
import { withService } from '../support/test-service.ts';

const V1 = '/api/v1';

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
    prepare: (_api, name) => Promise.resolve({ path: `${V1}/api-tokens`, body: { name, scopes: ['audit:read'] } }),
    other: { scopes: ['events:read'] },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM api_token',
  },
  'the rotation of an API token': {
    prepare: async (api, name) => {
      const { body } = await api.call('POST', `${V1}/api-tokens`, { name, scopes: ['audit:read'] });
      return { path: `${V1}/api-tokens/${body.api_token.id}/rotate`, body: { grace_period_seconds: 60 } };
    },
    other: { grace_period_seconds: 61 },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM api_token',
  },
  'an embed token': {
    prepare: async (api) => {
      const { path } = await api.create();
      return { path: `${path}/embed-tokens`, body: { audience: 'dashboards' } };
    },
    other: { audience: 'others' },
    status: 201,
    hasLocation: false,
    counted: 'SELECT id FROM user_group WHERE id < 0',
  },
  'a webhook endpoint': {
    prepare: (_api, name) =>
      Promise.resolve({ path: `${V1}/webhook-endpoints`, body: { url: 'https://example.com/', description: name } }),
    other: { url: 'https://example.org/' },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM webhook_endpoint',
  },
  'a new webhook secret': {
    prepare: async (api) => {
      const { body } = await api.call('POST', `${V1}/webhook-endpoints`, { url: 'https://example.com/' });
      return { path: `${V1}/webhook-endpoints/${body.webhook_endpoint.id}/roll-secret`, body: {} };
    },
    other: { grace_period_seconds: 7 },
    status: 201,
    hasLocation: false,
    counted: `SELECT id FROM audit_event WHERE action = 'webhook_endpoint.roll_secret'`,
  },
  'a replay': {
    prepare: async (api) => {
      const { body } = await api.call('POST', `${V1}/webhook-endpoints`, { url: 'https://example.com/' });
      const path = `${V1}/webhook-endpoints/${body.webhook_endpoint.id}/replay`;
      return { path, body: { from: '2030-01-01T00:00:00Z' } };
    },
    other: { from: '2031-01-01T00:00:00Z' },
    status: 200,
    hasLocation: false,
    counted: 'SELECT workspace_id FROM webhook_replay',
  },
  'a schema': {
    prepare: (_api, name) => Promise.resolve({ path: `${V1}/schemas`, body: { provided_id: name, name } }),
    other: { name: 'another' },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM registered_schema',
  },
  'a data source': {
    prepare: (_api, name) => Promise.resolve({ path: `${V1}/data-sources`, body: { provided_id: name, name } }),
    other: { name: 'another' },
    status: 201,
    hasLocation: true,
    counted: 'SELECT id FROM registered_data_source',
  },
};

onEachDatabase((kind) => {
  const service = withService(kind);
  let keys = 0;

  const newKey = () => `key-${++keys}`;
  const send = (api: ApiClient, path: string, body: object, key: string): Promise<Answer> =>
    api.call('POST', path, body, { 'Idempotency-Key': key });
  const rowsOf = async (sql: string) => (await service.query(sql)).length;
  const stored = () => rowsOf('SELECT key_hash FROM idempotent_response');

  describe.each(Object.entries(operations))('%s', (_name, operation) => {
    test('with one key is done once, and every repetition gets the first response', async () => {
      const key = newKey();
      const { path, body } = await operation.prepare(service.api, key);
      const before = await rowsOf(operation.counted);
      const answers = [await send(service.api, path, body, key), await send(service.api, path, body, key)];
      for (const answer of answers) expect([answer.status, answer.text]).toEqual([operation.status, answers[0]!.text]);
      const locations = answers.map(({ headers }) => headers['location']);
      expect(locations).toEqual(operation.hasLocation ? [locations[0], locations[0]] : [undefined, undefined]);
      if (operation.hasLocation) expect(locations[0]).toMatch(/^\/api\/v1\/[a-z-]+\/\d+$/);
      expect((await rowsOf(operation.counted)) - before).toBe(operation.counted.includes('< 0') ? 0 : 1);
      await changeDatabase(service.database, 'DELETE FROM webhook_replay');
    });

    test('with one key at the same time is done once', async () => {
      const key = newKey();
      const { path, body } = await operation.prepare(service.api, key);
      const answers = await Promise.all(Array.from({ length: 5 }, () => send(service.api, path, body, key)));
      for (const answer of answers) expect([answer.status, answer.text]).toEqual([operation.status, answers[0]!.text]);
      await changeDatabase(service.database, 'DELETE FROM webhook_replay');
    });

    test('with a key that was used for another body is refused', async () => {
      const key = newKey();
      const { path, body } = await operation.prepare(service.api, key);
      expect((await send(service.api, path, body, key)).status).toBe(operation.status);
      const before = await rowsOf(operation.counted);
      const { status, body: problem } = await send(service.api, path, { ...body, ...operation.other }, key);
      expect([status, problem.code]).toEqual([409, 'idempotency_key_reused']);
      expect(await rowsOf(operation.counted)).toBe(before);
      await changeDatabase(service.database, 'DELETE FROM webhook_replay');
    });
  });

  test('the keys of another caller are others', async () => {
    const key = newKey();
    const other = service.clientOf(await service.issueToken(['registry:write']));
    const thing = (provided_id: string) => ({ provided_id, name: 'N' });
    expect((await send(service.api, `${V1}/schemas`, thing('mine'), key)).status).toBe(201);
    const theirs = await send(other, `${V1}/schemas`, thing('theirs'), key);
    expect([theirs.status, theirs.text.includes('theirs')]).toEqual([201, true]);
  });

  test('a call that is refused leaves its key unused', async () => {
    const key = newKey();
    const thing = { provided_id: 'taken at first', name: 'N' };
    const first = await service.api.call('POST', `${V1}/schemas`, thing);
    const before = await stored();
    expect((await send(service.api, `${V1}/schemas`, thing, key)).body.code).toBe('provided_id_taken');
    expect(await stored()).toBe(before);
    await service.api.call('DELETE', first.headers['location'] as string);
    expect((await send(service.api, `${V1}/schemas`, thing, key)).status).toBe(201);
  });

  test('nothing is created if the key cannot be stored', async () => {
    const tokens = await rowsOf('SELECT id FROM api_token');
    await changeDatabase(service.database, 'ALTER TABLE idempotent_response RENAME TO hidden_response');
    const body = { name: 'n', scopes: ['audit:read'] };
    const { status } = await send(service.api, `${V1}/api-tokens`, body, newKey());
    await changeDatabase(service.database, 'ALTER TABLE hidden_response RENAME TO idempotent_response');
    expect(status).toBeGreaterThanOrEqual(500);
    expect(await rowsOf('SELECT id FROM api_token')).toBe(tokens);
  });

  test('the database holds no secret of a response', async () => {
    const { body } = await send(service.api, `${V1}/api-tokens`, { name: 'n', scopes: ['audit:read'] }, newKey());
    const rows = await service.query<{ ciphertext: Buffer }>('SELECT ciphertext FROM idempotent_response');
    expect(rows.length).toBeGreaterThan(0);
    for (const { ciphertext } of rows) expect(ciphertext.includes(body.api_token.token)).toBe(false);
  });

  test('after 24 hours a key is forgotten, and its response removed', async () => {
    const key = newKey();
    const body = { name: 'n', scopes: ['audit:read'] };
    const first = await send(service.api, `${V1}/api-tokens`, body, key);
    const age = (ms: number) =>
      changeDatabase(service.database, `UPDATE idempotent_response SET created_at = ${Date.now() - ms}`);
    await age(DAY_MS - 60_000);
    expect((await send(service.api, `${V1}/api-tokens`, body, key)).text).toBe(first.text);
    await age(DAY_MS + 1000);
    expect((await send(service.api, `${V1}/api-tokens`, body, key)).text).not.toBe(first.text);
    await age(DAY_MS + 1000);
    const before = await stored();
    expect(await service.app.get(IdempotentResponseExpiry).sweep()).toBe(before);
    expect(await stored()).toBe(0);
  });

  test('a response that cannot be decrypted any more is not returned, and the call not repeated', async () => {
    const key = newKey();
    const body = { name: 'n', scopes: ['audit:read'] };
    await send(service.api, `${V1}/api-tokens`, body, key);
    await changeDatabase(service.database, `UPDATE idempotent_response SET key_id = 'gone'`);
    const tokens = await rowsOf('SELECT id FROM api_token');
    const { status, body: problem } = await send(service.api, `${V1}/api-tokens`, body, key);
    expect([status, problem.code]).toEqual([409, 'idempotency_key_spent']);
    expect(await rowsOf('SELECT id FROM api_token')).toBe(tokens);
  });

  test('a workspace has at most 10,000 keys at a time', async () => {
    const { id } = (await service.query<{ id: number }>('SELECT min(id) AS id FROM workspace'))[0]!;
    const blob = (text: string) => (kind === 'sqlite' ? `CAST(${text} AS blob)` : `convert_to(${text}, 'UTF8')`);
    const numbers =
      kind === 'sqlite'
        ? 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10000) SELECT n FROM t'
        : 'SELECT generate_series(1, 10000) AS n';
    await changeDatabase(
      service.database,
      `INSERT INTO idempotent_response (workspace_id, key_hash, request_hash, key_id, ciphertext, created_at)
       SELECT ${id}, ${blob('CAST(n AS text)')}, ${blob(`''`)}, 'k', ${blob(`''`)}, ${Date.now()} FROM (${numbers}) AS s`,
    );
    const body = { name: 'n', scopes: ['audit:read'] };
    const tokens = await rowsOf('SELECT id FROM api_token');
    const { status, body: problem, headers } = await send(service.api, `${V1}/api-tokens`, body, newKey());
    expect([status, problem.code, headers['retry-after']]).toEqual([429, 'rate_limited', '3600']);
    expect(await rowsOf('SELECT id FROM api_token')).toBe(tokens);
    expect((await service.api.call('POST', `${V1}/api-tokens`, body)).status).toBe(201);
    await changeDatabase(service.database, 'DELETE FROM idempotent_response');
  });
});
