import { createHash } from 'node:crypto';
import { AccessRefusalLog } from '../../src/core/audit/tally/access-refusal-log.ts';
import { AuditRetention } from '../../src/core/audit/audit-retention.ts';
import type { AuditEventView } from '../../src/core/audit/dto/audit-event-response.dto.ts';
import type { Scope } from '../../src/platform/common/access/caller.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { forbidEvents } from '../support/events/forbid-events.ts';
import { linesOf } from '../support/api/lines.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { passTime } from '../support/time/fake-time.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';

const PATH = '/api/v1/audit-events';

onEachDatabase((kind) => {
  const service = withService(kind);
  let api: ApiClient;

  beforeAll(() => {
    ({ api } = service);
  });

  const eventsOf = async (query = '', by = api): Promise<AuditEventView[]> => {
    const { status, body } = await by.call('GET', `${PATH}?limit=200${query}`);
    expect(status).toBe(200);
    return body.audit_events;
  };
  const toFacts = ({ action, object, before, after, details }: AuditEventView) => ({
    action,
    ...(object && { object: object.id }),
    ...(before && { before }),
    ...(after && { after }),
    ...(details && { details }),
  });

  test('every change of a group is told with who, from where, and what changed', async () => {
    const id = { user_group_id: 'told' };
    const name = { ...id, name: 'Told' };
    const requestId = { 'X-Request-Id': 'audited-1' };
    const created = await api.get({ ...name, properties: { a: 1, b: 2 } }, requestId);
    await api.put({ ...name, properties: { a: 1, b: 3, c: 4 }, mapping: { s: 7 } });
    await api.put({ ...name, name: 'New', mapping: {} });
    await api.post({ current_token: created.body.user_group.token, grace_period_seconds: 60 });
    await api.call('POST', '/api/v1/user-groups/told/tokens/1/revoke');
    const { team_id } = created.body.user_group;
    const events = await eventsOf('&object_type=user_group&object_id=told');
    expect(events.map(toFacts).reverse()).toEqual([
      {
        action: 'user_group.create',
        object: 'told',
        after: { name: 'Told', mapping: {}, properties: { a: 1, b: 2 } },
        details: { team_id, version: 1 },
      },
      {
        action: 'user_group.update',
        object: 'told',
        before: { mapping: {}, properties: { b: 2 } },
        after: { mapping: { s: 7 }, properties: { b: 3, c: 4 } },
        details: { team_id, version: 2 },
      },
      {
        action: 'user_group.update',
        object: 'told',
        before: { name: 'Told', mapping: { s: 7 } },
        after: { name: 'New', mapping: {} },
        details: { team_id, version: 3 },
      },
      {
        action: 'user_group_token.rotate',
        object: 'told',
        before: { generation: 1 },
        after: { generation: 2 },
        details: { team_id, grace_period_seconds: 60 },
      },
      { action: 'user_group_token.revoke', object: 'told', details: { team_id, generation: 1 } },
    ]);
    expect(events.at(-1)).toMatchObject({
      id: expect.stringMatching(/^evt_\d+$/),
      occurred_at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: { type: 'api_token', api_token_id: 1, address: '127.0.0.1', request_id: 'audited-1' },
    });
  });

  test('what changes nothing is not told: look-ups, equal writes, refusals by validation', async () => {
    const group = { user_group_id: 'silent', name: 'S', properties: { a: 1 } };
    await api.get(group);
    const before = await eventsOf();
    await api.get(group);
    await api.get({ user_group_id: 'silent' });
    await api.put(group);
    await api.put({ ...group, name: '' });
    await api.post({ current_token: 'unknown' });
    expect(await eventsOf()).toEqual(before);
  });

  test('every change of an API token is told', async () => {
    const token = (await issueOverHttp({ scopes: ['audit:read'] })).id;
    const change = { scopes: ['audit:read', 'registry:read'] };
    await api.call('PATCH', `/api/v1/api-tokens/${token}`, change);
    await api.call('PATCH', `/api/v1/api-tokens/${token}`, change);
    const path = `/api/v1/api-tokens/${token}/rotate`;
    const next = (await api.call('POST', path, { grace_period_seconds: 60 })).body.api_token.id;
    await api.call('POST', `/api/v1/api-tokens/${token}/revoke`);
    await api.call('POST', `/api/v1/api-tokens/${token}/revoke`);
    const events = await eventsOf(`&object_type=api_token&object_id=${token}`);
    expect(events.map(toFacts).reverse()).toMatchObject([
      { action: 'api_token.issue', after: { name: 'audited', scopes: ['audit:read'] } },
      {
        action: 'api_token.update',
        before: { scopes: ['audit:read'] },
        after: { scopes: ['audit:read', 'registry:read'] },
      },
      { action: 'api_token.rotate', details: { superseded_by_id: next, grace_period_seconds: 60 } },
      { action: 'api_token.revoke' },
    ]);
    expect(events).toHaveLength(4);
  });

  const issueOverHttp = async (body: object) =>
    (await api.call('POST', '/api/v1/api-tokens', { name: 'audited', ...body })).body.api_token;

  test('what a change says is never a token, not even one that somebody took for a name', async () => {
    const lookalike = `ugt_${'x'.repeat(38)}`;
    const id = { user_group_id: 'token keeper' };
    const headers = { 'X-Request-Id': service.bootstrapToken };
    await api.get({ ...id, name: lookalike, properties: { [lookalike]: [lookalike] } }, headers);
    const [event] = await eventsOf('&object_id=token+keeper');
    expect(event).toMatchObject({
      after: { name: 'ugt_[redacted]', properties: { 'ugt_[redacted]': ['ugt_[redacted]'] } },
      actor: { request_id: '[redacted]' },
    });
  });

  test('an event shows an id with what looks like a token redacted, and the change log the id itself, however it is written', async () => {
    const id = `x ugt_${'y'.repeat(38)}`;
    const path = `/api/v1/user-groups/${encodeURIComponent(id)}`;
    const { user_group: group } = (await api.put({ user_group_id: id, name: 'Looks like one' }))
      .body;
    await api.rotate(group.token);
    await api.call('POST', `${path}/tokens/rotate`, {});
    await api.put({ user_group_id: id, name: 'Renamed' });
    await api.call('DELETE', path);
    const actions = [
      'user_group.create',
      'user_group_token.rotate',
      'user_group_token.rotate',
      'user_group.update',
      'user_group.delete',
    ];
    const events = await service.query<{ action: string; object_id: string; details: string }>(
      `SELECT action, object_id, details FROM audit_event WHERE details LIKE '%"team_id":${group.team_id}%' ORDER BY id`,
    );
    expect(events.map(({ action, object_id }) => [action, object_id])).toEqual(
      actions.map((action) => [action, 'x ugt_[redacted]']),
    );
    const changes = await service.query<{ kind: string; object_id: string }>(
      `SELECT kind, object_id FROM change_event WHERE user_group_id = ${group.team_id} ORDER BY id`,
    );
    expect(changes).toEqual(actions.map((kind) => ({ kind, object_id: id })));
  });

  test('a name that only begins like a token stays as it is, and can be asked for', async () => {
    const properties = { ugt_k1: 1, ugt_k2: 2 };
    await api.get({ user_group_id: 'ugt_zebra', name: 'uga_x', properties });
    const [event] = await eventsOf('&object_id=ugt_zebra');
    expect(event!.after).toEqual({ name: 'uga_x', mapping: {}, properties });
  });

  test('what is large is recorded by its size and hash, so that an event stays small', async () => {
    const group = { user_group_id: 'large', name: 'L' };
    const large = { a: 'x'.repeat(10_000), b: 1 };
    await api.get({ ...group, properties: large, mapping: { s: 'y'.repeat(200_000) } });
    await api.put({ ...group, properties: { ...large, b: 2 } });
    const [update, create] = await eventsOf('&object_id=large');
    const bytes = JSON.stringify(large).length;
    const sha256 = createHash('sha256').update(JSON.stringify(large)).digest('hex');
    expect(create!.after).toMatchObject({
      properties: { summary: { entries: 2, bytes, sha256 } },
      mapping: { summary: { entries: 1, bytes: 200_008 } },
    });
    expect(update).toMatchObject({
      before: { properties: { b: 1 } },
      after: { properties: { b: 2 } },
    });
  });

  test('the first token and each workspace are told as the operator’s', async () => {
    const [first] = (await eventsOf('&types=api_token.issue')).slice(-1);
    expect(first).toMatchObject({ actor: { type: 'operator' }, after: { name: 'bootstrap' } });
    expect(first!.actor).toEqual({ type: 'operator' });
    const token = await service.issueToken(['audit:read'], 'audited workspace');
    const events = await eventsOf('', service.clientOf(token));
    expect(events.map(toFacts).reverse()).toMatchObject([
      { action: 'workspace.create', after: { name: 'audited workspace' } },
      { action: 'api_token.issue' },
    ]);
  });

  test('a workspace sees its own events alone', async () => {
    const scopes: Scope[] = [
      'audit:read',
      'user-groups:read',
      'user-groups:write',
      'user-group-tokens:read',
    ];
    const other = service.clientOf(await service.issueToken(scopes, 'a stranger'));
    await other.get({ user_group_id: 'theirs', name: 'T' });
    await api.get({ user_group_id: 'ours', name: 'O' });
    const seen = async (by: ApiClient, id: string) =>
      (await eventsOf(`&object_id=${id}`, by)).length;
    expect([await seen(other, 'theirs'), await seen(other, 'ours')]).toEqual([1, 0]);
    expect([await seen(api, 'ours'), await seen(api, 'theirs')]).toEqual([1, 0]);
  });

  test('filters can be combined, and pages leave nothing out', async () => {
    const before = new Date().toISOString();
    for (const id of ['p1', 'p2', 'p3', 'p4', 'p5']) {
      await api.get({ user_group_id: id, name: id }, { 'X-Request-Id': `page-${id}` });
    }
    const all = await eventsOf(`&from=${before}&types=user_group.create&api_token_id=1`);
    expect(all.map(({ object }) => object!.id)).toEqual(['p5', 'p4', 'p3', 'p2', 'p1']);
    const paged: string[] = [];
    let cursor = '';
    do {
      const query = `from=${before}&types=user_group.create&limit=2${cursor}`;
      const { body } = await api.call('GET', `${PATH}?${query}`);
      paged.push(...body.audit_events.map(({ object }) => object!.id));
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : '';
    } while (cursor);
    expect(paged).toEqual(['p5', 'p4', 'p3', 'p2', 'p1']);
    expect(await eventsOf('&request_id=page-p3')).toMatchObject([{ object: { id: 'p3' } }]);
    const till = encodeURIComponent(all[1]!.occurred_at.replace('Z', '+00:00'));
    const earlier = await eventsOf(`&from=${before}&to=${till}`);
    expect(earlier.every(({ occurred_at: at }) => at < all[1]!.occurred_at)).toBe(true);
    expect(await eventsOf('&api_token_id=999')).toEqual([]);
  });

  test('what others do does not show in the ids of one’s own events', async () => {
    for (const id of ['apart 1', 'apart 2']) await api.get({ user_group_id: id, name: id });
    const [second, first] = (await eventsOf('&types=user_group.create')).slice(0, 2);
    expect(Math.abs(numberOf(second!) - numberOf(first!))).toBeGreaterThan(1_000_000);
    expect(Number.isSafeInteger(numberOf(second!))).toBe(true);
  });

  test('types filters by globs, in the list and in the export', async () => {
    await api.get({ user_group_id: 'globbed', name: 'G' });
    const actionsOf = async (types: string) =>
      [...new Set((await eventsOf(`&types=${types}`)).map(({ action }) => action))].sort();
    const all = await actionsOf('*');
    expect(all).toEqual(expect.arrayContaining(['user_group.create', 'api_token.issue']));
    expect(await actionsOf('user_group.*')).toEqual(
      all.filter((action) => action.startsWith('user_group.')),
    );
    expect(await actionsOf('*.create,api_token.issue')).toEqual(
      all.filter((action) => action.endsWith('.create') || action === 'api_token.issue'),
    );
    const body = { types: ['user_group.*', 'workspace.create'], object_id: 'globbed' };
    const exported = linesOf(await api.call('POST', `${PATH}/export`, body));
    expect(exported).toMatchObject([
      { id: expect.stringMatching(/^evt_\d+$/), action: 'user_group.create' },
      { summary: {} },
    ]);
    for (const types of ['nothing.*', '', 'User_group.create']) {
      const { status, body: problem } = await api.call('GET', `${PATH}?types=${types}`);
      expect([status, problem.errors[0]]).toMatchObject([422, { in: 'query', parameter: 'types' }]);
    }
    const refused = await api.call('POST', `${PATH}/export`, { types: 'user_group.*' });
    expect([refused.status, refused.body.errors[0]]).toMatchObject([422, { pointer: '/types' }]);
  });

  test('an event has one id in the audit log and in the feed', async () => {
    const { body } = await api.call('GET', '/api/v1/events?after=latest');
    await api.get({ user_group_id: 'one id', name: 'O' });
    const feed = await api.call('GET', `/api/v1/events?after=${body.next_cursor}`);
    const [event] = (feed.body as unknown as { events: { id: string }[] }).events;
    const [recorded] = await eventsOf('&object_id=one%20id');
    expect(event!.id).toMatch(/^evt_\d+$/);
    expect(recorded!.id).toBe(event!.id);
  });

  test('events of one moment are each on one page', async () => {
    const [workspace] = await service.query<{ id: number }>('SELECT min(id) AS id FROM workspace');
    const row = (publicId: number) =>
      `(${publicId}, ${workspace!.id}, 1795000000000, 'api_token.expiring', 'operator', 9000000000000)`;
    await changeDatabase(
      service.database,
      `INSERT INTO audit_event (public_id, workspace_id, occurred_at, action, actor_type, keep_until)
       VALUES ${[row(5), row(9e14), row(6), row(7), row(8e15)].join()}`,
    );
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await api.call('GET', `${PATH}?types=api_token.expiring&limit=1${cursor}`);
      found.push(...body.audit_events.map(({ id }) => id));
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : '';
    } while (cursor);
    const known = await service.query<{ public_id: number | string }>(
      `SELECT public_id FROM audit_event WHERE action = 'api_token.expiring' ORDER BY id DESC`,
    );
    expect(found).toEqual(known.map(({ public_id }) => `evt_${public_id}`));
    expect(found).toHaveLength(5);
  });

  test('every combination of filters has pages of its own', async () => {
    for (const id of ['c1', 'c2', 'c3']) await api.get({ user_group_id: id, name: id });
    const filters = [
      'types=user_group.create',
      'object_type=user_group',
      'api_token_id=1',
      'from=2020-01-01T00:00:00Z',
      'to=2099-01-01T00:00:00Z',
    ];
    for (let bits = 0; bits < 2 ** filters.length; bits++) {
      const query = filters.filter((_, index) => bits & (2 ** index)).join('&');
      const first = await api.call('GET', `${PATH}?limit=1&${query}`);
      const cursor = first.body.next_cursor;
      const second = await api.call('GET', `${PATH}?limit=1&cursor=${cursor}&${query}`);
      expect([query, first.status, second.status]).toEqual([query, 200, 200]);
      const [[earlier], [later]] = [second.body.audit_events, first.body.audit_events];
      expect(earlier!.occurred_at <= later!.occurred_at && earlier!.id !== later!.id).toBe(true);
    }
  });

  test.each([
    'from=yesterday',
    'to=2030-01-01',
    'api_token_id=x',
    'types=',
    'object_id=%00',
    'cursor=WzFd',
    'limit=1.5',
    'actor=1',
    'types=a&types=b',
  ])('the query %s is refused', async (query) => {
    const { status, body } = await api.call('GET', `${PATH}?${query}`);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.errors[0]).toMatchObject({ in: 'query', parameter: query.split('=')[0] });
  });

  test('a query that is no UTF-8 is malformed', async () => {
    const { status, body } = await api.call('GET', `${PATH}?object_id=%FF`);
    expect([status, body.code]).toEqual([400, 'request_malformed']);
  });

  describe('refused calls', () => {
    const refusals = async (by = api) => {
      // Each refusal is being written when its response has come.
      const { pending } = service.app.get<{ pending: Set<Promise<void>> }>(AccessRefusalLog);
      await Promise.all(pending);
      return (await eventsOf('', by)).filter(({ action }) => action.endsWith('.refuse'));
    };

    test('a missing scope and a token that has ended are told to their workspace', async () => {
      const reader = await service.issueToken(['audit:read'], 'refusals');
      const ended = await service.issueToken(['user-groups:read'], 'refusals');
      await service.clientOf(reader).post({ current_token: 'x' }, { 'X-Request-Id': 'no-scope' });
      // Two that are being written at once come in any order.
      await refusals();
      await service.revokeToken(ended);
      await service.clientOf(ended).get({ user_group_id: 'g' });
      expect(await refusals(service.clientOf(reader))).toMatchObject([
        {
          action: 'authentication.refuse',
          actor: { type: 'api_token', api_token_id: expect.any(Number), address: '127.0.0.1' },
          details: { code: 'api_token_invalid', method: 'GET', path: '/api/user' },
        },
        {
          action: 'authorization.refuse',
          actor: { request_id: 'no-scope' },
          details: { code: 'insufficient_scope', method: 'POST', path: '/api/user' },
        },
      ]);
    });

    test('no encoding of a path hides a token from redaction', async () => {
      const secret = 'y'.repeat(38);
      const reader = service.clientOf(await service.issueToken(['audit:read'], 'encoded'));
      const path = `/api/v1/user-groups/%75gt%5F${secret}%FF/tokens`;
      await reader.call('GET', path);
      await reader.call('GET', path.replace('%FF', ''));
      const text = JSON.stringify(await refusals(reader));
      expect(text).toContain('ugt_[redacted]');
      expect(text).not.toContain(secret);
    });

    test('an attacker cannot fill the log: few rows a minute, the rest counted', async () => {
      const reader = service.clientOf(await service.issueToken(['audit:read'], 'attacked'));
      const attack = () => reader.get({ user_group_id: 'g' });
      for (let count = 0; count < 10; count++) {
        await Promise.all(Array.from({ length: 20 }, attack));
      }
      const written = (await refusals(reader)).length;
      expect(written).toBeLessThanOrEqual(5);
      passTime(61_000);
      await attack();
      jest.useRealTimers();
      const told = await refusals(reader);
      expect(told).toHaveLength(written + 1);
      const counted = told.map(
        ({ details = {} }) =>
          1 + ((details as { not_recorded_before?: number }).not_recorded_before ?? 0),
      );
      expect(counted.reduce((sum, one) => sum + one)).toBe(201);
      // The one who is attacked goes on.
      expect((await api.get({ user_group_id: 'attacked', name: 'A' })).status).toBe(200);
      expect(await eventsOf('&object_id=attacked')).toHaveLength(1);
    });

    test('nobody’s refusals keep those of another workspace out of its log', async () => {
      for (let count = 0; count < 20; count++) {
        await service.clientOf(undefined).get({ user_group_id: 'g' });
      }
      const reader = service.clientOf(await service.issueToken(['audit:read'], 'not drowned'));
      await reader.post({ current_token: 'x' });
      expect(await refusals(reader)).toHaveLength(1);
    });
  });

  describe('the database itself', () => {
    const attempt = (sql: string) => changeDatabase(service.database, sql);

    test.each([
      'UPDATE audit_event SET action = action',
      "UPDATE audit_event SET keep_until = 0 WHERE action = 'user_group.create'",
      'DELETE FROM audit_event',
      'DELETE FROM audit_event WHERE id = (SELECT max(id) FROM audit_event WHERE keep_until > 0)',
      kind === 'postgres'
        ? 'TRUNCATE audit_event'
        : `INSERT OR REPLACE INTO audit_event (id, occurred_at, action, actor_type)
           SELECT id, 0, 'x', 'x' FROM audit_event LIMIT 1`,
      ...(kind === 'postgres'
        ? ["SET session_replication_role = 'replica'; DELETE FROM audit_event"]
        : []),
    ])('refuses %s', async (sql) => {
      await api.put({ user_group_id: 'kept', name: `${Math.random()}` });
      const before = await service.query('SELECT * FROM audit_event ORDER BY id');
      await expect(attempt(sql)).rejects.toThrow(/cannot be changed or removed/);
      expect(await service.query('SELECT * FROM audit_event ORDER BY id')).toEqual(before);
    });

    test('lets events go when their retention is over, and no sooner', async () => {
      const now = Date.now();
      const insert = (action: string, keepUntil: number | string) =>
        attempt(`INSERT INTO audit_event (public_id, occurred_at, action, actor_type, keep_until)
                 VALUES (1, ${now}, '${action}', 'operator', ${keepUntil})`);
      await insert('test.expired', now - 61_000);
      await insert('test.kept', now + 60_000);
      await insert('test.eternal', 'NULL');
      expect(await service.app.get(AuditRetention).sweep()).toBe(1);
      const rows = await service.query<{ action: string }>(
        `SELECT action FROM audit_event WHERE action LIKE 'test.%' ORDER BY id`,
      );
      expect(rows.map(({ action }) => action)).toEqual(['test.kept', 'test.eternal']);
    });
  });

  test('a change that cannot be recorded is not made, and is answered 503', async () => {
    const { body } = await api.get({ user_group_id: 'strict', name: 'Strict' });
    const { id } = await issueOverHttp({ scopes: ['audit:read'] });
    const before = await allRows(service);
    const allow = await forbidEvents(service);
    const attempts = [
      await api.get({ user_group_id: 'never', name: 'N' }),
      await api.put({ user_group_id: 'strict', name: 'Other', mapping: { a: 1 } }),
      await api.post({ current_token: body.user_group.token }, { 'Idempotency-Key': 'k' }),
      await api.call('POST', '/api/v1/user-groups/strict/tokens/rotate', {}),
      await api.call('POST', '/api/v1/api-tokens', { name: 'x', scopes: ['admin'] }),
      await api.call('PATCH', `/api/v1/api-tokens/${id}`, { name: 'y' }),
      await api.call('POST', `/api/v1/api-tokens/${id}/rotate`, {}),
      await api.call('POST', `/api/v1/api-tokens/${id}/revoke`),
    ];
    for (const { status, body, headers } of attempts) {
      expect([status, body.code, body.success]).toEqual([503, 'audit_unavailable', 0]);
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
    expect(await allRows(service)).toEqual(before);
    // A call that changes nothing needs no record.
    expect((await api.get({ user_group_id: 'strict', name: 'Strict' })).status).toBe(200);
    await allow();
    expect((await api.post({ current_token: body.user_group.token })).status).toBe(200);
  });
});

test('the retention of an event is that of the day on which it was written', async () => {
  const kept: unknown[] = [];
  for (const days of ['30', '0']) {
    const service = await startTestService('sqlite', { AUDIT_RETENTION_DAYS: days });
    const rows = await service.query<{ keep: number | null }>(
      'SELECT (keep_until - occurred_at) / 86400000 AS keep FROM audit_event',
    );
    kept.push(...rows.map(({ keep }) => keep));
    await service.close();
  }
  expect(kept).toEqual([30, null]);
});

onEachDatabase((kind) => {
  withFrozenBuckets();

  test('the many clients of a workspace write few rows a minute, the last of which are written before the end', async () => {
    const service = await startTestService(kind, { TRUST_PROXY: '1' });
    const { drop } = service.database;
    const client = service.clientOf(await service.issueToken(['audit:read']));
    const refuse = (n: number) =>
      client.get({ user_group_id: 'g' }, { 'X-Forwarded-For': `198.51.100.${n}` });
    await Promise.all(Array.from({ length: 100 }, (_, n) => refuse(n)));
    await service.app.close();
    const counting = await startTestService(service.database);
    const [row] = await counting.query<{ n: number | string }>(
      `SELECT count(*) AS n FROM audit_event WHERE action = 'authorization.refuse'`,
    );
    await counting.close();
    await drop();
    expect(Number(row!.n)).toBe(60);
  });
});

/** Everything a change could leave behind. */
async function allRows(service: TestService): Promise<unknown> {
  const tables = [
    'user_group',
    'user_group_token',
    'data_source_mapping',
    'idempotency_key',
    'audit_event',
  ];
  const rows = await Promise.all(tables.map((table) => service.query(`SELECT * FROM ${table}`)));
  const tokens = await service.query(
    'SELECT id, name, scopes, revoked_at, superseded_by FROM api_token',
  );
  return JSON.stringify([rows, tokens]);
}

/** The number in the id of an event. */
function numberOf({ id }: { id: string }): number {
  return Number(/^evt_(\d+)$/.exec(id)?.[1]);
}
