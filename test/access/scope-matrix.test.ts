import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import { type Scope, scopes } from '../../src/platform/common/access/caller.ts';
import { TestJobs } from '../bulk-job/test-jobs.ts';
import { NO_WORKSPACE } from '../support/api/workspace-keys.ts';
import { type Answer, type ApiClient, NDJSON } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { handlersOf } from '../support/events/handlers.ts';
import { registryBody } from '../support/registry.ts';
import { type TestService, withService } from '../support/test-service.ts';

/** The things of one workspace, which no other workspace may reach. */
interface Things {
  group: string;
  groupToken: string;
  apiToken: number;
  schema: number;
  dataSource: number;
  endpoint: number;
  target: string;
  /** Has ended. */
  job: number;
}

interface Route {
  method: string;
  /** The path that the handler declares. */
  path: string;
  scope: Scope;
  /** A second scope that a call needs. */
  also?: Scope;
  /** A call that succeeds for who has the scopes, on the things of the own workspace. */
  call: (things: Things) => { path?: string; body?: unknown; headers?: Record<string, string> };
  /** The code of its refusal by the state of the service, which only who has the scope gets. */
  refused?: string;
  /** The answer to the same call about another workspace's things; undefined where none can be named. */
  foreign?: { status: number; code?: string };
}

const neededFor = ({ scope, also }: Pick<Route, 'scope' | 'also'>) => [
  scope,
  ...(also ? [also] : []),
];
const notFound = (code: string) => ({ status: 404, code });
const ofGroup = ({ group }: Things, rest: string) => `/api/v1/user-groups/${group}/tokens${rest}`;
const resource = ({ group }: Things, rest = '') => `/api/v1/user-groups/${group}${rest}`;
const ofEndpoint = ({ endpoint }: Things, rest = '') =>
  `/api/v1/webhook-endpoints/${endpoint}${rest}`;
const ofJob = ({ job }: Things, rest = '') => `/api/v1/bulk-jobs/${job}${rest}`;
const ofToken = ({ apiToken }: Things, rest: string) => `/api/v1/api-tokens/${apiToken}${rest}`;

const TARGET = {
  kind: 'cube',
  signing: { alg: 'HS256', keys: [{ id: 'a', secret: 'a secret of at least 32 bytes of text' }] },
  claims: { tenant: { $: 'sub' } },
};

/** Every route of the application. A new one that is not here fails the test. */
const routes: Route[] = [
  {
    method: 'GET',
    path: '/api/user',
    scope: 'user-groups:read',
    also: 'user-group-tokens:read',
    call: ({ group }) => ({ body: { user_group_id: group } }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'PUT',
    path: '/api/user',
    scope: 'user-groups:write',
    also: 'user-group-tokens:read',
    call: ({ group }) => ({ body: { user_group_id: group, name: 'written' } }),
    // An id is the caller's own: the same one names another group here.
    foreign: { status: 200 },
  },
  {
    method: 'POST',
    path: '/api/user',
    scope: 'tokens:rotate',
    call: ({ groupToken }) => ({ body: { current_token: groupToken } }),
    foreign: notFound('token_not_found'),
  },
  { method: 'GET', path: '/api/v1/user-groups', scope: 'user-groups:read', call: () => ({}) },
  {
    method: 'GET',
    path: '/api/v1/user-groups/:id',
    scope: 'user-groups:read',
    call: (things) => ({ path: resource(things) }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'PUT',
    path: '/api/v1/user-groups/:id',
    scope: 'user-groups:write',
    call: (things) => ({ path: resource(things), body: { name: 'written' } }),
    // An id is the caller's own: the same one names another group here.
    foreign: { status: 201 },
  },
  {
    method: 'PATCH',
    path: '/api/v1/user-groups/:id',
    scope: 'user-groups:write',
    call: (things) => ({ path: resource(things), body: { properties: { a: 1 } } }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'DELETE',
    path: '/api/v1/user-groups/:id',
    scope: 'user-groups:write',
    call: (things) => ({ path: resource(things) }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/:id/suspend',
    scope: 'user-groups:write',
    call: (things) => ({ path: resource(things, '/suspend') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/:id/rename',
    scope: 'user-groups:write',
    // To the id that it has: the other calls go by that.
    call: (things) => ({
      path: resource(things, '/rename'),
      body: { provided_id: things.group },
    }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/:id/resume',
    scope: 'user-groups:write',
    call: (things) => ({ path: resource(things, '/resume') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/user-groups/:id/tokens/current',
    scope: 'user-group-tokens:read',
    call: (things) => ({ path: ofGroup(things, '/current') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/import',
    scope: 'user-groups:write',
    call: ({ group }) => ({ body: { user_group_id: group, name: 'imported' }, headers: NDJSON }),
    foreign: { status: 200 },
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/actions',
    scope: 'user-groups:write',
    call: () => ({ body: { action: 'suspend', ids: ['nobody'] } }),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/plan',
    scope: 'user-groups:write',
    also: 'user-groups:read',
    call: () => ({
      path: '/api/v1/user-groups/plan?set=s',
      body: { provided_id: 'planned', name: 'P' },
      headers: NDJSON,
    }),
    // An id is the caller's own: the same one names another group here.
    foreign: { status: 200 },
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/apply',
    scope: 'user-groups:write',
    call: () => ({ path: '/api/v1/user-groups/apply?plan_id=1' }),
    refused: 'plan_not_found',
    foreign: notFound('plan_not_found'),
  },
  { method: 'GET', path: '/api/v1/bulk-jobs', scope: 'user-groups:read', call: () => ({}) },
  {
    method: 'POST',
    path: '/api/v1/bulk-jobs',
    scope: 'user-groups:write',
    call: () => ({ body: { action: 'suspend', ids: ['nobody'] } }),
  },
  {
    method: 'POST',
    path: '/api/v1/bulk-jobs/import',
    scope: 'user-groups:write',
    call: ({ group }) => ({ body: { user_group_id: group, name: 'imported' }, headers: NDJSON }),
  },
  {
    method: 'GET',
    path: '/api/v1/bulk-jobs/:id',
    scope: 'user-groups:read',
    call: (things) => ({ path: ofJob(things) }),
    foreign: notFound('bulk_job_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/bulk-jobs/:id/results',
    scope: 'user-groups:read',
    call: (things) => ({ path: ofJob(things, '/results') }),
    foreign: notFound('bulk_job_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/bulk-jobs/:id/cancel',
    scope: 'user-groups:write',
    call: (things) => ({ path: ofJob(things, '/cancel') }),
    refused: 'bulk_job_ended',
    foreign: notFound('bulk_job_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/bulk-jobs/:id/undo',
    scope: 'user-groups:write',
    call: (things) => ({ path: ofJob(things, '/undo') }),
    // It has changed no group.
    refused: 'bulk_job_not_undoable',
    foreign: notFound('bulk_job_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/export',
    scope: 'admin',
    // With tokens it needs a second scope; test/bulk/export.test.ts calls it.
    call: () => ({ body: { include_tokens: false } }),
  },
  {
    method: 'GET',
    path: '/api/v1/user-groups/:id/tokens',
    scope: 'user-groups:read',
    call: (things) => ({ path: ofGroup(things, '') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/user-groups/:id/view',
    scope: 'user-groups:read',
    call: (things) => ({ path: resource(things, '/view') }),
  },
  {
    method: 'GET',
    path: '/api/v1/user-groups/:id/versions',
    scope: 'user-groups:read',
    call: (things) => ({ path: resource(things, '/versions') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/user-groups/:id/versions/:version',
    scope: 'user-groups:read',
    call: (things) => ({ path: resource(things, '/versions/1') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/:id/versions/:version/restore',
    scope: 'user-groups:write',
    call: (things) => ({ path: resource(things, '/versions/1/restore') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/:id/tokens/rotate',
    scope: 'tokens:rotate',
    call: (things) => ({ path: ofGroup(things, '/rotate'), body: { grace_period_seconds: 60 } }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/:id/tokens/:generation/revoke',
    scope: 'tokens:rotate',
    call: (things) => ({ path: ofGroup(things, '/1/revoke') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/:id/embed-tokens',
    scope: 'embed-tokens:issue',
    call: ({ group }) => ({
      path: `/api/v1/user-groups/${group}/embed-tokens`,
      body: { audience: 'renderer' },
    }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/user-groups/:id/embed-tokens',
    scope: 'user-groups:view-as',
    call: ({ group }) => ({
      path: `/api/v1/user-groups/${group}/embed-tokens`,
      body: { audience: 'renderer', acting_for: { subject: 'kim', reason: 'a ticket' } },
    }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/introspect',
    scope: 'tokens:introspect',
    call: ({ groupToken }) => ({ body: { token: groupToken } }),
    foreign: { status: 200 },
  },
  { method: 'GET', path: '/api/v1/api-tokens', scope: 'admin', call: () => ({}) },
  {
    method: 'POST',
    path: '/api/v1/api-tokens',
    scope: 'admin',
    call: () => ({ body: { name: 'new', scopes: ['admin'] } }),
  },
  {
    method: 'GET',
    path: '/api/v1/api-tokens/:id',
    scope: 'admin',
    call: (things) => ({ path: ofToken(things, '') }),
    foreign: notFound('api_token_not_found'),
  },
  {
    method: 'PATCH',
    path: '/api/v1/api-tokens/:id',
    scope: 'admin',
    call: (things) => ({ path: ofToken(things, ''), body: { name: 'changed' } }),
    foreign: notFound('api_token_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/api-tokens/:id/rotate',
    scope: 'admin',
    call: (things) => ({ path: ofToken(things, '/rotate'), body: {} }),
    foreign: notFound('api_token_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/api-tokens/:id/revoke',
    scope: 'admin',
    call: (things) => ({ path: ofToken(things, '/revoke') }),
    foreign: notFound('api_token_not_found'),
  },
  { method: 'GET', path: '/api/v1/overview', scope: 'user-groups:read', call: () => ({}) },
  { method: 'GET', path: '/api/v1/overview/activity', scope: 'user-groups:read', call: () => ({}) },
  { method: 'GET', path: '/api/v1/system', scope: 'admin', call: () => ({}) },
  { method: 'GET', path: '/api/v1/audit-events', scope: 'audit:read', call: () => ({}) },
  {
    method: 'POST',
    path: '/api/v1/audit-events/export',
    scope: 'audit:read',
    call: () => ({ body: {} }),
  },
  { method: 'GET', path: '/api/v1/events', scope: 'events:read', call: () => ({}) },
  { method: 'GET', path: '/api/v1/events/stream', scope: 'events:read', call: () => ({}) },
  { method: 'GET', path: '/api/v1/schemas', scope: 'registry:read', call: () => ({}) },
  {
    method: 'POST',
    path: '/api/v1/schemas',
    scope: 'registry:write',
    call: ({ group }) => ({ body: { provided_id: `new-${group}`, name: 'New' } }),
    // A call may give the same id here, which is also true of groups.
    foreign: { status: 201 },
  },
  {
    method: 'GET',
    path: '/api/v1/schemas/:id',
    scope: 'registry:read',
    call: ({ schema }) => ({ path: `/api/v1/schemas/${schema}` }),
    foreign: notFound('schema_not_found'),
  },
  {
    method: 'PATCH',
    path: '/api/v1/schemas/:id',
    scope: 'registry:write',
    call: ({ schema }) => ({ path: `/api/v1/schemas/${schema}`, body: { name: 'changed' } }),
    foreign: notFound('schema_not_found'),
  },
  {
    method: 'DELETE',
    path: '/api/v1/schemas/:id',
    scope: 'registry:write',
    call: ({ schema }) => ({ path: `/api/v1/schemas/${schema}` }),
    foreign: notFound('schema_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/schemas/:id/references',
    scope: 'registry:read',
    call: ({ schema }) => ({ path: `/api/v1/schemas/${schema}/references` }),
    foreign: notFound('schema_not_found'),
  },
  { method: 'GET', path: '/api/v1/data-sources', scope: 'registry:read', call: () => ({}) },
  {
    method: 'POST',
    path: '/api/v1/data-sources',
    scope: 'registry:write',
    call: ({ group }) => ({ body: { provided_id: `new-${group}`, name: 'New' } }),
    // A call may give the same id here, which is also true of groups.
    foreign: { status: 201 },
  },
  {
    method: 'GET',
    path: '/api/v1/data-sources/:id',
    scope: 'registry:read',
    call: ({ dataSource }) => ({ path: `/api/v1/data-sources/${dataSource}` }),
    foreign: notFound('data_source_not_found'),
  },
  {
    method: 'PATCH',
    path: '/api/v1/data-sources/:id',
    scope: 'registry:write',
    call: ({ dataSource }) => ({
      path: `/api/v1/data-sources/${dataSource}`,
      body: { name: 'changed' },
    }),
    foreign: notFound('data_source_not_found'),
  },
  {
    method: 'DELETE',
    path: '/api/v1/data-sources/:id',
    scope: 'registry:write',
    call: ({ dataSource }) => ({ path: `/api/v1/data-sources/${dataSource}` }),
    foreign: notFound('data_source_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/data-sources/:id/references',
    scope: 'registry:read',
    call: ({ dataSource }) => ({ path: `/api/v1/data-sources/${dataSource}/references` }),
    foreign: notFound('data_source_not_found'),
  },
  { method: 'GET', path: '/api/v1/targets', scope: 'targets:read', call: () => ({}) },
  {
    method: 'GET',
    path: '/api/v1/targets/:name',
    scope: 'targets:read',
    call: ({ target }) => ({ path: `/api/v1/targets/${target}` }),
    foreign: notFound('target_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/targets/:name/setup',
    scope: 'targets:read',
    call: ({ target }) => ({ path: `/api/v1/targets/${target}/setup` }),
    foreign: notFound('target_not_found'),
  },
  {
    method: 'PUT',
    path: '/api/v1/targets/:name',
    scope: 'targets:write',
    call: ({ target }) => ({ path: `/api/v1/targets/${target}`, body: TARGET }),
    // A name is the caller's own: the same one names another target here.
    foreign: { status: 201 },
  },
  {
    method: 'DELETE',
    path: '/api/v1/targets/:name',
    scope: 'targets:write',
    call: ({ target }) => ({ path: `/api/v1/targets/${target}` }),
    foreign: notFound('target_not_found'),
  },
  { method: 'GET', path: '/api/v1/usage', scope: 'usage:read', call: () => ({}) },
  {
    method: 'GET',
    path: '/api/v1/user-groups/:id/usage',
    scope: 'usage:read',
    call: (things) => ({ path: resource(things, '/usage') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/user-groups/:id/limits',
    scope: 'user-groups:read',
    call: (things) => ({ path: resource(things, '/limits') }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'PUT',
    path: '/api/v1/user-groups/:id/limits',
    scope: 'user-groups:write',
    call: (things) => ({ path: resource(things, '/limits'), body: { users_per_month: 1 } }),
    foreign: notFound('user_group_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/usage/batches',
    scope: 'tokens:introspect',
    call: ({ group }) => ({
      body: {
        batch_id: `batch ${group}`,
        views: [{ sub: group, count: 1, at: new Date().toISOString() }],
      },
    }),
    // An unknown group is counted for nobody.
    foreign: { status: 200 },
  },
  { method: 'GET', path: '/api/v1/webhook-endpoints', scope: 'webhooks:read', call: () => ({}) },
  {
    method: 'POST',
    path: '/api/v1/webhook-endpoints',
    scope: 'webhooks:write',
    call: () => ({ body: { url: 'https://receiver.example/' } }),
  },
  {
    method: 'GET',
    path: '/api/v1/webhook-endpoints/:id',
    scope: 'webhooks:read',
    call: (things) => ({ path: ofEndpoint(things) }),
    foreign: notFound('webhook_endpoint_not_found'),
  },
  {
    method: 'PATCH',
    path: '/api/v1/webhook-endpoints/:id',
    scope: 'webhooks:write',
    call: (things) => ({ path: ofEndpoint(things), body: { description: 'changed' } }),
    foreign: notFound('webhook_endpoint_not_found'),
  },
  {
    method: 'DELETE',
    path: '/api/v1/webhook-endpoints/:id',
    scope: 'webhooks:write',
    call: (things) => ({ path: ofEndpoint(things) }),
    foreign: notFound('webhook_endpoint_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/webhook-endpoints/:id/attempts',
    scope: 'webhooks:read',
    call: (things) => ({ path: ofEndpoint(things, '/attempts') }),
    foreign: notFound('webhook_endpoint_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/webhook-endpoints/:id/replay',
    scope: 'webhooks:write',
    call: (things) => ({
      path: ofEndpoint(things, '/replay'),
      body: { from: '2030-01-01T00:00:00Z' },
    }),
    foreign: notFound('webhook_endpoint_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/webhook-endpoints/:id/test',
    scope: 'webhooks:write',
    call: (things) => ({ path: ofEndpoint(things, '/test') }),
    // The service of this test sends nothing.
    refused: 'webhook_test_refused',
    foreign: notFound('webhook_endpoint_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/webhook-endpoints/:id/roll-secret',
    scope: 'webhooks:write',
    call: (things) => ({ path: ofEndpoint(things, '/roll-secret'), body: {} }),
    foreign: notFound('webhook_endpoint_not_found'),
  },
  // A token of another workspace is as unknown as any other text.
  {
    method: 'POST',
    path: '/api/v1/revoke',
    scope: 'tokens:rotate',
    call: ({ groupToken }) => ({ body: { token: groupToken } }),
    foreign: { status: 200 },
  },
  {
    method: 'POST',
    path: '/api/v1/tokens/report-leaked',
    scope: 'tokens:rotate',
    call: ({ groupToken }) => ({ body: { tokens: [groupToken] } }),
    foreign: { status: 200 },
  },
  {
    method: 'POST',
    path: '/api/v1/tokens/inspect',
    scope: 'tokens:inspect',
    call: ({ groupToken }) => ({ body: { token: groupToken } }),
    foreign: { status: 200 },
  },
  { method: 'GET', path: '/api/v1/workspace', scope: 'registry:read', call: () => ({}) },
  {
    method: 'PATCH',
    path: '/api/v1/workspace',
    scope: 'registry:write',
    call: () => ({ body: { mapping_policy: 'open' } }),
  },
  {
    method: 'POST',
    path: '/api/v1/workspace/end-tokens',
    scope: 'admin',
    call: () => ({ body: { kinds: ['embed_token'], reason: 'r', before: '2020-01-01T00:00:00Z' } }),
  },
  {
    method: 'GET',
    path: '/api/v1/workspace/unresolvable-mappings',
    scope: 'registry:read',
    call: () => ({}),
  },
  {
    method: 'POST',
    path: '/api/v1/workspace/incomplete-user-groups/preview',
    scope: 'registry:write',
    call: () => ({ body: {} }),
  },
];

/** The routes that ask for no token, because what they answer is nobody's own. */
const publicRoutes = [
  { method: 'GET', path: '/.well-known/oauth-authorization-server' },
  { method: 'GET', path: '/health/live' },
  { method: 'GET', path: '/health/ready' },
  { method: 'GET', path: '/workspaces/:workspace_id/.well-known/jwks.json' },
  { method: 'GET', path: '/workspaces/:workspace_id/.well-known/openid-configuration' },
];

/** The routes of the console. All but the public ones ask for a session of any scope. test/console calls each. */
const consoleRoutes = [
  'DELETE /console/session public ',
  'DELETE /console/sessions/:id  ',
  'GET /console/session  ',
  'GET /console/session/watch  ',
  'GET /console/sessions  ',
  'GET /console/sign-in public ',
  'GET /console/sign-in/openid public ',
  'GET /console/sign-in/openid/callback public ',
  'POST /console/session public ',
];

onEachDatabase((kind) => {
  const service = withService(kind, { PUBLIC_URL: 'https://user-groups.example' });
  let count = 0;
  let lastSchema = 0;
  let lastEndpoint = 1;
  let lastTarget = 'none';
  const clients = new Map<string, ApiClient>();
  const clientWith = async (workspace: string, held: readonly Scope[]) => {
    const key = [workspace, ...held].join(' ');
    if (!clients.has(key)) {
      clients.set(key, service.clientOf(await service.issueToken([...held], workspace)));
    }
    return clients.get(key)!;
  };

  /** Fresh things of a workspace, with a token of generation 2 and its predecessor. */
  async function create(workspace: string): Promise<Things> {
    const all = service.clientOf(await service.issueToken([...scopes], workspace));
    const group = `group-${++count}`;
    const created = await all.get({ user_group_id: group, name: 'Group' });
    const rotated = await all.post({
      current_token: created.body.user_group.token,
      grace_period_seconds: 600,
    });
    const issued = await all.call('POST', '/api/v1/api-tokens', {
      name: 'thing',
      scopes: ['admin'],
    });
    const registered = { provided_id: group, name: 'thing' };
    // A workspace has few schemas: each makes room for the next.
    await all.call('DELETE', `/api/v1/schemas/${lastSchema}`);
    const schema = await all.call('POST', '/api/v1/schemas', registered);
    const dataSource = await all.call('POST', '/api/v1/data-sources', registered);
    lastSchema = registryBody(schema).schema.id;
    // A workspace has few endpoints, too.
    await all.call('DELETE', `/api/v1/webhook-endpoints/${lastEndpoint}`);
    const endpoint = await all.call('POST', '/api/v1/webhook-endpoints', {
      url: 'https://receiver.example/',
    });
    lastEndpoint = endpoint.body.webhook_endpoint.id;
    // And few targets.
    await all.call('DELETE', `/api/v1/targets/${lastTarget}`);
    lastTarget = `target-${count}`;
    await all.call('PUT', `/api/v1/targets/${lastTarget}`, TARGET);
    const jobs = new TestJobs(all);
    const { id: job } = await jobs.begin({ action: 'suspend', ids: ['nobody'] });
    await jobs.ended(job);
    return {
      group,
      groupToken: rotated.body.user_group.token,
      apiToken: issued.body.api_token.id,
      schema: lastSchema,
      dataSource: registryBody(dataSource).data_source.id,
      endpoint: lastEndpoint,
      target: lastTarget,
      job,
    };
  }

  /** Things that no call of these tests may change. */
  let theirs: Things;

  beforeAll(async () => {
    theirs = await create('theirs');
  });

  const send = (route: Route, things: Things, by: ApiClient): Promise<Answer> => {
    const { path = route.path, body, headers } = route.call(things);
    return by.send({ method: route.method, path, body, headers });
  };

  test('every route declares its scope and stands in the table', () => {
    const declared = handlersOf(service.app).flatMap(
      ({ method, path, access: { scopes: needed, also, isPublic } }) =>
        (needed.length > 0 ? needed : ['']).map((scope) =>
          [method, path, isPublic ? 'public' : '', scope, ...(also ? [also] : [])].join(' '),
        ),
    );
    const listed = [
      ...routes.map((route) => [route.method, route.path, '', ...neededFor(route)].join(' ')),
      ...publicRoutes.map(({ method, path }) => [method, path, 'public', ''].join(' ')),
      ...consoleRoutes,
      'GET /api/v1/workspace/identity  ',
      // Authenticates by a header of its own; test/forward-auth calls it.
      'GET /api/v1/forward-auth  tokens:introspect',
      'GET /api/v1/embed-session  tokens:introspect',
      'POST /api/v1/embed-session  tokens:introspect',
    ];
    expect(declared.sort()).toEqual(listed.sort());
  });

  test.each(publicRoutes)('$method $path answers anybody the same', async ({ method, path }) => {
    const answers = [];
    for (const by of [undefined, 'wrong', `uga_${'0'.repeat(38)}`, service.bootstrapToken]) {
      const called = path.replace(':workspace_id', NO_WORKSPACE);
      answers.push(await service.clientOf(by).send({ method, path: called }));
    }
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(200);
  });

  describe.each(routes)('$method $path', (route) => {
    test('every scope opens its own routes and no other', async () => {
      const things = await create('own');
      const needed = neededFor(route);
      for (const scope of scopes.filter((one) => needed.join() !== one)) {
        const { status, body } = await send(route, things, await clientWith('own', [scope]));
        expect([scope, status, body.code]).toEqual([scope, 403, 'insufficient_scope']);
        const missing = needed.find((one) => one !== scope);
        expect(body.detail).toContain(`"${missing}"`);
      }
      const { status, body } = await send(route, things, await clientWith('own', needed));
      expect([status < 300, body.code]).toEqual([route.refused === undefined, route.refused]);
    });

    test('without a token, with an unknown one, and with a user-group token it is closed', async () => {
      const unknown = service.clientOf(`uga_${'0'.repeat(38)}`);
      for (const by of [
        service.clientOf(undefined),
        unknown,
        service.clientOf(theirs.groupToken),
      ]) {
        const { status, body, headers } = await send(route, theirs, by);
        expect([status, body.success, headers['www-authenticate']]).toEqual([
          401,
          0,
          expect.stringMatching(/^Token /),
        ]);
      }
    });

    test('a thing of another workspace is not found, in the words of a thing that is not there', async () => {
      const nothing = {
        group: `absent-${++count}`,
        groupToken: generateToken('ugt'),
        apiToken: 999_999,
        schema: 999_999,
        dataSource: 999_999,
        endpoint: 999_999,
        target: `absent-${count}`,
        job: 999_999,
      };
      // No call before has made a thing of the same id there.
      const by = await clientWith(`${route.method} ${route.path}`, neededFor(route));
      const before = await rowsOf(service, 'theirs');
      const answer = await send(route, theirs, by);
      expect(await rowsOf(service, 'theirs')).toEqual(before);
      if (!route.foreign) {
        expect(answer.text).not.toContain(theirs.group);
        expect(answer.text).not.toMatch(new RegExp(`"id":${theirs.apiToken}[,}]`));
        return;
      }
      expect([answer.status, answer.body.code]).toEqual([route.foreign.status, route.foreign.code]);
      expect(answer.text).not.toContain(theirs.groupToken);
      const absent = await send(route, nothing, by);
      expect(wordsOf(answer)).toEqual(wordsOf(absent));
    });
  });

  test('every scope, and only a valid API token, reads the id and the issuer of its workspace', async () => {
    const read = async (by: ApiClient) => {
      const { status, body } = await by.call('GET', '/api/v1/workspace/identity');
      return { status, body: body as unknown as { workspace?: { id: string; issuer: string } } };
    };
    const settings = await (
      await clientWith('own', ['registry:read'])
    ).call('GET', '/api/v1/workspace');
    const { id } = (settings.body as unknown as { workspace: { id: string } }).workspace;
    for (const scope of scopes) {
      const { status, body } = await read(await clientWith('own', [scope]));
      expect([status, body.workspace]).toEqual([200, { id, issuer: expect.stringMatching(/./) }]);
    }
    expect((await read(await clientWith('other', ['audit:read']))).body.workspace!.id).not.toBe(id);
    expect((await read(service.clientOf(`uga_${'0'.repeat(38)}`))).status).toBe(401);
  });

  test('every other scope is refused to all of them together', async () => {
    const things = await create('own');
    for (const route of routes) {
      for (const missing of neededFor(route)) {
        const others = await clientWith(
          'own',
          scopes.filter((scope) => scope !== missing),
        );
        const { status, body } = await send(route, things, others);
        expect([route.path, status]).toEqual([route.path, 403]);
        expect(body.detail).toContain(`"${missing}"`);
      }
    }
  });
});

/** The parts of a response that are the same for each call. */
function wordsOf({ status, body, headers }: Answer): unknown {
  const words = {
    ...body,
    request_id: null,
    user_group: null,
    schema: null,
    data_source: null,
    target: null,
    batch: null,
    user_group_plan: null,
  };
  return [status, words, Object.keys(headers).sort()];
}

/** Everything a workspace owns but its audit log. */
async function rowsOf(service: TestService, workspace: string): Promise<unknown> {
  const id = `(SELECT id FROM workspace WHERE name = '${workspace}')`;
  const groups = `(SELECT id FROM user_group WHERE workspace_id = ${id})`;
  return JSON.stringify([
    await service.query(`SELECT * FROM user_group WHERE workspace_id = ${id} ORDER BY id`),
    // The time of the last introspection is stored in the background.
    await service.query(
      `SELECT user_group_id, generation, token_hash, retired_at, valid_until, revoked_at
       FROM user_group_token WHERE user_group_id IN ${groups} ORDER BY user_group_id, generation`,
    ),
    await service.query(
      `SELECT id, name, scopes, expires_at, revoked_at FROM api_token WHERE workspace_id = ${id} ORDER BY id`,
    ),
    await service.query(`SELECT * FROM registered_schema WHERE workspace_id = ${id} ORDER BY id`),
    await service.query(
      `SELECT * FROM registered_data_source WHERE workspace_id = ${id} ORDER BY id`,
    ),
  ]);
}
