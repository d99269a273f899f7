import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { schemaPath } from '../../../platform/common/api-docs.ts';
import type { ErrorSpec } from '../../../platform/common/problem/problem.ts';
import { exampleProblem, Problem } from '../../../platform/common/problem/problem.dto.ts';
import { sharedResponses } from '../../../platform/common/operation.ts';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

/**
 * Sent with every response to a call that is counted, unless the limit is off: a sentence of the document says so, and
 * the 429 describes them.
 */
const RATE_LIMIT = ['RateLimit', 'RateLimit-Policy'];

const HEADERS_BY_STATUS: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After', ...RATE_LIMIT],
  503: ['Retry-After'],
};

const HEADERS = {
  RateLimit: {
    description:
      'The limits that count, of the API token and of its workspace: how many calls are left (r), and after how many seconds without a call all of them are (t): draft-ietf-httpapi-ratelimit-headers.',
    schema: { type: 'string' },
    example: '"api-token";r=5999;t=1, "workspace";r=29999;t=1',
  },
  'RateLimit-Policy': {
    description: 'The policies: how many calls each allows (q), and in how many seconds (w).',
    schema: { type: 'string' },
    example: '"api-token";q=6000;w=60, "workspace";q=30000;w=60',
  },
  'WWW-Authenticate': {
    description: 'The challenge: Token; at introspection also Bearer and Basic.',
    schema: { type: 'string' },
  },
  Allow: { description: 'The methods of the path.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

/** Describes the common parts of operations once: parameters, error responses, examples of errors, and header fields. */
export function describeShared(document: OpenAPIObject): void {
  const used = new Set<string>();
  const operations = Object.values(document.paths).flatMap(operationsOf);
  const parameters = shareParameters(operations);
  const headers = shareHeaders(operations);
  const examples = shareExamples(operations);
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (!response || !('$ref' in response)) continue;
      // Without the description of the decorator, which is empty and would hide the shared one.
      responses[status] = { $ref: response.$ref };
      used.add(response.$ref.split('/').at(-1)!);
    }
  }
  const names = [...used].sort();
  const specs = names.flatMap(specsOf);
  document.components ??= {};
  Object.assign(document.components, {
    parameters,
    responses: Object.fromEntries(names.map((name) => [name, describeResponse(name)])),
    examples: {
      ...examples,
      ...Object.fromEntries(specs.map((spec) => [spec.code, exampleOf(spec)])),
    },
    headers: { ...HEADERS, ...headers },
  });
}

/** Replaces parameters that several operations have by references, and returns them by their names. */
function shareParameters(operations: readonly Operation[]): Record<string, object> {
  const all = operations.flatMap(({ parameters = [] }) => parameters);
  // Without what goes without saying.
  for (const parameter of all) {
    if ('required' in parameter && !parameter.required) delete parameter.required;
  }
  const texts = all.map((parameter) => JSON.stringify(parameter));
  const repeated = new Set(texts.filter((text, index) => texts.indexOf(text) !== index));
  const shared: Record<string, object> = {};
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map((parameter) => {
      if ('$ref' in parameter || !repeated.has(JSON.stringify(parameter))) return parameter;
      // Numbers and the id that the caller gave are both called `id` in a path.
      const isNumber =
        (parameter.schema as { type?: string } | undefined)?.type === 'integer' &&
        parameter.in === 'path';
      const name = isNumber ? `${parameter.name}_number` : parameter.name;
      shared[name] ??= parameter;
      return isDeepStrictEqual(shared[name], parameter)
        ? { $ref: `#/components/parameters/${name}` }
        : parameter;
    });
  }
  return shared;
}

/** Replaces header fields that several responses have by references, and returns them by their names. */
function shareHeaders(operations: readonly Operation[]): Record<string, object> {
  const responses = operations
    .flatMap((operation) => Object.values(operation.responses))
    .flatMap((response) => (response && 'headers' in response ? [response] : []));
  const all = responses.flatMap(({ headers = {} }) => Object.entries(headers));
  const texts = all.map((entry) => JSON.stringify(entry));
  const repeated = all.filter((_entry, index) => texts.indexOf(texts[index]!) !== index);
  const shared: Record<string, object> = Object.fromEntries(repeated.toReversed());
  for (const response of responses) {
    const own = Object.entries(response.headers ?? {}).map(([name, header]) => [
      name,
      isDeepStrictEqual(shared[name], header) ? { $ref: `#/components/headers/${name}` } : header,
    ]);
    if (own.length > 0) {
      response.headers = Object.fromEntries(own) as NonNullable<typeof response.headers>;
    }
  }
  return shared;
}

/** Replaces examples of bodies that are given more than once by references, and returns them by their names. */
function shareExamples(operations: readonly Operation[]): Record<string, object> {
  const bodies = operations.flatMap(({ operationId, requestBody, responses }) => [
    ...mediaOf(requestBody).map((media) => ({ name: `${operationId}.request`, media })),
    ...Object.values(responses)
      .flatMap(mediaOf)
      .map((media) => ({ name: `${operationId}.response`, media })),
  ]);
  const given = bodies.filter(({ media }) => media.examples);
  const texts = given.map(({ media }) => JSON.stringify(media.examples));
  const shared: Record<string, object> = {};
  for (const [index, { media }] of given.entries()) {
    const first = texts.indexOf(texts[index]!);
    if (first === index && !texts.includes(texts[index]!, index + 1)) continue;
    const { name } = given[first]!;
    shared[name] ??= media.examples!['example']!;
    media.examples = { example: { $ref: `#/components/examples/${name}` } };
  }
  return shared;
}

export function mediaOf(body: Operation['requestBody'] | Operation['responses'][string]) {
  return body && 'content' in body ? Object.values(body.content ?? {}) : [];
}

export function operationsOf({ get, put, post, patch, delete: remove }: PathItem): Operation[] {
  return [get, put, post, patch, remove].filter((operation) => operation !== undefined);
}

const specsOf = (name: string) => sharedResponses.get(name)!.map(({ spec }) => spec);

function describeResponse(name: string) {
  const specs = specsOf(name);
  const headers = HEADERS_BY_STATUS[specs[0]!.status];
  return {
    description: `Codes: ${specs.map(({ code }) => `\`${code}\``).join(', ')}.`,
    ...(headers && { headers: references('headers', headers) }),
    content: {
      'application/problem+json': {
        schema: { $ref: schemaPath(Problem) },
        examples: references(
          'examples',
          specs.map(({ code }) => code),
        ),
      },
    },
  };
}

function exampleOf(spec: ErrorSpec) {
  const { about, detail = about } = spec;
  return { ...(detail !== about && { description: about }), value: exampleProblem(spec) };
}

function references(kind: 'examples' | 'headers', names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
}
