import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { schemaPath } from '../../common/api-docs.ts';
import type { ErrorSpec } from '../../common/problem/errors.ts';
import { exampleProblem, Problem } from '../../common/problem/problem.dto.ts';
import { sharedResponses } from '../../common/operation.ts';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

/** Are in responses to every call that is counted, unless the limit is off. */
const RATE_LIMIT = ['RateLimit', 'RateLimit-Policy'];

const HEADERS_BY_STATUS: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
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
  const parameters = shareParameters(Object.values(document.paths).flatMap(operationsOf));
  for (const { responses, security } of Object.values(document.paths).flatMap(operationsOf)) {
    for (const [status, response] of Object.entries(responses)) {
      if (!response) continue;
      if ('$ref' in response) {
        // Without the description of the decorator, which is empty and would hide the shared one.
        responses[status] = { $ref: response.$ref };
        used.add(response.$ref.split('/').at(-1)!);
      } else if (security) {
        response.headers = { ...response.headers, ...references('headers', RATE_LIMIT) };
      }
    }
  }
  const names = [...used].sort();
  const specs = names.flatMap(specsOf);
  Object.assign((document.components ??= {}), {
    parameters,
    responses: Object.fromEntries(names.map((name) => [name, describeResponse(name)])),
    examples: Object.fromEntries(specs.map((spec) => [spec.code, exampleOf(spec)])),
    headers: HEADERS,
  });
}

/** Replaces header fields and query parameters that several operations have by references, and returns them by their names. */
function shareParameters(operations: readonly Operation[]): Record<string, object> {
  const all = operations.flatMap(({ parameters = [] }) => parameters);
  const texts = all.map((parameter) => JSON.stringify(parameter));
  const repeated = new Set(texts.filter((text, index) => texts.indexOf(text) !== index));
  const shared: Record<string, object> = {};
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map((parameter) => {
      if ('$ref' in parameter || parameter.in === 'path' || !repeated.has(JSON.stringify(parameter))) return parameter;
      const { name } = parameter;
      shared[name] ??= parameter;
      return isDeepStrictEqual(shared[name], parameter) ? { $ref: `#/components/parameters/${name}` } : parameter;
    });
  }
  return shared;
}

export function operationsOf({ get, put, post, patch, delete: remove }: PathItem): Operation[] {
  return [get, put, post, patch, remove].filter((operation) => operation !== undefined);
}

const specsOf = (name: string) => sharedResponses.get(name)!.map(({ spec }) => spec);

function describeResponse(name: string) {
  const specs = specsOf(name);
  const isCounted = !name.startsWith('Public');
  const headers = [...(HEADERS_BY_STATUS[specs[0]!.status] ?? []), ...(isCounted ? RATE_LIMIT : [])];
  return {
    description: `Codes: ${specs.map(({ code }) => `\`${code}\``).join(', ')}.`,
    headers: references('headers', headers),
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
  const { title, about, detail = about } = spec;
  return { summary: title, ...(detail !== about && { description: about }), value: exampleProblem(spec) };
}

function references(kind: 'examples' | 'headers', names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
}
