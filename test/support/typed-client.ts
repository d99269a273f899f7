import { type Client, createClient } from '../../clients/typescript/index.ts';
import { describeOpenApi } from '../../src/app/openapi/openapi.ts';
import { noteTokens } from './leaks.ts';
import { absolute, createAjv, withSharedInPlace } from './openapi-schemas.ts';
import type { TestService } from './test-service.ts';

type Paths = Record<string, Record<string, { responses: Record<string, DescribedResponse> }>>;

interface DescribedResponse {
  content?: Record<string, { schema: object }>;
}

/** The typed client, and which operations have been called with it. */
export interface TypedClient extends Client {
  /** Such as `GET /api/v1/api-tokens/{id}`. */
  called: Set<string>;
}

/**
 * The client of `clients/typescript`, with every scope unless another token is given. A call fails
 * when its answer is not what the OpenAPI document says of it, so that the types never lie.
 */
export async function typedClient(service: TestService, token = service.bootstrapToken): Promise<TypedClient> {
  const document = withSharedInPlace(await describeOpenApi());
  const ajv = createAjv(document);
  const called = new Set<string>();
  const client = createClient({ baseUrl: service.baseUrl, apiToken: token });
  client.use({
    onResponse: async ({ request, response, schemaPath }) => {
      const method = request.headers.get('X-HTTP-Method-Override') ?? request.method;
      const operation = `${method} ${schemaPath}`;
      called.add(operation);
      const text = await response.clone().text();
      noteTokens(text);
      const paths = document.paths as unknown as Paths;
      const answer = paths[schemaPath]![method.toLowerCase()]!.responses[response.status];
      const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
      const schema = answer?.content?.[mediaType]?.schema;
      const isDescribed = schema
        ? bodiesOf(mediaType, text).every((body) => ajv.validate(absolute(schema), body))
        : answer !== undefined && !answer.content && text === '';
      if (isDescribed) return;
      const what = `${response.status} ${mediaType} of ${operation}`;
      throw new Error(`The document does not describe the ${what}: ${ajv.errorsText()}`);
    },
  });
  return Object.assign(client, { called });
}

/** Of a stream of lines each is described by itself. */
function bodiesOf(mediaType: string, text: string): unknown[] {
  const bodies = mediaType === 'application/x-ndjson' ? text.trimEnd().split('\n') : [text];
  return bodies.map((body) => JSON.parse(body) as unknown);
}
