import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { errorCatalogue } from '../../src/common/errors';
import { describeOpenApi } from '../../src/docs/openapi';
import type { Answer } from '../support/api-client';
import { startTestService, type TestService } from '../support/test-service';

interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  requestBody: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<
    string,
    {
      description: string;
      content: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
    }
  >;
}

let service: TestService;
let document: OpenApi;

beforeAll(async () => {
  service = await startTestService('sqlite');
  document = (await service.clientOf(undefined).send({ method: 'GET', path: '/docs-json' }))
    .body as unknown as OpenApi;
});

afterAll(() => service.close());

test('is OpenAPI 3.1 and passes the default rules of Spectral', async () => {
  expect(document.openapi).toBe('3.1.0');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas as RulesetDefinition] });
  const problems = await spectral.run(new Document(JSON.stringify(document), Json));
  expect(
    problems.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`),
  ).toEqual([]);
});

test('is what the command line prints without a database', async () => {
  expect(JSON.parse(JSON.stringify(await describeOpenApi()))).toEqual(document);
});

test('describes every route of the application, and no other', () => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual(['GET /api/user', 'POST /api/user', 'PUT /api/user']);
});

test('every operation says its scope, its body, its answers and how to authenticate', () => {
  for (const operation of operations()) {
    expect(operation).toMatchObject({
      operationId: expect.stringMatching(/^[a-z]\w+$/),
      summary: expect.stringMatching(/./),
      description: expect.stringMatching(/./),
      security: [{ ApiToken: [] }],
      'x-required-scope': expect.stringMatching(/:/),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: expect.any(String) } } },
      },
    });
  }
  expect(document.components.securitySchemes).toEqual({
    ApiToken: expect.objectContaining({ type: 'apiKey', in: 'header', name: 'Authorization' }),
  });
});

test('every field is described, and has an example that its schema accepts', () => {
  const ajv = createAjv();
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

test('every error of the catalogue that an operation can give is documented with an example', () => {
  const documented = new Set(
    operations().flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.keys(content['application/problem+json']?.examples ?? {}),
      ),
    ),
  );
  const codes = errorCatalogue
    .map(({ spec }) => spec.code)
    .filter((code) => code !== 'route_not_found');
  expect([...documented].sort()).toEqual(codes.sort());
  const ajv = createAjv();
  for (const { responses } of operations()) {
    for (const { content } of Object.values(responses)) {
      const problem = content['application/problem+json'];
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

test('the schema of post describes the real answer to a rotation', async () => {
  const { body } = await service.api.get(group);
  const answer = await service.api.post({ current_token: body.user_group.token });
  expect(answer.status).toBe(200);
  expectDescribed('post', answer);
});

test('the schema of a body refuses what the service refuses', () => {
  const ajv = createAjv();
  const { schema } = document.paths['/api/user']!['put']!.requestBody.content['application/json']!;
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

function operations(): Operation[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

function expectDescribed(method: string, { status, headers, body }: Answer): void {
  const response = document.paths['/api/user']![method]!.responses[status];
  expect(response).toBeDefined();
  const mediaType = String(headers['content-type']).split(';')[0]!;
  const { schema } = response!.content[mediaType]!;
  const ajv = createAjv();
  expect([ajv.validate(absolute(schema), body), ajv.errorsText()]).toEqual([true, 'No errors']);
}

/** Every object must have the described fields and no others, unless its schema invites more. */
function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  const components = JSON.parse(JSON.stringify(document.components), (_key, value: unknown) =>
    close(value),
  ) as object;
  ajv.addSchema({ $id: 'https://document.test/', components });
  return ajv;
}

function close(value: unknown): unknown {
  const isObjectSchema =
    typeof value === 'object' &&
    value !== null &&
    'properties' in value &&
    'type' in value &&
    value.type === 'object';
  return isObjectSchema && !('additionalProperties' in value)
    ? { ...value, additionalProperties: false }
    : value;
}

function absolute(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/', '"https://document.test/#/'),
  ) as object;
}
