import { scopes } from '../../src/platform/common/access/caller.ts';
import { connect } from 'node:net';
import { errorCatalogue } from '../../src/platform/common/problem/problem.ts';
import { BulkJobLeases } from '../../src/features/bulk-job/running/bulk-job-leases.ts';
import { UserGroupTokenNotUsable } from '../../src/core/user-group/group/user-group.errors.ts';
import { exampleProblem } from '../../src/platform/common/problem/problem.dto.ts';
import { type Answer, NDJSON } from '../support/api/api-client.ts';
import { PlanRepository } from '../../src/features/plan/plan.repository.ts';
import { PlanCalls } from '../plan/plan-calls.ts';
import { TestJobs } from '../bulk-job/test-jobs.ts';
import { askAsGateway } from '../forward-auth/gateway.ts';
import { OWN_PAGE } from '../support/console/console.ts';
import { changeDatabase } from '../support/database/databases.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';
import { untilAfter } from '../support/time/until.ts';

const V1 = '/api/v1';
const GROUP = { user_group_id: 'acme-emea', name: 'Acme EMEA' };
const AT = `${V1}/user-groups/acme-emea`;

const service = withService('sqlite', { CONSOLE: 'on' });

/** Calls that are made with settings of their own. */
const withSettings = async (
  env: Record<string, string>,
  call: (service: TestService) => Promise<Answer>,
) => {
  const other = await startTestService('sqlite', env);
  try {
    return await call(other);
  } finally {
    await other.close();
  }
};

const inWorkspace = async (name: string) => {
  const token = await service.issueToken(ALL, name);
  return service.clientOf(token);
};

const ALL = [
  ...([
    'user-groups:read',
    'user-groups:write',
    'user-group-tokens:read',
    'embed-tokens:issue',
    'user-groups:view-as',
    'tokens:rotate',
    'tokens:introspect',
    'registry:read',
  ] as const),
  ...([
    'registry:write',
    'targets:write',
    'admin',
    'webhooks:read',
    'webhooks:write',
    'events:read',
    'audit:read',
  ] as const),
];

/** Sends bytes that no client would, and reads the problem. */
function raw(text: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const body = received.slice(received.indexOf('\r\n\r\n') + 4);
      resolve({
        status: Number(received.split(' ')[1]),
        headers: {},
        text: body,
        body: JSON.parse(body),
      });
    });
  });
}

const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  service.api.call(method, path, body, headers);

/** Calls with an API token for one user group. */
async function restricted() {
  const body = { name: 'x', scopes, user_groups: { ids: ['acme'] } };
  return service.clientOf((await send('POST', `${V1}/api-tokens`, body)).body.api_token.token);
}

async function created(path: string, body: object, api = service.api): Promise<number> {
  const answer = await api.call('POST', path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return Object.values(answer.body as unknown as Record<string, { id: number }>).find(
    ({ id }) => id,
  )!.id;
}

const token = (fields: object = {}) =>
  created(`${V1}/api-tokens`, { name: 'x', scopes: ['events:read'], ...fields });
const schema = (api = service.api) =>
  created(`${V1}/schemas`, { provided_id: 'sales', name: 'Sales' }, api);
const source = (api = service.api) =>
  created(`${V1}/data-sources`, { provided_id: 'emea', name: 'EMEA' }, api);

const plans = () => new PlanCalls(service.api);

/** Brings about each error by a call. */
const calls: Record<string, () => Promise<Answer>> = {
  request_malformed: () => raw('nonsense\r\n\r\n'),
  body_missing: () => send('PUT', AT),
  idempotency_key_invalid: () =>
    service.api.post({ current_token: 'x' }, { 'Idempotency-Key': 'a b' }),
  precondition_malformed: () => send('PATCH', AT, {}, { 'If-Match': 'x' }),
  body_not_utf8: () => service.api.put(Buffer.from([0x22, 0xff, 0x22])),
  json_malformed: () => service.api.put('{"user_group_id":x'),
  json_duplicate_key: () => service.api.put('{"name": "Acme", "name":"Acme"}'),
  credentials_ambiguous: () =>
    send('POST', `${V1}/introspect`, 'token=x&client_secret=y', {
      'Content-Type': 'application/x-www-form-urlencoded',
    }),
  credentials_missing: () => service.clientOf(undefined).put(GROUP),
  credentials_malformed: () => service.api.put(GROUP, { Authorization: 'Bearer x' }),
  api_token_invalid: () => service.api.put(GROUP, { Authorization: `Token uga_${'x'.repeat(38)}` }),
  viewer_unknown: () => askAsGateway(service, {}),
  viewer_refused: async () => {
    const body = { audience: 'other' };
    const { body: issued } = await send('POST', `${AT}/embed-tokens`, body);
    return askAsGateway(service, { token: issued.embed_token.token });
  },
  gateway_misconfigured: () => askAsGateway(service, { settings: { audience: undefined } }),
  gateway_limited: () =>
    withSettings({ INTROSPECTION_RATE_LIMIT_PER_MINUTE: '1' }, async (limited) => {
      const answers = await Promise.all([1, 2, 3].map(() => askAsGateway(limited, {})));
      return answers.find(({ status }) => status === 503)!;
    }),
  session_missing: () =>
    service.clientOf(undefined).call('GET', '/console/session', undefined, OWN_PAGE),
  insufficient_scope: async () =>
    service.clientOf(await service.issueToken(['user-groups:read'])).put(GROUP),
  address_not_allowed: async () => {
    const body = { name: 'x', scopes: ['events:read'], allowed_cidrs: ['192.0.2.0/24'] };
    const { body: issued } = await send('POST', `${V1}/api-tokens`, body);
    return service.clientOf(issued.api_token.token).call('GET', `${V1}/events`);
  },
  token_restricted: async () => (await restricted()).call('GET', `${V1}/events`),
  outside_token_scope: async () => (await restricted()).put({ user_group_id: 'x', name: 'x' }),
  grant_exceeds_caller: async () => {
    const narrow = service.clientOf(await service.issueToken(['admin']));
    return narrow.call('POST', `${V1}/api-tokens`, { name: 'x', scopes: ['user-groups:write'] });
  },
  api_token_superseded: async () => {
    const body = { name: 'x', scopes: ['admin'] };
    const { body: issued } = await send('POST', `${V1}/api-tokens`, body);
    await send('POST', `${V1}/api-tokens/${issued.api_token.id}/rotate`, {
      grace_period_seconds: 600,
    });
    return service.clientOf(issued.api_token.token).call('POST', `${V1}/api-tokens`, body);
  },
  route_not_found: () => send('GET', '/nowhere'),
  public_url_unset: () => send('GET', '/.well-known/oauth-authorization-server'),
  user_group_not_found: () => send('DELETE', `${V1}/user-groups/none`),
  user_group_version_not_found: async () =>
    send('GET', `${(await service.api.create()).path}/versions/2`),
  history_begins_later: () => send('GET', `${V1}/user-groups/none?at=2000-01-01T00:00:00Z`),
  token_not_found: () => service.api.post({ current_token: 'none' }),
  api_token_not_found: () => send('GET', `${V1}/api-tokens/1234567`),
  schema_not_found: () => send('GET', `${V1}/schemas/1234567`),
  data_source_not_found: () => send('GET', `${V1}/data-sources/1234567`),
  webhook_endpoint_not_found: () => send('GET', `${V1}/webhook-endpoints/1234567`),
  method_not_allowed: () => send('DELETE', '/api/user'),
  api_token_ended: async () => {
    const id = await token();
    await send('POST', `${V1}/api-tokens/${id}/revoke`);
    return send('PATCH', `${V1}/api-tokens/${id}`, { name: 'y' });
  },
  last_admin_token: async () => {
    const other = await inWorkspace('last admin');
    const { body } = await other.call('GET', `${V1}/api-tokens`);
    return other.call('POST', `${V1}/api-tokens/${body.api_tokens[0]!.id}/revoke`);
  },
  user_group_renamed: async () => {
    const other = await inWorkspace('renamed');
    await other.put(GROUP);
    await other.call('POST', `${AT}/rename`, { provided_id: 'acme-emea-2030' });
    return other.call('GET', AT);
  },
  user_group_id_taken: async () => {
    const other = await inWorkspace('taken');
    await other.put(GROUP);
    await other.put({ ...GROUP, user_group_id: 'acme-emea-2030' });
    return other.call('POST', `${AT}/rename`, { provided_id: 'acme-emea-2030' });
  },
  user_group_inactive: async () => {
    await send('POST', `${AT}/suspend`);
    const refused = await send('POST', `${AT}/embed-tokens`, { audience: 'a' });
    await send('POST', `${AT}/resume`);
    return refused;
  },
  user_group_tokens_ended: async () => {
    const other = await inWorkspace('ended');
    await other.put(GROUP);
    await untilAfter();
    await other.call('POST', `${V1}/workspace/end-tokens`, {
      kinds: ['user_group_token'],
      reason: 'r',
    });
    return other.call('POST', `${AT}/embed-tokens`, { audience: 'a' });
  },
  view_as_forbidden: async () => {
    const other = await inWorkspace('forbids view as');
    await other.put(GROUP);
    await other.call('PATCH', `${V1}/workspace`, { view_as: 'forbidden' });
    return other.call('POST', `${AT}/embed-tokens`, {
      audience: 'a',
      acting_for: { subject: 's', reason: 'r' },
    });
  },
  token_is_current: () => send('POST', `${AT}/tokens/1/revoke`),
  idempotency_key_spent: async () => {
    const { token: first } = await service.api.create();
    const second = await service.api.post({ current_token: first }, { 'Idempotency-Key': 'spent' });
    await service.api.rotate(second.body.user_group.token);
    return service.api.post({ current_token: first }, { 'Idempotency-Key': 'spent' });
  },
  provided_id_taken: async () => {
    const other = await inWorkspace('taken');
    await schema(other);
    return other.call('POST', `${V1}/schemas`, { provided_id: 'sales', name: 'Again' });
  },
  still_referenced: async () => {
    const other = await inWorkspace('referenced');
    await schema(other);
    const id = await source(other);
    await other.call('PATCH', `${V1}/workspace`, { mapping_policy: 'registered' });
    await other.put({ ...GROUP, mapping: { sales: 'emea' } });
    return other.call('DELETE', `${V1}/data-sources/${id}`);
  },
  mappings_unresolvable: async () => {
    const other = await inWorkspace('unresolvable');
    await source(other);
    await other.put({ ...GROUP, mapping: { sales: 'emea' } });
    return other.call('PATCH', `${V1}/workspace`, { mapping_policy: 'registered' });
  },
  too_many_schemas: async () => {
    const other = await inWorkspace('schemas');
    const register = (n: number) =>
      other.call('POST', `${V1}/schemas`, { provided_id: `s${n}`, name: 'S' });
    for (let n = 0; n < 200; n++) await register(n);
    return register(200);
  },
  too_many_webhook_endpoints: async () => {
    const other = await inWorkspace('endpoints');
    const create = () =>
      other.call('POST', `${V1}/webhook-endpoints`, { url: 'https://example.com/hooks' });
    for (let n = 0; n < 50; n++) await create();
    return create();
  },
  plan_not_found: () => plans().apply(1),
  plan_stale: async () => {
    const { id } = await plans().plan('set=stale', { provided_id: 'stale', name: 'S' });
    await service.api.put({ user_group_id: 'stale', name: 'S' });
    return plans().apply(id);
  },
  plan_applied: async () => {
    const { id } = await plans().plan('set=applied');
    await plans().apply(id);
    return plans().apply(id);
  },
  plan_in_conflict: async () => {
    await service.api.put({ user_group_id: 'by hand', name: 'H' });
    const { id } = await plans().plan('set=conflict', { provided_id: 'by hand', name: 'H' });
    return plans().apply(id);
  },
  plan_in_use: async () => {
    const { id } = await plans().plan('set=used');
    const held = jest
      .spyOn(service.app.get(PlanRepository), 'lockSet')
      .mockResolvedValue(undefined);
    const answer = await plans().apply(id);
    held.mockRestore();
    return answer;
  },
  prune_refused: async () => {
    const groups = Array.from({ length: 100 }, (_, n) => ({ provided_id: `p${n}`, name: 'P' }));
    await plans().carryOut('set=pruned', ...groups);
    return plans().send('set=pruned&prune=true', ...groups.slice(30));
  },
  plan_too_large: () => {
    const groups = Array.from({ length: 2001 }, (_, n) => ({ provided_id: `l${n}`, name: 'L' }));
    return plans().send('set=large', ...groups);
  },
  bulk_job_not_found: () => send('GET', `${V1}/bulk-jobs/1`),
  bulk_job_ended: async () => {
    const jobs = new TestJobs(service.api);
    const { id } = await jobs.begin({ action: 'suspend', ids: ['nobody'] });
    await jobs.ended(id);
    return jobs.cancel(id);
  },
  bulk_job_not_undoable: async () => {
    const jobs = new TestJobs(service.api);
    return jobs.undo((await jobs.begin({ action: 'rotate', ids: ['nobody'] })).id);
  },
  too_many_bulk_jobs: async () => {
    const other = new TestJobs(await inWorkspace('jobs'));
    const working = jest.spyOn(service.app.get(BulkJobLeases), 'take').mockResolvedValue(undefined);
    const create = () => other.create({ action: 'suspend', ids: ['nobody'] });
    for (let n = 0; n < 20; n++) await create();
    const answer = await create();
    working.mockRestore();
    return answer;
  },
  too_many_bulk_job_lines: async () => {
    const other = new TestJobs(await inWorkspace('lines'));
    const working = jest.spyOn(service.app.get(BulkJobLeases), 'take').mockResolvedValue(undefined);
    const { id } = await other.beginImport([GROUP]);
    await changeDatabase(
      service.database,
      `UPDATE bulk_job SET line_bytes = ${128 * 1024 * 1024} WHERE id = ${id}`,
    );
    const answer = await other.import([GROUP]);
    working.mockRestore();
    return answer;
  },
  usage_batch_reused: async () => {
    const send = (count: number) => {
      const views = [{ sub: 'nobody', count, at: new Date().toISOString() }];
      return service.api.call('POST', `${V1}/usage/batches`, { batch_id: 'reused', views });
    };
    await send(1);
    return send(2);
  },
  quota_reached: async () => {
    const other = await inWorkspace('quota');
    const { path } = await other.create();
    const limits = { embed_tokens_per_day: 0, refuse_embed_tokens: true };
    await other.call('PUT', `${path}/limits`, limits);
    return other.call('POST', `${path}/embed-tokens`, { audience: 'a' });
  },
  target_not_found: () => send('GET', `${V1}/targets/none`),
  target_value_missing: () => issueWith({ region: { $: 'variables.region' } }, {}),
  target_value_refused: () => issueWith(undefined, { team: 'x' }),
  too_many_targets: async () => {
    const other = await inWorkspace('targets');
    const put = (n: number) => other.call('PUT', `${V1}/targets/t${n}`, cubeTarget(TENANT));
    for (let n = 0; n < 50; n++) await put(n);
    return put(50);
  },
  token_not_usable: async () => {
    const { token: used } = await service.api.create();
    const line = JSON.stringify({ user_group_id: 'imported', name: 'I', token: used });
    const { text } = await send('POST', `${V1}/user-groups/import`, `${line}\n`, NDJSON);
    // A line of an import has the parts of a problem that do not come from the request.
    const { status, code, detail } = JSON.parse(text.split('\n')[0]!) as Answer['body'];
    return {
      body: { ...exampleProblem(UserGroupTokenNotUsable.spec), status, code, detail },
    } as Answer;
  },
  webhook_event_not_found: async () => {
    const id = await created(`${V1}/webhook-endpoints`, { url: 'https://example.com/hooks' });
    return send('POST', `${V1}/webhook-endpoints/${id}/replay`, { event_id: 'evt_1' });
  },
  webhook_test_refused: async () => {
    const id = await created(`${V1}/webhook-endpoints`, { url: 'https://example.com/hooks' });
    return send('POST', `${V1}/webhook-endpoints/${id}/test`);
  },
  precondition_failed: () => send('PATCH', AT, { name: 'X' }, { 'If-Match': '"0"' }),
  body_too_large: () => service.api.put('x'.repeat(262_145)),
  media_type_unsupported: () => service.api.put('{}', { 'Content-Type': 'text/plain' }),
  expectation_failed: () =>
    raw('GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n'),
  validation_failed: () => service.api.put({ ...GROUP, name: '' }),
  idempotency_key_reused: async () => {
    const { token: first } = await service.api.create();
    const { token: second } = await service.api.create();
    await service.api.post({ current_token: first }, { 'Idempotency-Key': 'reused' });
    return service.api.post({ current_token: second }, { 'Idempotency-Key': 'reused' });
  },
  rate_limited: () =>
    withSettings({ RATE_LIMIT_PER_MINUTE: '1' }, async ({ api }) => {
      await api.put(GROUP);
      return api.put(GROUP);
    }),
  headers_too_large: () => raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
};

const TENANT = { tenant: { $: 'sub' } };

function cubeTarget(claims: object): object {
  const keys = [{ id: 'a', secret: 'a secret of at least 32 bytes of text' }];
  return { kind: 'cube', signing: { alg: 'HS256', keys }, claims };
}

/** Issues a token of a target: of Cube with these claims, or else of Superset with a row filter. */
async function issueWith(claims: object | undefined, properties: object): Promise<Answer> {
  const { id } = await service.api.create({ properties });
  const filter = {
    dataset: 7,
    column: 'team',
    op: '=',
    type: 'integer',
    value: { $: 'variables.team' },
  };
  const superset = {
    ...cubeTarget({ user: { username: { $: 'sub' } }, resources: { $: 'resources' } }),
    kind: 'superset',
    audience: 'superset',
    row_filters: [filter],
  };
  await send('PUT', `${V1}/targets/bi`, claims ? cubeTarget(claims) : superset);
  const path = `${V1}/user-groups/${encodeURIComponent(id)}/embed-tokens`;
  const resources = claims ? {} : { resources: [{ type: 'dashboard', id: '7' }] };
  return send('POST', path, { target: 'bi', ...resources });
}

/** Need a broken database, key or network, a plugin, a person, or a clock; test/docs/errors.test.ts compares their words. */
const ELSEWHERE = [
  'refused',
  'body_incomplete',
  'bulk_job_lines_unreadable',
  'session_ended',
  'sign_in_failed',
  'sign_in_not_granted',
  'console_not_secure',
  'cross_site_request',
  'session_not_found',
  'request_timeout',
  'api_token_of_person',
  'user_group_quota_reached',
  'change_refused',
  'webhook_replay_running',
  'token_forgotten',
  'webhook_secret_unreadable',
  'target_secret_unreadable',
  'events_gone',
  'too_many_at_once',
  'internal_error',
  'database_unavailable',
  'extension_unavailable',
  'starting',
  'identity_provider_unavailable',
  'token_unreadable',
  'audit_unavailable',
  'migrations_pending',
  'shutting_down',
];

test('every error has a call that brings it about, or needs more than a call', () => {
  const codes = errorCatalogue.map(({ code }) => code);
  expect([...Object.keys(calls), ...ELSEWHERE].sort()).toEqual(codes.sort());
});

test.each(Object.keys(calls))('the example of %s is what the service sends', async (code) => {
  await service.api.put(GROUP);
  const { body } = await calls[code]!();
  const example = exampleProblem(errorCatalogue.find((spec) => spec.code === code)!);
  expect(body).toEqual({ ...example, request_id: expect.any(String) });
});
