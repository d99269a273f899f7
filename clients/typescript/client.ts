import createOpenApiClient, { type Client as OpenApiClient, defaultPathSerializer } from 'openapi-fetch';
import { connectionOf } from './connection.js';
import type { components, paths } from './schema.js';

/** What the service sends and takes, by the names of the OpenAPI document. */
export type Schemas = components['schemas'];

/** A function for each method, typed by the path: `client.GET('/api/v1/api-tokens')`. */
export type Client = OpenApiClient<paths>;

export interface ClientOptions {
  /** Where the service is, such as `https://groups.example.com`; without a user and a password. */
  baseUrl: string;
  /** The API token of a backend; it must not reach a browser. Whitespace around it is removed. */
  apiToken: string;
  /** In place of the platform's own `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of the service. Each call gives `{ data, response }`, or `{ error, response }` where
 * `error.code` is stable; it throws only when there is no answer.
 * @throws TypeError if an option cannot be used, without its value
 */
export function createClient(input: ClientOptions): Client {
  const { baseUrl, authorization, fetch } = connectionOf(input);
  return createOpenApiClient<paths>({
    baseUrl,
    headers: { Authorization: authorization },
    Request: RequestWithAnyBody,
    pathSerializer: (path, parameters) => {
      for (const value of Object.values(parameters)) requireNameable(String(value));
      return defaultPathSerializer(path, parameters);
    },
    fetch,
  });
}

/**
 * `fetch` resolves `.` and `..`, and so do proxies that decode a path: another group would be named.
 * @throws RangeError
 */
function requireNameable(id: string): void {
  if (id !== '' && !/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(id)) return;
  throw new RangeError(`no path can name the id ${JSON.stringify(id)}`);
}

/** `fetch` refuses a GET with a body; the service takes the same call as a POST that says so. */
class RequestWithAnyBody extends Request {
  constructor(...[input, init = {}]: ConstructorParameters<typeof Request>) {
    const isGetWithBody = init.method === 'GET' && init.body !== undefined && init.body !== null;
    super(input, isGetWithBody ? asPost(init) : init);
  }
}

function asPost(init: RequestInit): RequestInit {
  const headers = new Headers(init.headers);
  headers.set('X-HTTP-Method-Override', 'GET');
  return { ...init, method: 'POST', headers };
}
