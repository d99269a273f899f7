import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { untilAfter } from '../support/time/until.ts';

const PATH = '/api/v1/user-groups';
const INSPECT = '/api/v1/tokens/inspect';

interface Inspection {
  kind: string;
  accepted: boolean;
  reason: string | null;
  next_step: string;
  checks: { name: string; passed: boolean; detail: string }[];
  user_group?: { provided_id: string; status: string };
  token_generation?: {
    generation: number;
    superseded_by: { generation: number; api_token_id: number } | null;
  };
  embed_token?: { aud: string; acting_for?: string };
  api_token?: { name: string; state: string };
}

interface View {
  status: string;
  reasons: object[];
  introspection: object;
  mapping: object;
  unmapped?: string[];
  variables: object[];
}

onEachDatabase((kind) => {
  const service = withService(kind);
  let count = 0;

  const start = async () => {
    const workspace = await TestWorkspace.create(service, `inspection ${++count}`);
    const { api } = workspace;
    const put = async (id: string, fields: object = {}) => {
      return (await workspace.put(id, { properties: { plan: 'pro' }, ...fields })).body.user_group
        .token;
    };
    const inspect = async (token: string) => {
      const { status, body } = await api.call('POST', INSPECT, { token });
      expect(status).toBe(200);
      return (body as unknown as { inspection: Inspection }).inspection;
    };
    const verdict = async (token: string) => {
      const { kind: what, accepted, reason } = await inspect(token);
      return [what, accepted, reason];
    };
    const embed = async (id: string, fields: object = {}) => {
      const { body } = await api.call('POST', `${PATH}/${id}/embed-tokens`, {
        audience: 'here',
        ...fields,
      });
      return body.embed_token.token;
    };
    const view = async (id: string) => {
      const { body } = await api.call('GET', `${PATH}/${id}/view`);
      return (body as unknown as { view: View }).view;
    };
    return { workspace, api, put, inspect, verdict, embed, view };
  };

  const failed = ({ checks }: Inspection) =>
    checks.filter(({ passed }) => !passed).map(({ name }) => name);

  test('a current token is accepted, with its group, and every check says why', async () => {
    const { put, inspect } = await start();
    const inspection = await inspect(await put('a'));
    expect(inspection).toMatchObject({
      kind: 'user_group_token',
      accepted: true,
      reason: null,
      user_group: { provided_id: 'a', name: 'a', status: 'active' },
      token_generation: { generation: 1, state: 'current', superseded_by: null },
    });
    expect(failed(inspection)).toEqual([]);
    expect(inspection.checks.map(({ name }) => name)).toEqual([
      'known',
      'generation',
      'tokens_ended',
      'group_status',
    ]);
  });

  test('a replaced token says who has replaced it and when, and whether an overlap is left', async () => {
    const { api, put, inspect } = await start();
    const first = await put('a');
    const second = await api.rotate(first, 3600);
    expect(await inspect(first)).toMatchObject({
      accepted: true,
      token_generation: {
        generation: 1,
        state: 'overlap',
        superseded_by: { generation: 2, api_token_id: expect.any(Number) },
      },
    });
    await api.rotate(second);
    const inspection = await inspect(first);
    expect(inspection).toMatchObject({ accepted: false, reason: 'superseded' });
    expect([failed(inspection), inspection.next_step]).toEqual([
      ['generation'],
      expect.stringContaining('GET /api/user'),
    ]);
  });

  test('each way in which a group ends its tokens is named', async () => {
    const { workspace, api, put, inspect, verdict } = await start();
    const token = await put('a', { properties: {} });
    await api.call('POST', `${PATH}/a/suspend`);
    expect(await verdict(token)).toEqual(['user_group_token', false, 'group_suspended']);
    await api.call('POST', `${PATH}/a/resume`);
    await api.call('PATCH', `${PATH}/a`, { valid_until: '2020-01-01T00:00:00Z' });
    expect(await verdict(token)).toEqual(['user_group_token', false, 'group_expired']);
    await api.call('PATCH', `${PATH}/a`, { valid_until: null });
    await workspace.set({ variables: [{ name: 'plan', type: 'string', required: true }] });
    const inspection = await inspect(token);
    expect(inspection).toMatchObject({
      reason: 'group_incomplete',
      user_group: { status: 'incomplete' },
    });
    expect(inspection.checks.at(-1)?.detail).toContain('/properties/plan');
    await workspace.set({ variables: [] });
    await untilAfter();
    await api.call('POST', '/api/v1/workspace/end-tokens', {
      kinds: ['user_group_token'],
      reason: 'drill',
    });
    expect(await verdict(token)).toEqual(['user_group_token', false, 'tokens_ended']);
  });

  test('an embed token is checked part by part', async () => {
    const { workspace, api, put, inspect, verdict, embed } = await start();
    await put('a');
    const token = await embed('a');
    expect(await inspect(token)).toMatchObject({
      kind: 'embed_token',
      accepted: true,
      embed_token: { aud: 'here' },
      user_group: { provided_id: 'a' },
    });
    const details = async (text: string) =>
      new Map((await inspect(text)).checks.map(({ name, detail }) => [name, detail]));
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
    const found = await details(token);
    expect(found.get('signature')).toBe(`The key ${kid} of this service has signed it.`);
    expect(found.get('audience')).toBe('It is for here: a renderer of another name refuses it.');
    expect(found.get('origin')).toBe('It is for pages of any origin.');
    const origin = 'https://app.example.com';
    expect((await details(await embed('a', { origin }))).get('origin')).toBe(
      `It is only for pages of ${origin}.`,
    );
    const foreign = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: 'gone' })).toString(
      'base64url',
    );
    expect(await verdict(`${foreign}.${payload}.${signature}`)).toEqual([
      'embed_token',
      false,
      'signature_invalid',
    ]);
    expect((await details(`${foreign}.${payload}.${signature}`)).get('signature')).toBe(
      'It names no key (kid) that this service has.',
    );
    const forged = `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expect(await verdict(forged)).toEqual(['embed_token', false, 'signature_invalid']);
    expect((await details(forged)).get('signature')).toContain(`It names the key ${kid},`);
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    for (const change of [
      {},
      { iat: Number.MAX_SAFE_INTEGER, exp: Number.MAX_SAFE_INTEGER },
      { exp: -1 },
    ]) {
      const text = Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url');
      const inspection = await inspect(`${header}.${text}.${'A'.repeat(86)}`);
      expect(inspection).toMatchObject({ kind: 'embed_token', reason: 'signature_invalid' });
      expect([failed(inspection), 'user_group' in inspection]).toEqual([['signature'], false]);
    }
    // The service cannot know what a renderer compares.
    expect((await inspect(token)).next_step).toContain('compare aud, origin and resources');
    expect((await inspect(await put('b'))).next_step).not.toContain('aud');
    const acting = await embed('a', { acting_for: { subject: 'kim', reason: 'blank' } });
    expect(await inspect(acting)).toMatchObject({
      accepted: true,
      embed_token: { acting_for: 'kim' },
    });
    const viewer = { id: 'u-17', name: 'Ada', email: 'ada@acme.example' };
    const resources = [{ type: 'dashboard', id: 'sales' }];
    expect(
      (await inspect(await embed('a', { user: viewer, resources }))).embed_token,
    ).toMatchObject({
      user_id: 'u-17',
      user_name: 'Ada',
      email: 'ada@acme.example',
      resources,
    });
    await workspace.set({ view_as: 'forbidden' });
    expect(await verdict(acting)).toEqual(['embed_token', false, 'view_as_forbidden']);
    await api.call('POST', '/api/v1/revoke', { token });
    expect(await verdict(token)).toEqual(['embed_token', false, 'revoked']);
    const other = await embed('a');
    await api.call('POST', `${PATH}/a/tokens/rotate`);
    expect(await verdict(other)).toEqual(['embed_token', false, 'superseded']);
    await workspace.set({ embed_token_issuer: 'https://other.example.com' });
    expect(await verdict(other)).toEqual(['embed_token', false, 'issuer_differs']);
    await api.call('DELETE', `${PATH}/a`);
    expect(await verdict(other)).toEqual(['embed_token', false, 'group_deleted']);
  });

  test('an expired embed token says so, and that it is ours', async () => {
    const { put, inspect, embed } = await start();
    await put('a');
    const token = await embed('a', { expires_in_seconds: 1 });
    await untilAfter(Date.now() + 1000);
    expect(failed(await inspect(token))).toEqual(['expiry']);
  });

  test('an API token is named, and is not for dashboards', async () => {
    const { api, inspect } = await start();
    const issued = await api.call('POST', '/api/v1/api-tokens', {
      name: 'spare',
      scopes: ['user-groups:read'],
    });
    const { id, token } = issued.body.api_token;
    const inspection = await inspect(token);
    expect(inspection).toMatchObject({
      kind: 'api_token',
      accepted: true,
      api_token: { name: 'spare', state: 'active' },
    });
    expect(inspection.next_step).toContain('opens no dashboard');
    await api.call('POST', `/api/v1/api-tokens/${id}/revoke`);
    expect(await inspect(token)).toMatchObject({ accepted: false, reason: 'revoked' });
  });

  test('garbage is unknown, and a token that is cut off is named', async () => {
    const { put, verdict } = await start();
    const token = await put('a');
    expect(await verdict(token.slice(0, -1))).toEqual(['unknown', false, 'malformed']);
    for (const text of [`${token}\n`, ` ${token}`, 'of-another-system-0123456789\r\n']) {
      expect(await verdict(text)).toEqual(['unknown', false, 'malformed']);
    }
    for (const text of ['', 'garbage', 'eyJhbGciOiJub25lIn0.e30.', 'x'.repeat(10_000), 'a.b.c']) {
      expect(await verdict(text)).toEqual(['unknown', false, 'unknown']);
    }
  });

  test('a token of another workspace is unknown, in the same words', async () => {
    const one = await start();
    const other = await start();
    const groupToken = await other.put('theirs');
    const issued = await other.api.call('POST', '/api/v1/api-tokens', {
      name: 'theirs',
      scopes: ['user-groups:read'],
    });
    const garbage = await one.inspect('garbage');
    for (const text of [groupToken, await other.embed('theirs'), issued.body.api_token.token]) {
      expect(await one.inspect(text)).toEqual(garbage);
    }
  });

  test('each inspection is in the audit log, without the token', async () => {
    const { api, put, inspect } = await start();
    const token = await put('a');
    await inspect(token);
    const { body } = await api.call('GET', '/api/v1/audit-events?types=token.inspect');
    expect(body.audit_events[0]).toMatchObject({
      object: { type: 'user_group', id: 'a' },
      details: { kind: 'user_group_token', accepted: true, reason: null },
    });
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test.each([[{}], [{ token: 7 }], [{ token: 't', more: 1 }], [[]]])(
    'the body %j is refused',
    async (body) => {
      const refused: Answer = await service.api.call('POST', INSPECT, body);
      expect(refused.status).toBe(422);
    },
  );

  test('the view of a group is what its renderer gets', async () => {
    const { workspace, api, put, view } = await start();
    const token = await put('a', {
      mapping: { sales: 'lake' },
      properties: { plan: 'pro', seats: 4, tags: [], none: null },
    });
    const introspected = await api.call('POST', '/api/v1/introspect', { token });
    expect(await view('a')).toEqual({
      status: 'active',
      reasons: [],
      introspection: introspected.body,
      mapping: { sales: 'lake' },
      variables: [
        { name: 'plan', type: 'string', origin: 'properties', declared: false, required: false },
        { name: 'seats', type: 'number', origin: 'properties', declared: false, required: false },
        { name: 'tags', type: 'array', origin: 'properties', declared: false, required: false },
        { name: 'none', type: 'null', origin: 'properties', declared: false, required: false },
      ],
    });
    await workspace.schema('sales');
    await workspace.schema('billing');
    await workspace.dataSource('lake');
    await workspace.set({
      mapping_policy: 'registered',
      variables: [{ name: 'region', type: 'string', required: true }],
    });
    expect(await view('a')).toMatchObject({
      status: 'incomplete',
      reasons: [{ pointer: '/properties/region' }],
      introspection: { active: false },
      mapping: { sales: { provided_id: 'lake', name: expect.any(String) } },
      unmapped: ['billing'],
    });
    await workspace.set({ variables: [] });
    await api.call('POST', '/api/v1/workspace/end-tokens', {
      kinds: ['user_group_token'],
      reason: 'drill',
    });
    expect(await view('a')).toMatchObject({
      status: 'no_valid_token',
      reasons: [{ code: 'tokens_ended' }],
      introspection: { active: false },
    });
    expect((await api.call('GET', `${PATH}/none/view`)).body.code).toBe('user_group_not_found');
  });
});
