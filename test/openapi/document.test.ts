import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { errorCatalogue } from '../../src/common/errors.ts';
import { describeOpenApi } from '../../src/docs/openapi.ts';
import type { Answer } from '../support/api-client.ts';
import { absolute, createAjv } from '../support/openapi-schemas.ts';
import { withService } from '../support/test-service.ts';

interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  /** Absent where no token is asked for. */
  security?: Record<string, string[]>[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<
    string,
    {
      description: string;
      headers?: Record<string, object>;
      /** Not there where the answer has no body. */
      content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
    }
  >;
}

const service = withService('sqlite', {
  RATE_LIMIT_PER_MINUTE: '1000',
  PUBLIC_URL: 'https://user-groups.example',
});
let document: OpenApi;
let ajv: ReturnType<typeof createAjv>;

beforeAll(async () => {
  document = (await service.clientOf(undefined).send({ method: 'GET', path: '/docs-json' }))
    .body as unknown as OpenApi;
  ajv = createAjv(document);
});

test('is what the command line prints without a database', async () => {
  expect(JSON.parse(JSON.stringify(await describeOpenApi()))).toEqual(document);
});

test('is OpenAPI 3.1 and passes the default rules of Spectral', async () => {
  expect(document.openapi).toBe('3.1.0');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas as RulesetDefinition] });
  const problems = await spectral.run(new Document(withRepetitionsOnce(document), Json));
  expect(
    problems.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`),
  ).toEqual([]);
});

test('describes every route of the application, and no other', () => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual([
    'DELETE /api/v1/data-sources/{id}',
    'DELETE /api/v1/schemas/{id}',
    'DELETE /api/v1/user-groups/{id}',
    'DELETE /api/v1/webhook-endpoints/{id}',
    'GET /.well-known/jwks.json',
    'GET /.well-known/oauth-authorization-server',
    'GET /api/user',
    'GET /api/v1/api-tokens',
    'GET /api/v1/api-tokens/{id}',
    'GET /api/v1/audit-events',
    'GET /api/v1/data-sources',
    'GET /api/v1/data-sources/{id}',
    'GET /api/v1/data-sources/{id}/references',
    'GET /api/v1/events',
    'GET /api/v1/events/stream',
    'GET /api/v1/overview',
    'GET /api/v1/overview/activity',
    'GET /api/v1/schemas',
    'GET /api/v1/schemas/{id}',
    'GET /api/v1/schemas/{id}/references',
    'GET /api/v1/system',
    'GET /api/v1/user-groups',
    'GET /api/v1/user-groups/{id}',
    'GET /api/v1/user-groups/{id}/tokens',
    'GET /api/v1/user-groups/{id}/tokens/current',
    'GET /api/v1/webhook-endpoints',
    'GET /api/v1/webhook-endpoints/{id}',
    'GET /api/v1/webhook-endpoints/{id}/attempts',
    'GET /api/v1/workspace',
    'GET /api/v1/workspace/incomplete-user-groups',
    'GET /api/v1/workspace/unresolvable-mappings',
    'GET /health/live',
    'GET /health/ready',
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
    'POST /api/v1/data-sources',
    'POST /api/v1/introspect',
    'POST /api/v1/schemas',
    'POST /api/v1/user-groups/export',
    'POST /api/v1/user-groups/import',
    'POST /api/v1/user-groups/{id}/embed-tokens',
    'POST /api/v1/user-groups/{id}/resume',
    'POST /api/v1/user-groups/{id}/suspend',
    'POST /api/v1/user-groups/{id}/tokens/rotate',
    'POST /api/v1/user-groups/{id}/tokens/{generation}/revoke',
    'POST /api/v1/webhook-endpoints',
    'POST /api/v1/webhook-endpoints/{id}/replay',
    'POST /api/v1/webhook-endpoints/{id}/roll-secret',
    'POST /api/v1/workspace/incomplete-user-groups/preview',
    'PUT /api/user',
    'PUT /api/v1/user-groups/{id}',
  ]);
});

test('every operation says its scope, its body, its answers and how to authenticate', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    if (PUBLIC_PATHS.includes(path)) continue;
    for (const [method, operation] of Object.entries(methods)) {
      const isContract = path === '/api/user';
      expect(operation).toMatchObject({
        operationId: expect.stringMatching(/^[a-z]\w+$/),
        summary: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        security: schemesOf(path).map((scheme) => ({ [scheme]: [] })),
        'x-required-scope': expect.stringMatching(/^[a-z-]+(:[a-z]+)?$/),
      });
      const needsNone =
        !isContract &&
        (['get', 'delete'].includes(method) || /\/(revoke|suspend|resume)$/.test(path));
      const mediaType = path.endsWith('/import') ? 'application/x-ndjson' : 'application/json';
      expect(operation.requestBody).toEqual(
        needsNone
          ? undefined
          : expect.objectContaining({
              required: true,
              content: expect.objectContaining({
                [mediaType]: { schema: { $ref: expect.any(String) } },
              }),
            }),
      );
    }
  }
  expect(document.components.securitySchemes).toEqual({
    ApiToken: expect.objectContaining({ type: 'apiKey', in: 'header', name: 'Authorization' }),
    BearerToken: expect.objectContaining({ type: 'http', scheme: 'bearer' }),
    ClientSecret: expect.objectContaining({ type: 'http', scheme: 'basic' }),
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

/** Of paths that are not there, of the console, whose calls are its page’s own, and of what extensions throw. */
const ELSEWHERE = [
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
    operations().flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.['application/problem+json']?.examples ?? {}),
      ),
    ),
  );
  const codes = errorCatalogue.map(({ code }) => code).filter((code) => !ELSEWHERE.includes(code));
  expect([...documented].sort()).toEqual(codes.sort());
  for (const { responses } of operations()) {
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
    for (const name of ['security', 'x-required-scope']) expect(get).not.toHaveProperty(name);
    for (const status of ['401', '403', '429']) expect(get!.responses).not.toHaveProperty(status);
    for (const { headers = {} } of Object.values(get!.responses)) {
      expect(headers).not.toHaveProperty('RateLimit');
    }
    expectDescribed('get', await service.clientOf(undefined).call('GET', path), path);
  }
});

test('a 429 says when to go on and what the limit is', () => {
  for (const { responses } of operations().filter(({ security }) => security)) {
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

/** What anybody may ask. */
const PUBLIC_PATHS = [
  '/.well-known/jwks.json',
  '/.well-known/oauth-authorization-server',
  '/health/live',
  '/health/ready',
];

interface WithExamples {
  schema: object;
  examples: Record<string, object>;
}

/**
 * The document as JSON, with each refusal and each example of an answer once. Most stand at every
 * operation in the same words, and to judge them there again takes most of the time.
 */
function withRepetitionsOnce(document: object): string {
  const seen = new Set<string>();
  const isNew = (text: string) => seen.size < seen.add(text).size;
  return JSON.stringify(document, (key, value: unknown) => {
    if (key === 'responses') {
      const responses = Object.entries(value as object);
      return Object.fromEntries(
        responses.filter((one) => one[0] < '400' || isNew(JSON.stringify(one))),
      );
    }
    if (!hasExamples(value)) return value;
    const examples = Object.entries(value.examples).filter((example) =>
      isNew(JSON.stringify([value.schema, example])),
    );
    return { ...value, examples: Object.fromEntries(examples) };
  });
}

function hasExamples(value: unknown): value is WithExamples {
  return typeof value === 'object' && value !== null && 'schema' in value && 'examples' in value;
}

/** How an API token can be sent there, by the names of the security schemes. */
function schemesOf(path: string): string[] {
  if (path === '/api/user') return ['ApiToken'];
  if (path === '/api/v1/introspect') return ['ClientSecret', 'ApiToken', 'BearerToken'];
  return ['ApiToken', 'BearerToken'];
}

/** Those that differ from answer to answer. */
const OWN_HEADERS = ['ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate', 'allow'];

function operations(): Operation[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

function expectDescribed(
  method: string,
  { status, headers, body }: Answer,
  path = '/api/user',
): void {
  const response = document.paths[path]![method]!.responses[status];
  expect(response).toBeDefined();
  const mediaType = String(headers['content-type']).split(';')[0]!;
  const { schema } = response!.content![mediaType]!;
  expect([ajv.validate(absolute(schema), body), ajv.errorsText()]).toEqual([true, 'No errors']);
  const described = Object.keys(response!.headers ?? {}).map((name) => name.toLowerCase());
  const carried = Object.keys(headers).filter((name) => OWN_HEADERS.includes(name));
  expect(described).toEqual(expect.arrayContaining(carried));
}
