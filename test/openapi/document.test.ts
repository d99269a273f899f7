import { errorCatalogue } from '../../src/platform/common/problem/problem.ts';
import { ownScopes } from '../../src/server/app/catalogues.ts';
import { Config } from '../../src/platform/config/config.ts';
import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';
import { NO_WORKSPACE } from '../support/api/workspace-keys.ts';
import type { Answer } from '../support/api/api-client.ts';
import { absolute, createAjv, withSharedInPlace } from '../support/api/openapi-schemas.ts';
import { withService } from '../support/test-service.ts';

interface OpenApi {
  info: { description: string };
  servers: { url: string }[];
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
  security: object[];
  components: Record<'schemas' | 'securitySchemes' | 'responses', Record<string, unknown>>;
}

interface Operation {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  /** Empty where no token is asked for. The published document leaves it out where it has the security of the document. */
  security: Record<string, string[]>[];
  'x-required-scopes'?: string[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<
    string,
    {
      description: string;
      headers?: Record<string, object>;
      /** Absent if the response has no body. */
      content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
    }
  >;
}

const PUBLIC_URL = 'https://user-groups.example/groups';
const service = withService('sqlite', { RATE_LIMIT_PER_MINUTE: '1000', PUBLIC_URL });
let published: OpenApi;
/** Has in place what operations and schemas share. */
let document: OpenApi;
let ajv: ReturnType<typeof createAjv>;

beforeAll(async () => {
  published = (await service.clientOf(undefined).send({ method: 'GET', path: '/docs-json' }))
    .body as unknown as OpenApi;
  document = withSharedInPlace(published);
  ajv = createAjv(document);
});

test('is what the command line prints without a database', async () => {
  const config = Object.assign(new Config(), { publicUrl: PUBLIC_URL });
  expect(JSON.parse(JSON.stringify(await describeOpenApi(config)))).toEqual(published);
});

/** Grows with the operations, but not with repetition. */
const MAX_BYTES_PER_OPERATION = 3800;

test('describes each error once, within its size', () => {
  const operations = operationsOf(published);
  const references = operations.flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([status]) => status === 'default' || Number(status) >= 400)
      .map(([, response]) => (response as { $ref?: string }).$ref),
  );
  expect(references.length).toBeGreaterThan(500);
  const shared = Object.keys(published.components.responses);
  expect(new Set(references)).toEqual(
    new Set(shared.map((name) => `#/components/responses/${name}`)),
  );
  const texts = Object.values(published.components.responses).map((one) => JSON.stringify(one));
  expect(new Set(texts).size).toBe(texts.length);
  const limit = MAX_BYTES_PER_OPERATION * operations.length;
  expect(Buffer.byteLength(JSON.stringify(published))).toBeLessThanOrEqual(limit);
});

test('has its paths in the order of its tags, the contract first', () => {
  expect(Object.keys(published.paths)[0]).toBe('/api/user');
  const tags = operationsOf(published).map(({ tags: [tag] }) => tag);
  expect([...new Set(tags)]).toEqual(published.tags.map(({ name }) => name));
  const order = tags.map((tag) => published.tags.findIndex(({ name }) => name === tag));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test('describes every route of the application, and no other', () => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual([
    'DELETE /api/v1/data-sources/{id}',
    'DELETE /api/v1/schemas/{id}',
    'DELETE /api/v1/targets/{name}',
    'DELETE /api/v1/user-groups/{id}',
    'DELETE /api/v1/webhook-endpoints/{id}',
    'GET /.well-known/oauth-authorization-server',
    'GET /api/user',
    'GET /api/v1/api-tokens',
    'GET /api/v1/api-tokens/{id}',
    'GET /api/v1/audit-events',
    'GET /api/v1/bulk-jobs',
    'GET /api/v1/bulk-jobs/{id}',
    'GET /api/v1/bulk-jobs/{id}/results',
    'GET /api/v1/data-sources',
    'GET /api/v1/data-sources/{id}',
    'GET /api/v1/data-sources/{id}/references',
    'GET /api/v1/events',
    'GET /api/v1/events/stream',
    'GET /api/v1/forward-auth',
    'GET /api/v1/overview',
    'GET /api/v1/overview/activity',
    'GET /api/v1/schemas',
    'GET /api/v1/schemas/{id}',
    'GET /api/v1/schemas/{id}/references',
    'GET /api/v1/system',
    'GET /api/v1/targets',
    'GET /api/v1/targets/{name}',
    'GET /api/v1/targets/{name}/setup',
    'GET /api/v1/usage',
    'GET /api/v1/user-groups',
    'GET /api/v1/user-groups/{id}',
    'GET /api/v1/user-groups/{id}/limits',
    'GET /api/v1/user-groups/{id}/tokens',
    'GET /api/v1/user-groups/{id}/tokens/current',
    'GET /api/v1/user-groups/{id}/usage',
    'GET /api/v1/user-groups/{id}/versions',
    'GET /api/v1/user-groups/{id}/versions/{version}',
    'GET /api/v1/user-groups/{id}/view',
    'GET /api/v1/webhook-endpoints',
    'GET /api/v1/webhook-endpoints/{id}',
    'GET /api/v1/webhook-endpoints/{id}/attempts',
    'GET /api/v1/workspace',
    'GET /api/v1/workspace/identity',
    'GET /api/v1/workspace/unresolvable-mappings',
    'GET /health/live',
    'GET /health/ready',
    'GET /workspaces/{workspace_id}/.well-known/jwks.json',
    'GET /workspaces/{workspace_id}/.well-known/openid-configuration',
    'PATCH /api/v1/api-tokens/{id}',
    'PATCH /api/v1/data-sources/{id}',
    'PATCH /api/v1/schemas/{id}',
    'PATCH /api/v1/user-groups/{id}',
    'PATCH /api/v1/webhook-endpoints/{id}',
    'PATCH /api/v1/workspace',
    'POST /api/user',
    'POST /api/v1/api-tokens',
    'POST /api/v1/api-tokens/{id}/revoke',
    'POST /api/v1/api-tokens/{id}/rotate',
    'POST /api/v1/audit-events/export',
    'POST /api/v1/bulk-jobs',
    'POST /api/v1/bulk-jobs/import',
    'POST /api/v1/bulk-jobs/{id}/cancel',
    'POST /api/v1/bulk-jobs/{id}/undo',
    'POST /api/v1/data-sources',
    'POST /api/v1/introspect',
    'POST /api/v1/revoke',
    'POST /api/v1/schemas',
    'POST /api/v1/tokens/inspect',
    'POST /api/v1/tokens/report-leaked',
    'POST /api/v1/usage/batches',
    'POST /api/v1/user-groups/actions',
    'POST /api/v1/user-groups/apply',
    'POST /api/v1/user-groups/export',
    'POST /api/v1/user-groups/import',
    'POST /api/v1/user-groups/plan',
    'POST /api/v1/user-groups/{id}/embed-tokens',
    'POST /api/v1/user-groups/{id}/rename',
    'POST /api/v1/user-groups/{id}/resume',
    'POST /api/v1/user-groups/{id}/suspend',
    'POST /api/v1/user-groups/{id}/tokens/rotate',
    'POST /api/v1/user-groups/{id}/tokens/{generation}/revoke',
    'POST /api/v1/user-groups/{id}/versions/{version}/restore',
    'POST /api/v1/webhook-endpoints',
    'POST /api/v1/webhook-endpoints/{id}/replay',
    'POST /api/v1/webhook-endpoints/{id}/roll-secret',
    'POST /api/v1/webhook-endpoints/{id}/test',
    'POST /api/v1/workspace/end-tokens',
    'POST /api/v1/workspace/incomplete-user-groups/preview',
    'PUT /api/user',
    'PUT /api/v1/targets/{name}',
    'PUT /api/v1/user-groups/{id}',
    'PUT /api/v1/user-groups/{id}/limits',
  ]);
});

test('every operation says its scope, its body, its answers and how to authenticate', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    if (PUBLIC_PATHS.includes(path)) continue;
    for (const [method, operation] of Object.entries(methods)) {
      const isContract = path === '/api/user';
      const needed = operation['x-required-scopes'];
      const label = needed?.length === 2 ? 'Required scopes' : 'Required scope';
      const isForAnyScope = path === '/api/v1/workspace/identity';
      expect(operation).toMatchObject({
        operationId: expect.stringMatching(/^[a-z]\w+$/),
        summary: expect.stringMatching(/./),
        description: expect.stringContaining(
          isForAnyScope ? 'whatever its scopes' : `\n\n${label}: \`${needed?.join('` and `')}\`.`,
        ),
        security: schemesOf(path).map((scheme) => ({ [scheme]: [] })),
      });
      const form = expect.stringMatching(/^[a-z-]+(:[a-z]+)?$/) as string;
      expect(needed).toEqual(isForAnyScope ? undefined : needed!.map(() => form));
      expect(isForAnyScope || needed!.length > 0).toBe(true);
      const needsNone =
        !isContract &&
        (['get', 'delete'].includes(method) ||
          /(\}\/(revoke|suspend|resume|restore|test|cancel|undo)|\/apply)$/.test(path));
      const mediaType = /\/(import|plan)$/.test(path) ? 'application/x-ndjson' : 'application/json';
      expect(operation.requestBody).toEqual(
        needsNone
          ? undefined
          : expect.objectContaining({
              // A body whose fields are all optional may be omitted, except by a PATCH.
              required:
                method === 'patch' || !/\/(export|preview|rotate|roll-secret|replay)$/.test(path),
              content: expect.objectContaining({
                [mediaType]: expect.objectContaining({ schema: { $ref: expect.any(String) } }),
              }),
            }),
      );
    }
  }
  expect(document.components.securitySchemes).toEqual({
    ApiToken: expect.objectContaining({ type: 'apiKey', in: 'header', name: 'Authorization' }),
    BearerToken: expect.objectContaining({ type: 'http', scheme: 'bearer' }),
    ClientSecret: expect.objectContaining({ type: 'http', scheme: 'basic' }),
    GatewayToken: expect.objectContaining({ in: 'header', name: 'X-Gateway-Authorization' }),
  });
});

test('every field is described, and has an example that its schema accepts', () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const { properties } = schema as {
      properties: Record<string, { description?: string; example?: unknown }>;
    };
    for (const [field, property] of Object.entries(properties)) {
      const place = `${name}.${field}`;
      const isReference = JSON.stringify(property).includes('$ref');
      expect([place, property.description]).toEqual([place, expect.stringMatching(/./)]);
      if (isReference) continue;
      const example =
        'example' in property ? property.example : (property as { enum?: unknown[] }).enum?.[0];
      const valid = ajv.validate({ ...property, example: undefined }, example);
      expect([place, valid, ajv.errorsText()]).toEqual([place, true, 'No errors']);
    }
  }
});

test('the last letters of a token are there, whatever becomes of it', () => {
  const shown = Object.entries(document.components.schemas).flatMap(([name, schema]) => {
    const { properties } = schema as { properties: Record<string, { type?: unknown }> };
    return properties['last_four'] ? [[name, properties['last_four'].type]] : [];
  });
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.filter(([, type]) => type !== 'string')).toEqual([]);
});

/** The codes of unknown paths, of the console, whose calls are its page’s own, of jobs that fail, and of errors that extensions throw. */
const ELSEWHERE = [
  'bulk_job_lines_unreadable',
  'console_not_secure',
  'cross_site_request',
  'identity_provider_unavailable',
  'refused',
  'route_not_found',
  'session_ended',
  'session_missing',
  'session_not_found',
  'sign_in_failed',
  'sign_in_not_granted',
];

test('every error of the catalogue that an operation can give is documented with an example', () => {
  const documented = new Set(
    operationsOf(document).flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.['application/problem+json']?.examples ?? {}),
      ),
    ),
  );
  const codes = errorCatalogue.map(({ code }) => code).filter((code) => !ELSEWHERE.includes(code));
  expect([...documented].sort()).toEqual(codes.sort());
  for (const { responses } of operationsOf(document)) {
    for (const { content } of Object.values(responses)) {
      const problem = content?.['application/problem+json'];
      for (const { value } of Object.values(problem?.examples ?? {})) {
        expect([ajv.validate(absolute(problem!.schema), value), ajv.errorsText()]).toEqual([
          true,
          'No errors',
        ]);
      }
    }
  }
});

test('every operation that reads the database says that it can be away', () => {
  for (const { operationId, responses } of operationsOf(document).filter(asksForToken)) {
    const codes = Object.keys(responses['503']!.content!['application/problem+json']!.examples!);
    expect([operationId, codes]).toEqual([
      operationId,
      expect.arrayContaining(['database_unavailable']),
    ]);
  }
});

test('its servers are PUBLIC_URL and the server that it comes from, below any path', async () => {
  const urls = ({ servers }: OpenApi) => servers.map(({ url }) => url);
  expect(urls(published)).toEqual([PUBLIC_URL, '.']);
  expect(urls((await describeOpenApi()) as unknown as OpenApi)).toEqual(['.']);
});

test('the scheme of the API token names every scope, and is the first, with which the docs page begins', () => {
  const { securitySchemes } = published.components;
  expect(Object.keys(securitySchemes)).toEqual([
    'ApiToken',
    'BearerToken',
    'ClientSecret',
    'GatewayToken',
  ]);
  const { description } = securitySchemes['ApiToken'] as { description: string };
  for (const scope of ownScopes) expect(description).toContain(`\`${scope}\``);
});

test('a list of codes that can grow is open, wherever the service returns it', () => {
  const schemas = document.components.schemas as Record<
    string,
    { properties: Record<string, object> }
  >;
  const open = Object.entries(schemas).flatMap(([name, { properties }]) =>
    Object.entries(properties)
      .filter(([, property]) => 'x-extensible-enum' in property)
      .map(([field]) => `${name}.${field}`),
  );
  expect(open.sort()).toEqual([
    'ApiToken.state',
    'ApiTokenFacts.state',
    'ApiTokenWithSecret.state',
    'AuditEventActor.type',
    'BulkJob.action',
    'BulkJob.state',
    'BulkJobResult.result',
    'EmbedTokenFacts.format',
    'FieldError.code',
    'FieldError.in',
    'InspectedGroup.status',
    'Inspection.kind',
    'Inspection.reason',
    'IntrospectionResponse.token_type',
    'PastTokenView.refused_because',
    'PlannedChange.action',
    'Problem.code',
    'ReportedToken.kind',
    'ReportedToken.result',
    'UserGroup.status',
    'UserGroupToken.refused_because',
    'UserGroupToken.state',
    'UserGroupVersion.change',
    'UserGroupVersion.ended_by',
    'UserGroupVersionContent.change',
    'UserGroupVersionContent.ended_by',
    'UserGroupVersionContent.status',
    'UserGroupView.status',
    'Variable.origin',
    'Variable.type',
    'VersionAuthor.type',
    'WebhookAttempt.delivery',
    'WebhookEndpoint.disabled_reason',
    'WebhookEndpointWithSecret.disabled_reason',
  ]);
  for (const place of open) {
    const [name, field] = place.split('.') as [string, string];
    expect(schemas[name]!.properties[field]).not.toHaveProperty('enum');
    const { type } = schemas[name]!.properties[field] as { type: string | string[] };
    expect([type].flat()).toContain('string');
  }
  const { code } = schemas['Problem']!.properties as { code: { 'x-extensible-enum': string[] } };
  expect(code['x-extensible-enum']).toEqual(errorCatalogue.map((error) => error.code));
  const { scopes } = schemas['ApiToken']!.properties as { scopes: object };
  expect(JSON.stringify(scopes)).not.toContain('enum');
});

const group = {
  user_group_id: 'g',
  name: 'G',
  mapping: { s: 1, t: 'x' },
  properties: { a: { b: [1, null] } },
};

test.each<[string, string, unknown, Record<string, string>, number]>([
  ['get', 'GET', group, {}, 200],
  ['get', 'GET', { user_group_id: 'g' }, {}, 200],
  ['get', 'POST', group, { 'X-HTTP-Method-Override': 'GET' }, 200],
  ['put', 'PUT', { ...group, name: 'H' }, {}, 200],
  ['get', 'GET', { user_group_id: 'none' }, {}, 404],
  ['get', 'GET', undefined, {}, 400],
  ['put', 'PUT', '{', {}, 400],
  ['put', 'PUT', { user_group_id: '', name: 7, properties: [], mapping: { a: 1.5 } }, {}, 422],
  ['put', 'PUT', group, { Authorization: 'Bearer x' }, 401],
  ['put', 'PUT', group, { 'Content-Type': 'text/plain' }, 415],
  ['post', 'POST', { current_token: 'none' }, {}, 404],
  ['post', 'POST', {}, {}, 422],
  ['post', 'POST', {}, { 'X-HTTP-Method-Override': 'PUT' }, 405],
  ['put', 'PUT', 'x'.repeat(300_000), {}, 413],
])(
  'the schema of %s describes the real answer to %s %#',
  async (operation, method, body, headers, status) => {
    await service.api.get(group);
    const answer = await service.api.send({ method, body, headers });
    expect(answer.status).toBe(status);
    expectDescribed(operation, answer);
  },
);

test('an operation without a token says so, and that it is not counted', async () => {
  for (const path of PUBLIC_PATHS) {
    const { get } = document.paths[path]!;
    expect(published.paths[path]!['get']!.security).toEqual([]);
    expect(get).not.toHaveProperty('x-required-scopes');
    for (const status of ['401', '403', '429']) expect(get!.responses).not.toHaveProperty(status);
    for (const { headers = {} } of Object.values(get!.responses)) {
      expect(headers).not.toHaveProperty('RateLimit');
    }
    const called = path.replace('{workspace_id}', NO_WORKSPACE);
    expectDescribed('get', await service.clientOf(undefined).call('GET', called), path);
  }
});

test('a 429 says when to go on and what the limit is, and the document that every counted response does', () => {
  expect(document.info.description).toContain(
    'says in `RateLimit` and `RateLimit-Policy` what is left',
  );
  for (const { responses } of operationsOf(document).filter(asksForToken)) {
    expect(Object.keys(responses['429']!.headers ?? {}).sort()).toEqual([
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ]);
  }
});

test('the schema of post describes the real answer to a rotation', async () => {
  const { body } = await service.api.get(group);
  const answer = await service.api.post({ current_token: body.user_group.token });
  expect(answer.status).toBe(200);
  expectDescribed('post', answer);
});

test('the schemas of embed tokens describe the real answers', async () => {
  await service.api.get(group);
  const path = '/api/v1/user-groups/{id}/embed-tokens';
  const at = path.replace('{id}', 'g');
  const origin = 'https://app.example.com';
  const issued = await service.api.call('POST', at, { audience: 'a', origin });
  expect(issued.status).toBe(201);
  expectDescribed('post', issued, path);
  expectDescribed('post', await service.api.call('POST', at, {}), path);
  const { token } = issued.body.embed_token;
  const introspected = await service.api.call('POST', '/api/v1/introspect', { token });
  expect(introspected.body).toMatchObject({ active: true, origin });
  expectDescribed('post', introspected, '/api/v1/introspect');
});

test('the schema of a body refuses what the service refuses', () => {
  const { schema } = document.paths['/api/user']!['put']!.requestBody!.content['application/json']!;
  const accepts = (body: unknown) => ajv.validate(absolute(schema), body);
  expect(accepts(group)).toBe(true);
  expect(accepts({ user_group_id: 'x', mapping: null, properties: null })).toBe(true);
  for (const body of [
    {},
    { user_group_id: 1 },
    { user_group_id: '' },
    { ...group, mapping: [] },
    { ...group, mapping: { a: 1.5 } },
  ]) {
    expect([body, accepts(body)]).toEqual([body, false]);
  }
});

/** The paths that need no token. */
const PUBLIC_PATHS = [
  '/.well-known/oauth-authorization-server',
  '/health/live',
  '/health/ready',
  '/workspaces/{workspace_id}/.well-known/jwks.json',
  '/workspaces/{workspace_id}/.well-known/openid-configuration',
];

/** Returns the ways to send an API token there, by the names of the security schemes. */
function schemesOf(path: string): string[] {
  if (path === '/api/user') return ['ApiToken'];
  if (['/api/v1/introspect', '/api/v1/revoke'].includes(path)) {
    return ['ClientSecret', 'ApiToken', 'BearerToken'];
  }
  if (path === '/api/v1/forward-auth') return ['GatewayToken'];
  return ['ApiToken', 'BearerToken'];
}

/** The headers that differ from response to response. */
const OWN_HEADERS = ['ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate', 'allow'];

/** Described by one sentence of the document, and by the 429. */
const RATE_LIMIT_HEADERS = ['ratelimit', 'ratelimit-policy'];

/** Asks for a token, and is not counted against its limits while it succeeds. */
const UNCOUNTED = '/api/v1/introspect';

const asksForToken = ({ security }: Operation) =>
  security.some((scheme) => !('GatewayToken' in scheme));

function operationsOf({ paths }: OpenApi): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

function expectDescribed(
  method: string,
  { status, headers, body }: Answer,
  path = '/api/user',
): void {
  const operation = document.paths[path]![method]!;
  const response = operation.responses[status];
  expect(response).toBeDefined();
  const mediaType = String(headers['content-type']).split(';')[0]!;
  const { schema } = response!.content![mediaType]!;
  expect([ajv.validate(absolute(schema), body), ajv.errorsText()]).toEqual([true, 'No errors']);
  const named = Object.keys(response!.headers ?? {}).map((name) => name.toLowerCase());
  const isCounted = asksForToken(operation) && path !== UNCOUNTED;
  const described = isCounted && status !== 429 ? [...named, ...RATE_LIMIT_HEADERS] : named;
  const carried = Object.keys(headers).filter((name) => OWN_HEADERS.includes(name));
  expect(described).toEqual(expect.arrayContaining(carried));
  if (isCounted && status < 400) {
    expect(carried).toEqual(expect.arrayContaining(RATE_LIMIT_HEADERS));
  }
}
