import { scopes } from '../../src/platform/common/access/caller.ts';
import { redactTokens } from '../../src/platform/common/secret/secrets.ts';
import { kindsMatching } from '../../src/platform/common/globs.ts';
import { isUsableGlob } from '../../src/features/event/feed/event-types.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { runCli } from '../support/process/processes.ts';
import { errorsOf } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

const PATH = '/api/v1/webhook-endpoints';
const URL = 'https://receiver.example/hook?key=in-the-url';

onEachDatabase((kind) => {
  const service = withService(kind, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.2, fd00:1::/32' });
  let name: string;
  let api: ApiClient;

  beforeEach(async () => {
    name = `workspace ${Math.random()}`;
    api = service.clientOf(await service.issueToken([...scopes], name));
  });

  const create = (body: object = {}) => api.call('POST', PATH, { url: URL, ...body });
  const events = async () => (await api.call('GET', '/api/v1/audit-events')).body.audit_events;

  test('what is created can be read at its Location and listed, without its secret', async () => {
    const created = await create({
      description: 'billing',
      event_types: ['user_group.*', 'api_token.revoke'],
      headers: { 'X-Api-Key': 'very secret', Authorization: 'Bearer x' },
    });
    expect(created.status).toBe(201);
    const { secret, ...view } = created.body.webhook_endpoint;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(view).toEqual({
      id: expect.any(Number),
      url: URL,
      description: 'billing',
      event_types: ['user_group.*', 'api_token.revoke'],
      signature: 'v1',
      public_key: null,
      old_secret_expires_at: null,
      headers: ['X-Api-Key', 'Authorization'],
      enabled: true,
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
      skipping_since: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: view.created_at,
    });
    expect(created.headers['location']).toBe(`${PATH}/${view.id}`);
    const read = await api.call('GET', created.headers['location'] as string);
    const known = {
      ...view,
      last_hour: { attempts: 0, delivered: 0 },
      waiting: { count: 0, exact: true },
    };
    expect(read.body.webhook_endpoint).toEqual(known);
    const list = await api.call('GET', PATH);
    expect(list.body.webhook_endpoints).toEqual([known]);
    expect(read.text + list.text).not.toMatch(/whsec_|very secret/);
  });

  test('of v1a the public key is shown at any time, and no secret ever', async () => {
    const { webhook_endpoint } = (await create({ signature: 'v1a' })).body;
    expect(webhook_endpoint).toMatchObject({
      signature: 'v1a',
      secret: null,
      public_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
    });
    const read = await api.call('GET', `${PATH}/${webhook_endpoint.id}`);
    expect(read.body.webhook_endpoint.public_key).toBe(webhook_endpoint.public_key);
    const rolled = await api.call('POST', `${PATH}/${webhook_endpoint.id}/roll-secret`, {});
    expect(rolled.body.webhook_endpoint.secret).toBeNull();
    expect(rolled.body.webhook_endpoint.public_key).not.toBe(webhook_endpoint.public_key);
    expect(rolled.text + read.text).not.toContain('whsk_');
  });

  test('the list comes page by page in the order of creation', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 3; index++) ids.push((await create()).body.webhook_endpoint.id);
    const first = await api.call('GET', `${PATH}?limit=2`);
    const second = await api.call('GET', `${PATH}?limit=2&cursor=${first.body.next_cursor}`);
    const { id } = first.body.webhook_endpoints[0]!;
    for (const [path, ...position] of [
      [PATH, 0, Number.MAX_SAFE_INTEGER],
      [`${PATH}/${id}/attempts`, 0, 0, Number.MAX_SAFE_INTEGER],
    ]) {
      const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
      const made = await api.call('GET', `${path}?cursor=${cursor}`);
      expect([path, made.status]).toEqual([path, 200]);
    }
    const found = [first, second].map(({ body }) => body.webhook_endpoints.map(({ id }) => id));
    // Endpoints of one millisecond are in the order of their numbers.
    expect(found.flat().sort()).toEqual([...ids].sort());
    expect(found.map(({ length }) => length)).toEqual([2, 1]);
    expect(second.body.next_cursor).toBeUndefined();
  });

  test.each<[string, object, string, string]>([
    ['no url', { url: undefined }, '/url', 'required'],
    ['a url that is no text', { url: 7 }, '/url', 'type'],
    ['no url at all', { url: 'receiver' }, '/url', 'not_acceptable'],
    ['another scheme', { url: 'ftp://receiver.example/' }, '/url', 'not_acceptable'],
    ['http', { url: 'http://receiver.example/' }, '/url', 'not_acceptable'],
    ['a password', { url: 'https://a:b@receiver.example/' }, '/url', 'not_acceptable'],
    ['an empty user', { url: 'https://@receiver.example/' }, '/url', 'not_acceptable'],
    [
      'a backslash',
      { url: String.raw`https://receiver.example\@127.0.0.1/` },
      '/url',
      'not_acceptable',
    ],
    ['a fragment', { url: 'https://receiver.example/#' }, '/url', 'not_acceptable'],
    ['a space', { url: 'https://receiver.example/ a' }, '/url', 'not_acceptable'],
    ['too long a url', { url: `${URL}${'x'.repeat(2048)}` }, '/url', 'not_acceptable'],
    ['loopback', { url: 'https://127.0.0.3/' }, '/url', 'not_acceptable'],
    ['loopback as a number', { url: 'https://2130706435/' }, '/url', 'not_acceptable'],
    ['loopback, mapped', { url: 'https://[::ffff:127.0.0.3]/' }, '/url', 'not_acceptable'],
    ['the metadata of a cloud', { url: 'https://169.254.169.254/' }, '/url', 'not_acceptable'],
    ['no type of event', { event_types: [] }, '/event_types', 'empty'],
    ['types that are no list', { event_types: 'user_group.*' }, '/event_types', 'type'],
    ['an unknown type', { event_types: ['user.*'] }, '/event_types/0', 'not_acceptable'],
    [
      'a type that is never sent',
      { event_types: ['user_group.export'] },
      '/event_types/0',
      'not_acceptable',
    ],
    ['a type twice', { event_types: ['*', '*'] }, '/event_types/1', 'repeated'],
    ['a number as a type', { event_types: [7] }, '/event_types/0', 'type'],
    ['too many types', { event_types: Array(51).fill('*') }, '/event_types', 'too_many'],
    ['an unknown signature', { signature: 'v2' }, '/signature', 'not_acceptable'],
    ['headers that are a list', { headers: [] }, '/headers', 'type'],
    ['a header of HTTP', { headers: { Host: 'x' } }, '/headers/Host', 'not_acceptable'],
    [
      'a header of ours',
      { headers: { 'Webhook-Id': 'x' } },
      '/headers/Webhook-Id',
      'not_acceptable',
    ],
    ['no name of a header', { headers: { 'a b': 'x' } }, '/headers/a b', 'not_acceptable'],
    [
      'a line break in a header',
      { headers: { 'X-A': 'a\r\nX-B: b' } },
      '/headers/X-A',
      'not_acceptable',
    ],
    ['an empty header', { headers: { 'X-A': '' } }, '/headers/X-A', 'not_acceptable'],
    ['a header that is no text', { headers: { 'X-A': 1 } }, '/headers/X-A', 'type'],
    ['a header twice', { headers: { 'X-A': 'a', 'x-a': 'b' } }, '/headers/x-a', 'repeated'],
    [
      'too many headers',
      { headers: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, 'x'])) },
      '/headers',
      'too_many',
    ],
    ['an empty description', { description: '' }, '/description', 'empty'],
    ['an unknown field', { secret: 'whsec_x' }, '/secret', 'unknown'],
  ])('%s is refused', async (_name, fields, pointer, code) => {
    const answer = await create(fields);
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toContainEqual([pointer, code]);
    expect((await api.call('GET', PATH)).body.webhook_endpoints).toEqual([]);
  });

  test.each(['https://127.0.0.2:8443/', 'https://[fd00:1::7]/', 'https://[::ffff:127.0.0.2]/'])(
    'the operator has allowed %s',
    async (url) => {
      expect((await create({ url })).status).toBe(201);
    },
  );

  test('a change stores what was sent and leaves the rest; nothing is recorded where nothing changes', async () => {
    const { id } = (await create({ headers: { 'X-A': 'a' } })).body.webhook_endpoint;
    const path = `${PATH}/${id}`;
    const url = 'https://other.example/';
    const answer = await api.call('PATCH', path, {
      url,
      description: 'x',
      event_types: ['*.delete'],
      headers: { 'X-A': 'a' },
    });
    expect(answer.body.webhook_endpoint).toMatchObject({
      url,
      description: 'x',
      event_types: ['*.delete'],
      headers: ['X-A'],
    });
    const count = (await events()).length;
    await api.call('PATCH', path, {});
    await api.call('PATCH', path, { url, headers: { 'X-A': 'a' }, enabled: true });
    expect(await events()).toHaveLength(count);
    const cleared = await api.call('PATCH', path, { description: null, headers: {} });
    expect(cleared.body.webhook_endpoint).toMatchObject({ description: null, headers: [] });
    const refused = await api.call('PATCH', path, { url: 'https://10.0.0.1/', signature: 'v1a' });
    expect(errorsOf(refused)).toEqual([['/signature', 'unknown']]);
    const forbidden = await api.call('PATCH', path, { url: 'https://10.0.0.1/' });
    expect(errorsOf(forbidden)).toEqual([['/url', 'not_acceptable']]);
    expect((await api.call('GET', path)).body.webhook_endpoint.url).toBe(url);
  });

  test('it is switched off and on', async () => {
    const { id } = (await create()).body.webhook_endpoint;
    const off = await api.call('PATCH', `${PATH}/${id}`, { enabled: false });
    expect(off.body.webhook_endpoint).toMatchObject({
      enabled: false,
      disabled_at: expect.stringMatching(/Z$/),
      disabled_reason: 'request',
    });
    const again = await api.call('PATCH', `${PATH}/${id}`, { enabled: false });
    expect(again.body).toEqual(off.body);
    const on = await api.call('PATCH', `${PATH}/${id}`, { enabled: true });
    expect(on.body.webhook_endpoint).toMatchObject({
      enabled: true,
      disabled_at: null,
      disabled_reason: null,
    });
    expect((await events()).slice(0, 2).map(({ action }) => action)).toEqual([
      'webhook_endpoint.update',
      'webhook_endpoint.disable',
    ]);
  });

  test('a rolled secret is another, beside which the old one has its time', async () => {
    const created = (await create({ headers: { 'X-A': 'a' } })).body.webhook_endpoint;
    const path = `${PATH}/${created.id}/roll-secret`;
    const before = Date.now();
    const rolled = (await api.call('POST', path, { grace_period_seconds: 60 })).body
      .webhook_endpoint;
    expect(rolled.secret).toMatch(/^whsec_/);
    expect(rolled.secret).not.toBe(created.secret);
    const expiry = Date.parse(rolled.old_secret_expires_at!);
    expect(expiry).toBeGreaterThanOrEqual(before + 60_000);
    expect(expiry).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(rolled.headers).toEqual(['X-A']);
    const atOnce = (await api.call('POST', path, { grace_period_seconds: 0 })).body
      .webhook_endpoint;
    expect(atOnce.old_secret_expires_at).toBeNull();
    const [event] = await events();
    expect(event).toMatchObject({
      action: 'webhook_endpoint.roll_secret',
      object: { type: 'webhook_endpoint', id: String(created.id) },
      details: { grace_period_seconds: 0 },
    });
    for (const grace_period_seconds of [-1, 86_401, '1', 1.5]) {
      expect((await api.call('POST', path, { grace_period_seconds })).status).toBe(422);
    }
  });

  test('a deleted endpoint is gone', async () => {
    const { id } = (await create()).body.webhook_endpoint;
    expect((await api.call('DELETE', `${PATH}/${id}`)).body).toEqual({ success: 1 });
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await api.call(method, `${PATH}/${id}`);
      expect([status, body.code]).toEqual([404, 'webhook_endpoint_not_found']);
    }
  });

  test('a workspace has at most 50, however many are created at once', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => create()));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(50);
    const [refused] = answers.filter(({ status }) => status !== 201);
    expect([refused!.status, refused!.body.code]).toEqual([409, 'too_many_webhook_endpoints']);
    await api.call('DELETE', `${PATH}/${created[0]!.body.webhook_endpoint.id}`);
    expect((await create()).status).toBe(201);
  });

  test('every change is in the audit log, without what could be a secret', async () => {
    const created = (await create({ headers: { 'X-A': 'secret value' } })).body.webhook_endpoint;
    const path = `${PATH}/${created.id}`;
    const rolled = await api.call('POST', `${path}/roll-secret`, {});
    const moved = { url: 'https://other.example/another-key', headers: { 'X-A': 'secret value' } };
    await api.call('PATCH', path, moved);
    await api.call('DELETE', path);
    const recorded = (await events()).filter(({ object }) => object?.id === String(created.id));
    expect(recorded.map(({ action, actor }) => [action, actor.type])).toEqual([
      ['webhook_endpoint.delete', 'api_token'],
      ['webhook_endpoint.update', 'api_token'],
      ['webhook_endpoint.roll_secret', 'api_token'],
      ['webhook_endpoint.create', 'api_token'],
    ]);
    expect(recorded.at(-1)!.after).toEqual({
      origin: 'https://receiver.example',
      description: null,
      event_types: ['*'],
      signature: 'v1',
      headers: ['X-A'],
    });
    const text = JSON.stringify(recorded);
    for (const secret of [
      created.secret!,
      rolled.body.webhook_endpoint.secret!,
      'secret value',
      'in-the-url',
      'another-key',
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  test('no secret stands in the database, and a ciphertext is of no use to another endpoint', async () => {
    const first = (await create({ headers: { 'X-A': 'value of the header' } })).body
      .webhook_endpoint;
    const second = (await create()).body.webhook_endpoint;
    const rows = await service.query<{ ciphertext: Buffer }>(
      `SELECT * FROM webhook_endpoint WHERE id IN (${first.id}, ${second.id})`,
    );
    const stored = rows
      .map((row) =>
        Object.values(row)
          .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
          .join(),
      )
      .join();
    for (const secret of [first.secret!, second.secret!]) {
      expect(stored).not.toContain(secret.slice('whsec_'.length));
    }
    expect(stored).not.toContain('value of the header');
    await changeDatabase(
      service.database,
      `UPDATE webhook_endpoint SET ciphertext = (SELECT ciphertext FROM webhook_endpoint WHERE id = ${first.id}) WHERE id = ${second.id}`,
    );
    const answer = await api.call('PATCH', `${PATH}/${second.id}`, { headers: { 'X-B': 'b' } });
    expect([answer.status, answer.body.code]).toEqual([409, 'webhook_secret_unreadable']);
    // The way out is a new secret, and then new headers.
    const rolled = await api.call('POST', `${PATH}/${second.id}/roll-secret`, {});
    expect(rolled.body.webhook_endpoint).toMatchObject({
      headers: [],
      old_secret_expires_at: null,
    });
    expect(
      (await api.call('PATCH', `${PATH}/${second.id}`, { headers: { 'X-B': 'b' } })).status,
    ).toBe(200);
  });

  test('the command line does the same', async () => {
    const { env } = service.database;
    const run = async (...args: string[]) => {
      const result = await runCli(env, 'webhook', ...args, '--workspace', name);
      return { ...result, lines: result.stdout.trim().split('\n') };
    };
    const created = await run(
      'create',
      '--url',
      URL,
      '--event-types',
      'user_group.*,api_token.*',
      '--header',
      'X-A: a: b',
      '--header',
      'X-B:c',
    );
    expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)]);
    const [endpoint] = (await api.call('GET', PATH)).body.webhook_endpoints;
    const id = String(endpoint!.id);
    expect(endpoint).toMatchObject({
      event_types: ['user_group.*', 'api_token.*'],
      headers: ['X-A', 'X-B'],
    });
    expect((await run('list')).lines[1]).toContain(id);
    expect(JSON.parse((await run('show', id, '-o', 'ndjson')).stdout)).toEqual(endpoint);
    expect((await run('update', id, '--description', 'x', '--no-headers')).code).toBe(0);
    expect((await run('disable', id)).stdout).toMatch(/^disabled_reason +request$/m);
    expect((await run('list')).stdout).toContain('off (request)');
    const [changed] = (await api.call('GET', PATH)).body.webhook_endpoints;
    expect(changed).toMatchObject({ description: 'x', headers: [], enabled: false });
    expect((await run('enable', id)).stdout).toMatch(/^enabled +true$/m);
    expect((await run('roll-secret', id, '--grace-period-seconds', '0')).stdout).toMatch(/^whsec_/);
    const asymmetric = await run('create', '--url', URL, '--signature', 'v1a');
    expect(asymmetric.stdout).toMatch(/^whpk_\S+\n$/);
    expect((await run('attempts', id)).lines[0]).toMatch(/^TIME +EVENT +TYPE/);
    const replayed = await run('replay', id, '--from', '2030-01-01T00:00:00Z');
    expect(replayed).toMatchObject({ code: 0, stderr: 'The events will be sent again.\n' });
    expect((await run('delete', id)).code).toBe(0);
    for (const [expected, ...args] of [
      [3, 'show', id],
      [2, 'show', 'x'],
      [3, 'attempts', id],
      [3, 'replay', id, '--from', '2030-01-01T00:00:00Z'],
      [4, 'create', '--url', 'http://receiver.example'],
      [2, 'create', '--url', URL, '--header', 'X'],
    ] as const) {
      const { code, stderr } = await run(...args);
      expect([args, code]).toEqual([args, expected]);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    const made = (await events()).filter(({ action }) => action === 'webhook_endpoint.create');
    expect(made.map(({ actor }) => actor.type)).toEqual(['operator', 'operator']);
  });
});

test('a glob is compared piece by piece', () => {
  expect(kindsMatching(['user_group.*'])('user_group.create')).toBe(true);
  expect(kindsMatching(['user_group.*'])('user_group_token.rotate')).toBe(false);
  expect(kindsMatching(['user_group*'])('user_group_token.rotate')).toBe(true);
  expect(kindsMatching(['*.delete'])('schema.delete')).toBe(true);
  expect(kindsMatching(['*.delete'])('schema.create')).toBe(false);
  expect(kindsMatching(['s*a.c*e'])('schema.create')).toBe(true);
  expect(kindsMatching(['schema.*a.create'])('schema.create')).toBe(false);
  expect(kindsMatching(['schema.create'])('schema.create')).toBe(true);
  expect(kindsMatching(['schema.creat'])('schema.create')).toBe(false);
  expect(kindsMatching(['api_token.update*update'])('api_token.update')).toBe(false);
  expect(kindsMatching(['user_group.create', '*'])('schema.create')).toBe(true);
  // The time of the processor: the machine may hold up the process.
  const begun = process.cpuUsage();
  expect(isUsableGlob(`${'*a'.repeat(49)}*`)).toBe(false);
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(100);
});

test('a secret of webhooks is redacted wherever it stands', () => {
  const secrets =
    'a whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/x= "whsk_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/x=="';
  expect(redactTokens(secrets)).toBe('a whsec_[redacted] "whsk_[redacted]"');
});
