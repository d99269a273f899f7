import { describeOpenApi, operationExamples } from '../../src/server/app/openapi/openapi.ts';
import { absolute, createAjv, withSharedInPlace } from '../support/api/openapi-schemas.ts';
import { withService } from '../support/test-service.ts';

interface Media {
  schema: object;
  examples?: { example?: { value: unknown } };
}

interface Described {
  operationId: string;
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}

type Json = Record<string, unknown>;

const service = withService('sqlite');

/** The queries that make a response that of the example. */
const QUERIES: Record<string, string> = {
  listUserGroups: '?limit=1',
  listEvents: '?types=user_group.update',
};

/** Come first: later examples change the group. */
const CONTRACT = [
  'createOrLookUpUserGroup',
  'upsertUserGroup',
  'rotateUserGroupToken',
  'introspectToken',
];

/** The parts of a response that differ from call to call. */
const OWN = /(^|_)(id|at|token|secret|kid|jti|iat|time|last_four|next_cursor)$/;

async function operations() {
  const document = withSharedInPlace(await describeOpenApi()) as unknown as {
    paths: Record<string, Record<string, Described>>;
  };
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  return { document, found };
}

/** Replaces parts of a response that differ each time by those of the example, if they are of the same type. */
function withOwnParts(actual: unknown, example: unknown, name = ''): unknown {
  if (Array.isArray(actual) && Array.isArray(example)) {
    return actual.map((item, index) => withOwnParts(item, example[index]));
  }
  if (
    typeof actual === 'object' &&
    actual !== null &&
    typeof example === 'object' &&
    example !== null
  ) {
    return Object.fromEntries(
      Object.entries(actual).map(([key, value]) => [
        key,
        withOwnParts(value, (example as Json)[key], key),
      ]),
    );
  }
  return OWN.test(name) && typeof actual === typeof example && actual !== null ? example : actual;
}

test('each example of an operation is in the document, and its schema accepts it', async () => {
  const { document, found } = await operations();
  const ajv = createAjv(document);
  const examples = await operationExamples();
  const withExample: string[] = [];
  for (const { operation } of found) {
    const { operationId: id, requestBody, responses } = operation;
    const known = examples[id];
    if (!known) continue;
    const { request, response } = known;
    const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const media = [
      ...Object.values(requestBody?.content ?? {}).map((one) => [one, request] as const),
      ...success.flatMap(([, { content }]) =>
        Object.values(content ?? {}).map((one) => [one, response] as const),
      ),
    ];
    for (const [{ schema, examples }, wanted] of media) {
      const example = examples?.example?.value;
      expect([id, example]).toEqual([id, wanted]);
      expect([id, ajv.validate(absolute(schema), example), ajv.errorsText()]).toEqual([
        id,
        true,
        'No errors',
      ]);
      withExample.push(id);
    }
  }
  expect(new Set(withExample)).toEqual(new Set(Object.keys(examples)));
  expect(withExample.length).toBeGreaterThan(25);
});

test('each example of a request gets the response of its example', async () => {
  const { found } = await operations();
  const examples = await operationExamples();
  let token = '';
  for (const id of new Set([...CONTRACT, ...Object.keys(examples)])) {
    const { request, response } = examples[id]!;
    const { method, path } = found.find(({ operation }) => operation.operationId === id)!;
    const body = request && { ...request, ...currentToken(request, token) };
    const at = path.replace('{id}', 'acme-emea').replace('{name}', 'bi') + (QUERIES[id] ?? '');
    const answer = await service.api.call(method, at, body);
    expect([id, withOwnParts(answer.body, response)]).toEqual([id, response]);
    const { user_group: group } = answer.body as { user_group?: { token?: string } };
    token = group?.token ?? token;
  }
});

function currentToken(request: object, token: string): object {
  const name = ['token', 'current_token'].find((field) => field in request);
  return name === undefined ? {} : { [name]: token };
}
