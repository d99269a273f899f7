import { scopes } from '../../src/common/access/caller.ts';
import { describeOpenApi } from '../../src/app/openapi/openapi.ts';
import { onEachDatabase } from '../support/databases.ts';
import { withService } from '../support/test-service.ts';
import { type TypedClient, typedClient } from '../support/typed-client.ts';

const PUBLIC_URL = 'https://user-groups.example';

// Each call also checks that the OpenAPI document, and so the client's types, describe its answer.
onEachDatabase((kind) => {
  const service = withService(kind, { PUBLIC_URL });
  let client: TypedClient;

  beforeAll(async () => {
    client = await typedClient(service);
  });

  describe('the contract', () => {
    test('a group is created by a GET, although fetch refuses its body', async () => {
      const properties = { region: 'EMEA', seats: 25 };
      const body = { user_group_id: 'acme', name: 'Acme', mapping: { sales: 1 }, properties };
      const created = await client.GET('/api/user', { body });
      expect(created.data).toMatchObject({ success: 1, new_user_group: true });
      const found = await client.GET('/api/user', { body: { user_group_id: 'acme' } });
      expect(found.data?.user_group.token).toBe(created.data?.user_group.token);
      expect(created.data?.user_group.properties).toEqual(properties);
    });

    test('a group is written, and its token rotated', async () => {
      const body = { user_group_id: 'written', name: 'Written', mapping: null, properties: null };
      const written = await client.PUT('/api/user', { body });
      const current_token = written.data!.user_group.token;
      const rotated = await client.POST('/api/user', {
        params: { header: { 'Idempotency-Key': 'once' } },
        body: { current_token, grace_period_seconds: 60 },
      });
      expect(rotated.data?.user_group.provided_id).toBe('written');
      expect(rotated.data?.user_group.token).not.toBe(current_token);
    });
  });

  describe('user groups as resources', () => {
    const ONE = '/api/v1/user-groups/{id}';

    test('are put, read, patched under a condition, and deleted', async () => {
      const params = { path: { id: 'ä/b' } };
      const body = { name: 'Put', mapping: { sales: 'emea' }, properties: { region: 'EMEA' } };
      const created = await client.PUT(ONE, { params, body });
      expect(created.response.status).toBe(201);
      expect(created.response.headers.get('location')).toBe('/api/v1/user-groups/%C3%A4%2Fb');
      const read = await client.GET(ONE, { params });
      expect(read.data?.user_group).toMatchObject({ provided_id: 'ä/b', ...body });
      const header = { 'If-Match': read.response.headers.get('etag')! };
      const change = { body: { properties: { region: null, seats: 3 } } };
      const patched = await client.PATCH(ONE, { params: { ...params, header }, ...change });
      expect(patched.data?.user_group.properties).toEqual({ seats: 3 });
      const late = await client.DELETE(ONE, { params: { ...params, header } });
      expect(late.error?.code).toBe('precondition_failed');
      expect((await client.DELETE(ONE, { params })).data).toEqual({ success: 1 });
    });

    test('are listed by what they have, suspended, resumed, and asked for their token', async () => {
      const token = await groupToken('listed', { tier: 7 });
      const params = { path: { id: 'listed' } };
      const suspended = await client.POST('/api/v1/user-groups/{id}/suspend', { params });
      expect(suspended.data?.user_group.suspended_at).not.toBeNull();
      const query = { property_name: 'tier', property_value: '7', suspended: true } as const;
      const listed = await client.GET('/api/v1/user-groups', { params: { query } });
      expect(listed.data?.user_groups.map((group) => group.provided_id)).toEqual(['listed']);
      const found = await client.GET('/api/v1/user-groups', {
        params: { query: { search: 'LISTED', sort: '-name', resolvable: true } },
      });
      expect(found.data?.user_groups).toEqual(listed.data?.user_groups);
      const resumed = await client.POST('/api/v1/user-groups/{id}/resume', { params });
      expect(resumed.data?.user_group.suspended_at).toBeNull();
      const current = await client.GET('/api/v1/user-groups/{id}/tokens/current', { params });
      expect(current.data?.user_group.token).toBe(token);
    });
  });

  describe('many user groups', () => {
    test('are imported and exported line by line', async () => {
      const imported = await client.POST('/api/v1/user-groups/import', {
        body: { user_group_id: 'moved in', name: 'Moved', token: 'as-issued-by-another-system' },
        headers: { 'Content-Type': 'application/x-ndjson' },
        parseAs: 'text',
      });
      expect(imported.response.status).toBe(200);
      const exported = await client.POST('/api/v1/user-groups/export', {
        body: { include_tokens: false },
        parseAs: 'text',
      });
      expect(exported.data).toContain('"provided_id":"moved in"');
    });
  });

  describe('tokens of a user group', () => {
    test('are listed, rotated by their group, and end their overlap', async () => {
      await groupToken('rotating / ä?#');
      const params = { path: { id: 'rotating / ä?#' } };
      const rotate = { params, body: { grace_period_seconds: 600 } };
      const rotated = await client.POST('/api/v1/user-groups/{id}/tokens/rotate', rotate);
      expect(rotated.data?.user_group.provided_id).toBe('rotating / ä?#');
      const listed = await client.GET('/api/v1/user-groups/{id}/tokens', { params });
      expect(listed.data?.tokens.map(({ state }) => state)).toEqual(['current', 'overlap']);
      const revoked = await client.POST('/api/v1/user-groups/{id}/tokens/{generation}/revoke', {
        params: { path: { ...params.path, generation: 1 } },
      });
      expect(revoked.data?.tokens[0]?.state).toBe('ended');
    });
  });

  describe('introspection', () => {
    const PATH = '/api/v1/introspect';

    test('tells what a token means, asked in JSON or as a form', async () => {
      const body = { token: await groupToken('viewer', { region: 'EMEA' }) };
      const json = await client.POST(PATH, { body });
      expect(json.data).toMatchObject({ active: true, sub: 'viewer', properties: { region: 'EMEA' } });
      const form = await client.POST(PATH, {
        body,
        bodySerializer: (fields) => new URLSearchParams({ token: fields.token }),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      expect(form.data).toEqual(json.data);
    });

    test('takes the API token as the secret of an OAuth client, by HTTP Basic or in a form', async () => {
      const token = await groupToken('with a secret');
      const credentials = Buffer.from(`renderer:${service.bootstrapToken}`).toString('base64');
      const basic = await client.POST(PATH, { body: { token }, headers: { Authorization: `Basic ${credentials}` } });
      expect(basic.data?.sub).toBe('with a secret');
      const post = await client.POST(PATH, {
        body: { token, client_id: 'renderer', client_secret: service.bootstrapToken },
        bodySerializer: (fields) => new URLSearchParams({ ...fields }),
        headers: { Authorization: null, 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      expect(post.data).toEqual(basic.data);
    });

    test('is found by the metadata', async () => {
      const { data } = await client.GET('/.well-known/oauth-authorization-server');
      expect(data?.introspection_endpoint).toBe(`${PUBLIC_URL}${PATH}`);
    });

    test('says nothing of a token that has ended', async () => {
      const { data } = await client.POST(PATH, { body: { token: 'ugt_unknown' } });
      expect(data).toEqual({ active: false });
    });
  });

  test('the process is live and ready', async () => {
    expect((await client.GET('/health/live')).data?.status).toBe('live');
    expect((await client.GET('/health/ready')).data?.status).toBe('ready');
  });

  describe('embed tokens', () => {
    test('are issued for a page, introspected, and verified with the public keys', async () => {
      await groupToken('embedding');
      const issued = await client.POST('/api/v1/user-groups/{id}/embed-tokens', {
        params: { path: { id: 'embedding' } },
        body: { audience: 'dashboards', expires_in_seconds: 60, origin: 'https://app.example.com' },
      });
      const { token, kid } = issued.data!.embed_token;
      const { data } = await client.POST('/api/v1/introspect', { body: { token } });
      expect(data).toMatchObject({ sub: 'embedding', token_type: 'embed_token' });
      const jwks = await client.GET('/.well-known/jwks.json');
      expect(jwks.data?.keys.map((key) => key.kid)).toContain(kid);
    });
  });

  describe('the registry', () => {
    test('holds schemas and data sources, and what refers to them', async () => {
      const body = { provided_id: 'crm', name: 'Customers' };
      const schema = await client.POST('/api/v1/schemas', { body });
      const params = { path: { id: schema.data!.schema.id } };
      await client.PATCH('/api/v1/schemas/{id}', { params, body: { name: 'CRM' } });
      const read = await client.GET('/api/v1/schemas/{id}', { params });
      expect(read.data?.schema).toMatchObject({ provided_id: 'crm', name: 'CRM' });
      const query = { provided_id: 'crm' };
      const listed = await client.GET('/api/v1/schemas', { params: { query } });
      expect(listed.data?.schemas).toHaveLength(1);
      const references = await client.GET('/api/v1/schemas/{id}/references', { params });
      expect(references.data).toMatchObject({ required: false, user_groups: [] });
      const deleted = await client.DELETE('/api/v1/schemas/{id}', { params });
      expect(deleted.data).toEqual({ success: 1 });
    });

    test('says of a data source who refers to it', async () => {
      const stranger = await typedClient(service, await service.issueToken([...scopes], 'registry'));
      await stranger.POST('/api/v1/schemas', { body: { provided_id: 'sales', name: 'Sales' } });
      const body = { provided_id: 'emea', name: 'EMEA' };
      const source = await stranger.POST('/api/v1/data-sources', { body });
      const params = { path: { id: source.data!.data_source.id } };
      const body2 = { user_group_id: 'g', name: 'G', mapping: { sales: 'emea' } };
      await stranger.PUT('/api/user', { body: body2 });
      await stranger.PATCH('/api/v1/workspace', { body: { mapping_policy: 'registered' } });
      const kept = await stranger.DELETE('/api/v1/data-sources/{id}', { params });
      expect(kept.error?.code).toBe('still_referenced');
      const references = await stranger.GET('/api/v1/data-sources/{id}/references', { params });
      expect(references.data?.user_groups.map((group) => group.provided_id)).toEqual(['g']);
      await stranger.PATCH('/api/v1/data-sources/{id}', { params, body: { name: 'Europe' } });
      const read = await stranger.GET('/api/v1/data-sources/{id}', { params });
      const listed = await stranger.GET('/api/v1/data-sources');
      expect(listed.data?.data_sources).toEqual([read.data?.data_source]);
      for (const operation of stranger.called) client.called.add(operation);
    });

    test('says which groups break the rules of the workspace', async () => {
      await groupToken('incomplete');
      const rules = { required_properties: [{ name: 'region', type: 'string' as const }] };
      const previewed = await client.POST('/api/v1/workspace/incomplete-user-groups/preview', { body: rules });
      expect(previewed.data?.user_groups.map((g) => g.provided_id)).toContain('incomplete');
      const changed = await client.PATCH('/api/v1/workspace', { body: rules });
      expect(changed.data?.workspace).toMatchObject({ mapping_policy: 'open', ...rules });
      const incomplete = await client.GET('/api/v1/workspace/incomplete-user-groups');
      const lacking = incomplete.data?.user_groups.find((g) => g.provided_id === 'incomplete');
      expect(lacking?.errors[0]?.pointer).toBe('/properties/region');
      await client.PATCH('/api/v1/workspace', { body: { required_properties: [] } });
      const read = await client.GET('/api/v1/workspace');
      expect(read.data?.workspace.required_properties).toEqual([]);
      const identity = await client.GET('/api/v1/workspace/identity');
      expect(identity.data?.workspace.id).toBe(read.data?.workspace.id);
      const unresolvable = await client.GET('/api/v1/workspace/unresolvable-mappings');
      expect(unresolvable.response.status).toBe(200);
    });
  });

  describe('API tokens', () => {
    test('are issued, read, changed, rotated and revoked', async () => {
      const issued = await client.POST('/api/v1/api-tokens', {
        body: { name: 'billing', scopes: ['user-groups:read'], allowed_cidrs: ['127.0.0.0/8'] },
      });
      const { id, token } = issued.data!.api_token;
      expect(issued.response.headers.get('location')).toBe(`/api/v1/api-tokens/${id}`);
      const params = { path: { id } };
      const read = await client.GET('/api/v1/api-tokens/{id}', { params });
      expect(read.data?.api_token).toMatchObject({ state: 'active', last_four: token.slice(-4) });
      const changed = await client.PATCH('/api/v1/api-tokens/{id}', {
        params,
        body: { expires_at: '2099-01-01T00:00:00Z', allowed_cidrs: null },
      });
      expect(changed.data?.api_token).toMatchObject({ name: 'billing', allowed_cidrs: null });
      const rotated = await client.POST('/api/v1/api-tokens/{id}/rotate', { params, body: {} });
      expect(rotated.data?.api_token.expires_at).toBe('2099-01-01T00:00:00.000Z');
      const next = { path: { id: rotated.data!.api_token.id } };
      const revoked = await client.POST('/api/v1/api-tokens/{id}/revoke', { params: next });
      expect(revoked.data?.api_token.state).toBe('revoked');
    });

    test('are listed page by page', async () => {
      const first = await client.GET('/api/v1/api-tokens', { params: { query: { limit: 1 } } });
      expect(first.data?.api_tokens).toHaveLength(1);
      const { next_cursor: cursor } = first.data!;
      const second = await client.GET('/api/v1/api-tokens', { params: { query: { cursor } } });
      expect(second.data?.api_tokens[0]?.id).not.toBe(first.data?.api_tokens[0]?.id);
    });
  });

  describe('the overview', () => {
    test('counts what the workspace has', async () => {
      await groupToken('counted', {});
      const { data } = await client.GET('/api/v1/overview');
      expect(data?.overview.user_groups.total).toBeGreaterThan(0);
      expect(data?.overview.api_tokens?.active).toBeGreaterThan(0);
    });

    test('says what happened, by the day', async () => {
      const { data } = await client.GET('/api/v1/overview/activity', {
        params: { query: { from: '2030-01-01T00:00:00Z', to: '2030-01-03T00:00:00Z', step: 'day' } },
      });
      expect(data?.activity.step).toBe('day');
      expect(data?.activity.points.map(({ at, creations }) => [at, creations])).toEqual([
        ['2030-01-01T00:00:00.000Z', 0],
        ['2030-01-02T00:00:00.000Z', 0],
      ]);
    });
  });

  describe('the system', () => {
    test('tells what it runs on', async () => {
      const { data } = await client.GET('/api/v1/system');
      expect(data?.system.migrations.pending).toBe(0);
      expect(data?.system.encryption_keys[0]?.encrypts).toBe(true);
    });
  });

  describe('audit events', () => {
    test('are found by what was done, to what, and when', async () => {
      await groupToken('audited', { region: 'EMEA' });
      const { data } = await client.GET('/api/v1/audit-events', {
        params: { query: { object_type: 'user_group', object_id: 'audited', from: '2020-01-01T00:00:00Z' } },
      });
      expect(data?.audit_events.map(({ action }) => action)).toContain('user_group.create');
      expect(data?.audit_events[0]?.actor).toMatchObject({ type: 'api_token', api_token_id: 1 });
      const exported = await client.POST('/api/v1/audit-events/export', {
        body: { search: 'AUDITED', types: ['user_group.create'] },
        parseAs: 'text',
      });
      expect(exported.data).toContain('{"summary":{"exported":1,"complete":true}}');
    });
  });

  describe('events', () => {
    test('are listed from a cursor on', async () => {
      const path = '/api/v1/events';
      const latest = await client.GET(path, { params: { query: { after: 'latest' } } });
      await client.PUT('/api/user', { body: { user_group_id: 'followed', name: 'F' } });
      const after = latest.data?.next_cursor;
      const { data } = await client.GET(path, { params: { query: { after } } });
      expect(data?.events[0]?.user_group?.provided_id).toBe('followed');
      // The stream itself has a client of its own: CachedIntrospector.
      const query = { after: 'nowhere' };
      const stream = await client.GET('/api/v1/events/stream', { params: { query } });
      expect(stream.error?.code).toBe('validation_failed');
    });
  });

  describe('webhook endpoints', () => {
    test('are created, changed, given another secret, and removed', async () => {
      const path = '/api/v1/webhook-endpoints';
      const { data } = await client.POST(path, {
        body: { url: 'https://receiver.example/webhooks', event_types: ['user_group.*'] },
      });
      expect(data?.webhook_endpoint.secret).toMatch(/^whsec_/);
      const params = { path: { id: data!.webhook_endpoint.id } };
      const listed = await client.GET(path);
      expect(listed.data?.webhook_endpoints).toHaveLength(1);
      const one = `${path}/{id}` as const;
      expect((await client.GET(one, { params })).data?.webhook_endpoint.enabled).toBe(true);
      const changed = await client.PATCH(one, { params, body: { enabled: false } });
      expect(changed.data?.webhook_endpoint.enabled).toBe(false);
      const rolled = await client.POST(`${one}/roll-secret`, { params, body: {} });
      expect(rolled.data?.webhook_endpoint.secret).not.toBe(data?.webhook_endpoint.secret);
      expect((await client.GET(`${one}/attempts`, { params })).data?.attempts).toEqual([]);
      const replayed = await client.POST(`${one}/replay`, { params, body: { from: '2020-01-01T00:00:00Z' } });
      expect(replayed.data).toEqual({ success: 1 });
      expect((await client.DELETE(one, { params })).data).toEqual({ success: 1 });
    });
  });

  describe('errors', () => {
    test('what is not there is an error with its code, and no data', async () => {
      const params = { path: { id: 999_999 } };
      const { data, error } = await client.GET('/api/v1/api-tokens/{id}', { params });
      expect([data, error?.code]).toEqual([undefined, 'api_token_not_found']);
    });

    test('a misspelt field is an error of the compiler, and of the service', async () => {
      const { error } = await client.POST('/api/v1/api-tokens', {
        // @ts-expect-error the field is called allowed_cidrs
        body: { name: 'wide open', scopes: ['admin'], cidrs: ['10.0.0.0/8'] },
      });
      expect(error?.errors?.[0]).toMatchObject({ pointer: '/cidrs', code: 'unknown' });
    });

    test('a token that is nobody’s is refused', async () => {
      const stranger = await typedClient(service, `uga_${'0'.repeat(38)}`);
      const { error, response } = await stranger.GET('/api/v1/audit-events');
      expect([response.status, error?.code]).toEqual([401, 'api_token_invalid']);
    });
  });

  test('every operation of the document has been called here', async () => {
    const { paths } = await describeOpenApi();
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...client.called].sort()).toEqual(described.sort());
  });

  async function groupToken(user_group_id: string, properties: Record<string, unknown> = {}): Promise<string> {
    const body = { user_group_id, name: user_group_id, properties };
    const { data } = await client.PUT('/api/user', { body });
    return data!.user_group.token;
  }
});
