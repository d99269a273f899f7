import {
  type ApiError,
  responseOf,
  type Schemas,
  type UserGroupClient,
} from '../../clients/typescript/index.ts';
import { withoutGateways } from '../../scripts/clients/parameters.mjs';
import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';
import { scopes } from '../../src/platform/common/access/caller.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { typedClient } from '../support/api/typed-client.ts';
import { soon, until } from '../support/time/until.ts';

const PUBLIC_URL = 'https://user-groups.example';

// Each call also checks that the OpenAPI document, and so the client's types, describe its response.
onEachDatabase((kind) => {
  const service = withService(kind, { PUBLIC_URL });
  let client: UserGroupClient;
  let called: Set<string>;

  beforeAll(async () => {
    ({ client, called } = await typedClient(service));
  });

  describe('the contract', () => {
    test('a group is created by a GET, although fetch refuses its body', async () => {
      const properties = { region: 'EMEA', seats: 25 };
      const body = { user_group_id: 'acme', name: 'Acme', mapping: { sales: 1 }, properties };
      const created = await client.createOrLookUpUserGroup(body);
      expect(created).toMatchObject({ success: 1, new_user_group: true });
      const found = await client.createOrLookUpUserGroup({ user_group_id: 'acme' });
      expect(found.user_group.token).toBe(created.user_group.token);
      expect(created.user_group.properties).toEqual(properties);
    });

    test('a group is written, and its token rotated once for each key', async () => {
      const body = { user_group_id: 'written', name: 'Written', mapping: null, properties: null };
      const current_token = (await client.upsertUserGroup(body)).user_group.token;
      const rotation = { current_token, grace_period_seconds: 60 };
      const rotated = await client.rotateUserGroupToken(rotation, { idempotencyKey: 'once' });
      expect(rotated.user_group.provided_id).toBe('written');
      expect(rotated.user_group.token).not.toBe(current_token);
      expect(await client.rotateUserGroupToken(rotation, { idempotencyKey: 'once' })).toEqual(
        rotated,
      );
    });
  });

  describe('user groups as resources', () => {
    test('are put, read, patched under a condition, and deleted', async () => {
      const id = 'ä/b';
      const body = { name: 'Put', mapping: { sales: 'emea' }, properties: { region: 'EMEA' } };
      const created = responseOf(await client.replaceUserGroup(id, body));
      expect(created.status).toBe(201);
      expect(created.headers.get('location')).toBe('/api/v1/user-groups/%C3%A4%2Fb');
      const read = await client.getUserGroup(id);
      expect(read.user_group).toMatchObject({ provided_id: id, ...body });
      const ifMatch = responseOf(read).etag!;
      expect(await client.getUserGroup(id, {}, { ifNoneMatch: ifMatch })).toBeUndefined();
      const patched = await client.updateUserGroup(
        id,
        { properties: { region: null, seats: 3 } },
        { ifMatch },
      );
      expect(patched.user_group.properties).toEqual({ seats: 3 });
      const late = await errorOf(client.deleteUserGroup(id, { ifMatch }));
      expect([late.status, late.code]).toEqual([412, 'precondition_failed']);
      expect(await client.deleteUserGroup(id)).toEqual({ success: 1 });
      const { versions } = await client.listUserGroupVersions(id);
      expect(versions.map(({ version, ended_by }) => [version, ended_by])).toEqual([
        [2, 'deletion'],
        [1, 'change'],
      ]);
      const { differences } = await client.getUserGroupVersion(id, 2, { compare_with: 1 });
      expect(differences).toEqual([
        { pointer: '/properties/region', was: 'EMEA' },
        { pointer: '/properties/seats', is: 3 },
      ]);
      const restored = await client.restoreUserGroupVersion(id, 1);
      expect([responseOf(restored).status, restored.user_group.properties]).toEqual([
        201,
        { region: 'EMEA' },
      ]);
      const { past } = await client.getUserGroup(id, { at: restored.user_group.created_at });
      expect(past).toMatchObject({
        version: 1,
        tokens: [{ generation: 1, refused_because: null }],
      });
    });

    test('get another id, which a call by the former one says', async () => {
      const token = await groupToken('former', {});
      const renamed = await client.renameUserGroup('former', { provided_id: 'renamed' });
      expect([renamed.user_group.provided_id, responseOf(renamed).etag]).toEqual([
        'renamed',
        expect.any(String),
      ]);
      expect((await client.getUserGroupToken('renamed')).user_group.token).toBe(token);
      const error = await errorOf(client.getUserGroup('former'));
      expect([error.status, error.code]).toEqual([409, 'user_group_renamed']);
    });

    test('are listed by what they have, suspended, resumed, and asked for their token', async () => {
      const token = await groupToken('listed', { tier: 7 });
      const suspended = await client.suspendUserGroup('listed');
      expect(suspended.user_group.suspended_at).not.toBeNull();
      const query = { property_name: 'tier', property_value: '7', status: 'suspended' } as const;
      const listed = await client.listUserGroups(query);
      expect(listed.user_groups.map((group) => group.provided_id)).toEqual(['listed']);
      const found = await client.listUserGroups({
        search: 'LISTED',
        sort: '-name',
        status: 'suspended',
      });
      expect(found.user_groups).toEqual(listed.user_groups);
      const resumed = await client.resumeUserGroup('listed');
      expect(resumed.user_group.suspended_at).toBeNull();
      expect((await client.getUserGroupToken('listed')).user_group.token).toBe(token);
    });

    test('are seen as their renderer sees them, and their tokens are inspected', async () => {
      const token = await groupToken('seen', { tier: 3 });
      const { view } = await client.viewUserGroup('seen');
      expect([view.status, view.variables.map(({ name }) => name)]).toEqual(['active', ['tier']]);
      const { inspection } = await client.inspectToken({ token });
      expect([inspection.accepted, inspection.user_group?.provided_id]).toEqual([true, 'seen']);
    });

    test('have a history, whose versions can be read and restored', async () => {
      await groupToken('historic', { tier: 1 });
      await client.updateUserGroup('historic', { properties: { tier: 2 } });
      const { versions } = await client.listUserGroupVersions('historic');
      expect(versions.map(({ version }) => version)).toEqual([2, 1]);
      expect((await client.getUserGroupVersion('historic', 1)).version.properties).toEqual({
        tier: 1,
      });
      const restored = await client.restoreUserGroupVersion('historic', 1, {}, { ifMatch: '*' });
      expect(restored.user_group.properties).toEqual({ tier: 1 });
    });

    test('are listed to the end, whatever the size of a page', async () => {
      for (const name of ['Paged 1', 'Paged 2', 'Paged 3']) await groupToken(name);
      const query = { name_prefix: 'Paged', limit: 2 };
      const names: string[] = [];
      for await (const { name } of client.listUserGroups(query)) names.push(name);
      expect(names).toEqual(['Paged 1', 'Paged 2', 'Paged 3']);
      const sizes: number[] = [];
      for await (const { user_groups } of client.listUserGroups(query).pages()) {
        sizes.push(user_groups.length);
      }
      expect(sizes).toEqual([2, 1]);
    });
  });

  describe('many user groups', () => {
    test('are imported and exported line by line', async () => {
      async function* lines(): AsyncGenerator<Schemas['UserGroupLine']> {
        await Promise.resolve();
        yield { user_group_id: 'moved in', name: 'Moved', token: 'as-issued-by-another-system' };
        yield { user_group_id: 'refused', name: '' };
      }
      const imported = await all(client.importUserGroups(lines(), { results: 'failed' }));
      expect(imported).toMatchObject([
        { line: 2, code: 'validation_failed' },
        { summary: { created: 1 } },
      ]);
      expect(await all(client.importUserGroups([]))).toMatchObject([
        { summary: { complete: true } },
      ]);
      const changes = await all(client.changeUserGroups({ action: 'suspend', ids: ['moved in'] }));
      expect(changes.at(-1)).toMatchObject({ summary: { changed: 1, complete: true } });
      const exported = await all(client.exportUserGroups({ include_tokens: false }));
      expect(exported).toContainEqual(expect.objectContaining({ provided_id: 'moved in' }));
      expect(exported.at(-1)).toEqual({
        summary: { exported: exported.length - 1, complete: true },
      });
    });
  });

  describe('tokens of a user group', () => {
    test('are listed, rotated by their group, and end their overlap', async () => {
      const id = 'rotating / ä?#';
      await groupToken(id);
      const rotated = await client.rotateUserGroupTokenById(id, { grace_period_seconds: 600 });
      expect(rotated.user_group.provided_id).toBe(id);
      const { tokens } = await client.listUserGroupTokens(id);
      expect(tokens.map(({ state }) => state)).toEqual(['current', 'overlap']);
      const revoked = await client.revokeUserGroupToken(id, 1);
      expect(revoked.tokens[0]?.state).toBe('revoked');
    });
  });

  describe('introspection', () => {
    test('tells what a token means', async () => {
      const token = await groupToken('viewer', { region: 'EMEA' });
      const known = await client.introspectToken({ token }, { cacheControl: 'no-cache' });
      expect(known).toMatchObject({ active: true, sub: 'viewer', properties: { region: 'EMEA' } });
      expect(await client.introspectToken({ token: 'ugt_unknown' })).toEqual({ active: false });
    });

    test('is found by the metadata', async () => {
      const { introspection_endpoint } = await client.getAuthorizationServerMetadata();
      expect(introspection_endpoint).toBe(`${PUBLIC_URL}/api/v1/introspect`);
    });
  });

  describe('revocation', () => {
    test('ends tokens: one, those that have leaked, and all before a moment', async () => {
      const [revoked, leaked] = [await groupToken('revoked'), await groupToken('leaked')];
      expect(await client.revokeToken({ token: revoked })).toEqual({ success: 1 });
      const { results } = await client.reportLeakedTokens({
        tokens: [leaked],
        source: 'a scanner',
      });
      expect(results).toEqual([
        { kind: 'user_group_token', result: 'ended', provided_id: 'leaked' },
      ]);
      const before = '2020-01-01T00:00:00.000Z';
      const { ended_tokens } = await client.endTokens({
        kinds: ['embed_token'],
        reason: 'a test',
        before,
      });
      const counted = await client.endTokens({
        kinds: ['user_group_token'],
        reason: 'a test',
        before,
        dry_run: true,
      });
      expect(counted.ended_tokens.would_end).toEqual({ count: 0, exact: true });
      expect(ended_tokens.in_force).toEqual({ user_group_token: null, embed_token: before });
    });
  });

  test('the process is live and ready', async () => {
    expect((await client.getLiveness()).status).toBe('live');
    expect((await client.getReadiness()).status).toBe('ready');
  });

  describe('embed tokens', () => {
    test('are issued for a page, introspected, and verified with the public keys', async () => {
      await groupToken('embedding');
      const body = {
        audience: 'dashboards',
        expires_in_seconds: 60,
        origin: 'https://app.example.com',
      };
      const { token, kid } = (await client.issueEmbedToken('embedding', body)).embed_token;
      expect(await client.introspectToken({ token })).toMatchObject({
        sub: 'embedding',
        token_type: 'embed_token',
      });
      const { workspace } = await client.getWorkspaceIdentity();
      const { keys } = await client.getJsonWebKeySet(workspace.id);
      expect(keys.map((key) => key.kid)).toContain(kid);
      const { issuer, jwks_uri } = await client.getIssuerMetadata(workspace.id);
      expect([issuer, jwks_uri]).toEqual([
        workspace.issuer,
        `${workspace.issuer}/.well-known/jwks.json`,
      ]);
    });
  });

  describe('groups as code', () => {
    test('are planned and applied', async () => {
      const lines = [{ provided_id: 'as code', name: 'As code' }];
      const { user_group_plan } = await client.planUserGroups(lines, { set: 'client' });
      expect(user_group_plan.counts).toMatchObject({ create: 1, conflict: 0 });
      const applied = await client.applyUserGroups({ plan_id: user_group_plan.id });
      expect(applied.user_group_plan).toMatchObject({ id: user_group_plan.id, set: 'client' });
      const again = await client.planUserGroups(lines, { set: 'client', prune: true });
      expect(again.user_group_plan).toMatchObject({ changes: [], counts: { unchanged: 1 } });
    });
  });

  describe('jobs', () => {
    test('are created, followed, cancelled and undone', async () => {
      await groupToken('in a job');
      const { bulk_job } = await client.createBulkJob({ action: 'suspend', ids: ['in a job'] });
      await until(async () => (await client.getBulkJob(bulk_job.id)).bulk_job.state === 'done');
      expect((await client.listBulkJobs({ limit: 1 })).bulk_jobs).toMatchObject([
        { id: bulk_job.id, changed: 1 },
      ]);
      expect((await client.listBulkJobResults(bulk_job.id)).results).toMatchObject([
        { provided_id: 'in a job', result: 'changed' },
      ]);
      await expect(client.cancelBulkJob(bulk_job.id)).rejects.toMatchObject({
        code: 'bulk_job_ended',
      });
      const lines = [{ provided_id: 'in an import', name: 'Imported' }];
      const imported = (await client.createImportJob(lines)).bulk_job;
      await until(async () => (await client.getBulkJob(imported.id)).bulk_job.created === 1);
      const undo = (await client.undoBulkJob(bulk_job.id)).bulk_job;
      await until(async () => (await client.getBulkJob(undo.id)).bulk_job.changed === 1);
    });
  });

  describe('targets', () => {
    test('are declared, and issue what a tool takes', async () => {
      await groupToken('in a tool');
      const secret = 'a-secret-of-at-least-32-bytes-of-text';
      const { target } = await client.putTarget('cube', {
        kind: 'cube',
        signing: { alg: 'HS256', keys: [{ id: 'a', secret }] },
        claims: { tenant: { $: 'sub' } },
      });
      expect((await client.getTarget('cube')).target).toEqual(target);
      expect((await client.listTargets()).targets).toEqual([target]);
      expect((await client.getTargetSetup('cube')).setup.settings).toContain('CUBEJS_API_SECRET');
      const { embed_token } = await client.issueEmbedToken('in a tool', { target: 'cube' });
      expect(embed_token).toMatchObject({ token_type: 'target_token', revocable: false });
      expect(await client.deleteTarget('cube')).toEqual({ success: 1 });
    });
  });

  describe('usage', () => {
    test('is reported, and read by group and by day', async () => {
      await groupToken('in use');
      const batch = {
        batch_id: 'a batch',
        views: [{ sub: 'in use', user_id: 'u', count: 3, at: new Date().toISOString() }],
      };
      const reported = await client.reportUsage(batch);
      expect(reported.batch).toMatchObject({ counted: 3, unknown: [] });
      expect(await client.reportUsage(batch)).toEqual(reported);
      const { usage } = await client.listUsage({ by: 'group' });
      expect(usage).toEqual([expect.objectContaining({ provided_id: 'in use', views: 3 })]);
      const limits = { embed_tokens_per_day: null, users_per_month: 5, refuse_embed_tokens: false };
      expect(
        (await client.replaceUserGroupLimits('in use', { users_per_month: 5 })).limits,
      ).toEqual(limits);
      expect((await client.getUserGroupLimits('in use')).limits).toEqual(limits);
      const days = (await client.listUserGroupUsage('in use')).usage;
      expect(days.filter(({ views }) => views > 0)).toEqual([
        expect.objectContaining({ views: 3, users: 1 }),
      ]);
    });
  });

  describe('the registry', () => {
    test('holds schemas and data sources, and what refers to them', async () => {
      const { id } = (await client.createSchema({ provided_id: 'crm', name: 'Customers' })).schema;
      await client.updateSchema(id, { name: 'CRM' });
      expect((await client.getSchema(id)).schema).toMatchObject({
        provided_id: 'crm',
        name: 'CRM',
      });
      expect((await client.listSchemas({ provided_id: 'crm' })).schemas).toHaveLength(1);
      expect(await client.listSchemaReferences(id)).toMatchObject({
        required: false,
        user_groups: [],
      });
      expect(await client.deleteSchema(id)).toEqual({ success: 1 });
    });

    test('says of a data source who refers to it', async () => {
      const other = await typedClient(service, await service.issueToken([...scopes], 'registry'));
      const stranger = other.client;
      await stranger.createSchema({ provided_id: 'sales', name: 'Sales' });
      const { id } = (await stranger.createDataSource({ provided_id: 'emea', name: 'EMEA' }))
        .data_source;
      await stranger.upsertUserGroup({ user_group_id: 'g', name: 'G', mapping: { sales: 'emea' } });
      await stranger.updateWorkspace({ mapping_policy: 'registered' });
      expect((await errorOf(stranger.deleteDataSource(id))).code).toBe('still_referenced');
      const references = await stranger.listDataSourceReferences(id);
      expect(references.user_groups.map((group) => group.provided_id)).toEqual(['g']);
      await stranger.updateDataSource(id, { name: 'Europe' });
      const read = await stranger.getDataSource(id);
      expect((await stranger.listDataSources()).data_sources).toEqual([read.data_source]);
      for (const operation of other.called) called.add(operation);
    });

    test('says which groups break the rules of the workspace', async () => {
      await groupToken('incomplete');
      const rules = { variables: [{ name: 'region', type: 'string' as const, required: true }] };
      const previewed = await all(client.previewIncompleteUserGroups(rules));
      expect(previewed.map((group) => group.provided_id)).toContain('incomplete');
      const changed = await client.updateWorkspace(rules);
      expect(changed.workspace).toMatchObject({ mapping_policy: 'open', ...rules });
      const incomplete = await soon(() => all(client.listUserGroups({ status: 'incomplete' })));
      const lacking = incomplete.find((group) => group.provided_id === 'incomplete');
      expect(lacking?.reasons[0]?.pointer).toBe('/properties/region');
      await client.updateWorkspace({ variables: [] });
      const read = await client.getWorkspace();
      expect(read.workspace.variables).toEqual([]);
      expect((await client.getWorkspaceIdentity()).workspace.id).toBe(read.workspace.id);
      expect((await client.listUnresolvableMappings()).success).toBe(1);
    });
  });

  describe('API tokens', () => {
    test('are issued, read, changed, rotated and revoked', async () => {
      const body = {
        name: 'billing',
        scopes: ['user-groups:read' as const],
        allowed_cidrs: ['127.0.0.0/8'],
      };
      const issued = await client.createApiToken(body);
      const { id, token } = issued.api_token;
      expect(responseOf(issued).headers.get('location')).toBe(`/api/v1/api-tokens/${id}`);
      const read = await client.getApiToken(id);
      expect(read.api_token).toMatchObject({ state: 'active', last_four: token.slice(-4) });
      const change = { expires_at: '2099-01-01T00:00:00Z', allowed_cidrs: null };
      const changed = await client.updateApiToken(id, change);
      expect(changed.api_token).toMatchObject({ name: 'billing', allowed_cidrs: null });
      const rotated = await client.rotateApiToken(id);
      expect(rotated.api_token.expires_at).toBe('2099-01-01T00:00:00.000Z');
      const revoked = await client.revokeApiToken(rotated.api_token.id);
      expect(revoked.api_token.state).toBe('revoked');
    });

    test('are listed page by page', async () => {
      const first = await client.listApiTokens({ limit: 1 });
      expect(first.api_tokens).toHaveLength(1);
      const second = await client.listApiTokens({ cursor: first.next_cursor! });
      expect(second.api_tokens[0]?.id).not.toBe(first.api_tokens[0]?.id);
    });
  });

  describe('the overview', () => {
    test('counts what the workspace has', async () => {
      await groupToken('counted', {});
      const { overview } = await client.getOverview();
      expect(overview.user_groups.total).toBeGreaterThan(0);
      expect(overview.api_tokens?.active).toBeGreaterThan(0);
    });

    test('says what happened, by the day', async () => {
      const query = {
        from: '2030-01-01T00:00:00Z',
        to: '2030-01-03T00:00:00Z',
        step: 'day',
      } as const;
      const { activity } = await client.getActivity(query);
      expect(activity.step).toBe('day');
      expect(activity.points.map(({ at, creations }) => [at, creations])).toEqual([
        ['2030-01-01T00:00:00.000Z', 0],
        ['2030-01-02T00:00:00.000Z', 0],
      ]);
    });
  });

  describe('the system', () => {
    test('tells what it runs on', async () => {
      const { system } = await client.getSystem();
      expect(system.migrations.pending).toBe(0);
      expect(system.encryption_keys[0]?.encrypts).toBe(true);
    });
  });

  describe('audit events', () => {
    test('are found by what was done, to what, and when', async () => {
      await groupToken('audited', { region: 'EMEA' });
      const query = {
        object_type: 'user_group',
        object_id: 'audited',
        from: '2020-01-01T00:00:00Z',
      };
      const { audit_events } = await client.listAuditEvents(query);
      expect(audit_events.map(({ action }) => action)).toContain('user_group.create');
      expect(audit_events[0]?.actor).toMatchObject({ type: 'api_token', api_token_id: 1 });
      const exported = await all(
        client.exportAuditEvents({ search: 'AUDITED', types: ['user_group.create'] }),
      );
      expect(exported.at(-1)).toEqual({ summary: { exported: 1, complete: true } });
    });
  });

  describe('events', () => {
    test('are listed from a cursor on', async () => {
      const { next_cursor: after } = await client.listEvents({ after: 'latest' });
      for (const id of ['followed 1', 'followed 2']) await groupToken(id);
      const listed = await all(client.listEvents({ after, limit: 1 }));
      expect(listed.map(({ user_group }) => user_group?.provided_id)).toEqual([
        'followed 1',
        'followed 2',
      ]);
      // A stream that is refused throws at its first message; how one is followed is in follow.test.ts.
      const refused = await errorOf(client.streamEvents({ after: 'nowhere' }).next());
      expect(refused.code).toBe('validation_failed');
    });
  });

  describe('webhook endpoints', () => {
    test('are created, changed, given another secret, and removed', async () => {
      const body = { url: 'https://receiver.example/webhooks', event_types: ['user_group.*'] };
      const { id, secret } = (await client.createWebhookEndpoint(body)).webhook_endpoint;
      expect(secret).toMatch(/^whsec_/);
      expect((await client.listWebhookEndpoints()).webhook_endpoints).toHaveLength(1);
      expect((await client.getWebhookEndpoint(id)).webhook_endpoint.enabled).toBe(true);
      expect(
        (await client.updateWebhookEndpoint(id, { enabled: false })).webhook_endpoint.enabled,
      ).toBe(false);
      expect((await client.rollWebhookSecret(id)).webhook_endpoint.secret).not.toBe(secret);
      expect((await client.listWebhookAttempts(id)).attempts).toEqual([]);
      // The service of these tests sends nothing.
      expect((await errorOf(client.sendTestEvent(id))).code).toBe('webhook_test_refused');
      expect(await client.replayWebhooks(id, { from: '2020-01-01T00:00:00Z' })).toEqual({
        success: 1,
      });
      expect(await client.deleteWebhookEndpoint(id)).toEqual({ success: 1 });
    });
  });

  describe('errors', () => {
    test('tell their code, their status and the request', async () => {
      const error = await errorOf(client.getApiToken(999_999));
      expect(error).toMatchObject({
        name: 'ApiError',
        status: 404,
        code: 'api_token_not_found',
        errors: [],
      });
      expect(error.message).toBe(
        `404 api_token_not_found: ${error.detail} (request ${error.requestId})`,
      );
    });

    test('a misspelt field is an error of the compiler, and of the service', async () => {
      const { errors } = await errorOf(
        // @ts-expect-error the field is called allowed_cidrs
        client.createApiToken({ name: 'x', scopes: ['admin'], cidrs: ['10.0.0.0/8'] }),
      );
      expect(errors[0]).toMatchObject({ pointer: '/cidrs', code: 'unknown' });
    });

    test('a token that is nobody’s is refused', async () => {
      const { client: stranger } = await typedClient(service, `uga_${'0'.repeat(38)}`);
      const { status, code } = await errorOf(stranger.listAuditEvents());
      expect([status, code]).toEqual([401, 'api_token_invalid']);
    });
  });

  test('every operation of the document has been called here', async () => {
    const { paths } = withoutGateways(await describeOpenApi());
    const described = Object.values(paths).flatMap((item) =>
      Object.values(item as Record<string, { operationId: string }>).map(
        ({ operationId }) => operationId,
      ),
    );
    expect([...called].sort()).toEqual(described.sort());
  });

  async function groupToken(
    user_group_id: string,
    properties: Record<string, unknown> = {},
  ): Promise<string> {
    const { user_group } = await client.upsertUserGroup({
      user_group_id,
      name: user_group_id,
      properties,
    });
    return user_group.token;
  }
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The error that a call is rejected with. */
async function errorOf(call: PromiseLike<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('it was not refused');
}
