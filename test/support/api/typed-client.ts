import { UserGroupClient } from '../../../clients/typescript/index.ts';
import { describeOpenApi } from '../../../src/server/app/openapi/openapi.ts';
import { noteTokens } from '../jest/leaks.ts';
import { absolute, createAjv, withSharedInPlace } from './openapi-schemas.ts';
import type { TestService } from '../test-service.ts';

type Paths = Record<
  string,
  Record<string, { operationId: string; responses: Record<string, DescribedResponse> }>
>;

interface DescribedResponse {
  content?: Record<string, { schema: object }>;
}

/** The typed client, and which operations have been called with it. */
export interface TypedClient {
  client: UserGroupClient;
  /** Such as `getApiToken`. */
  called: Set<string>;
}

/**
 * The client of `clients/typescript`, with every scope unless another token is given. A call fails
 * when its response is not what the OpenAPI document says of it, so that the types never lie.
 */
export async function typedClient(
  service: TestService,
  token = service.bootstrapToken,
): Promise<TypedClient> {
  const document = withSharedInPlace(await describeOpenApi());
  const paths = document.paths as unknown as Paths;
  const ajv = createAjv(document);
  const called = new Set<string>();
  const check = async (request: Request, response: Response) => {
    const method = (request.headers.get('X-HTTP-Method-Override') ?? request.method).toLowerCase();
    const { operationId, responses } = operationAt(paths, method, new URL(request.url).pathname);
    called.add(operationId);
    const text = await response.text();
    noteTokens(text);
    const described = responses[response.status];
    const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
    const schema = described?.content?.[mediaType]?.schema;
    const isDescribed = schema
      ? bodiesOf(mediaType, text).every((body) => ajv.validate(absolute(schema), body))
      : described !== undefined && !described.content && text === '';
    if (isDescribed) return;
    throw new Error(
      `The document does not describe the ${response.status} of ${operationId}: ${ajv.errorsText()}`,
    );
  };
  const client = new UserGroupClient({
    baseUrl: service.baseUrl,
    apiToken: token,
    fetch: async (request) => {
      const response = await fetch(request);
      await check(request, response.clone());
      return response;
    },
  });
  return { client, called };
}

/** The operation of a path; a path without a name in braces goes before one with it. */
function operationAt(paths: Paths, method: string, path: string): Paths[string][string] {
  const parts = path.split('/');
  const [found] = Object.entries(paths)
    .map(([template, item]) => ({ template: template.split('/'), operation: item[method] }))
    .filter(({ template, operation }) => operation && template.length === parts.length)
    .filter(({ template }) =>
      template.every((part, at) => part.startsWith('{') || part === parts[at]),
    )
    .sort((one, other) => namesIn(one.template) - namesIn(other.template));
  return found!.operation!;
}

function namesIn(template: string[]): number {
  return template.filter((part) => part.startsWith('{')).length;
}

/** The bodies of a response. The schema describes each line of a stream by itself. */
function bodiesOf(mediaType: string, text: string): unknown[] {
  const bodies = mediaType === 'application/x-ndjson' ? text.trimEnd().split('\n') : [text];
  return bodies.map((body) => JSON.parse(body) as unknown);
}
