import { signal } from './signal.ts';
import type { Client } from 'openapi-fetch';
import type { paths } from '../../clients/typescript/schema.js';
import { ended, isAway, returns, session } from './session.ts';

// Modules lie in `assets` below the console, wherever a proxy has put it.
const here = import.meta.url;
const base = import.meta.env.DEV ? new URL('./', location.href) : new URL('../', here);

/** The address of a path of the console's part of the service. */
export function within(path: string): string {
  return new URL(path, base).href;
}

type Problem = Partial<{
  title: string;
  detail: string;
  code: string;
  status: number;
  request_id: string;
  errors: { pointer?: string; parameter?: string; code: string; detail: string }[];
}>;

/** An error response, in the words of the API. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail ?? problem.title ?? 'The service could not be reached.');
    this.problem = problem;
  }
}

/** Names the session that the page shows, so that the call is refused if the browser has another by now. */
function naming(input: string, init?: RequestInit): Request {
  const request = new Request(input, init);
  if (session.value) request.headers.set('X-Console-Session', session.value.id);
  return request;
}

/** Tells whether the last call did not reach the service. */
export const isOffline = signal(false);

function reached(is: boolean): void {
  const isBack = is && isOffline.value;
  isOffline.value = !is;
  if (isBack) returns.value += 1;
}

/** The calls that sign in. */
const SIGN_IN = /\/(sign-in|session)$/;

async function send(input: string, init?: RequestInit): Promise<Response> {
  const request = naming(input, init);
  // A page that waits for its person has nothing to call with.
  if (isAway.value && !SIGN_IN.test(new URL(request.url).pathname)) {
    throw new Refusal({ code: 'session_ended' });
  }
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    reached(false);
    throw new Refusal({ title: 'The service could not be reached.', code: 'unreachable' });
  }
  reached(true);
  if (response.status === 401) {
    const { code, detail } = await problemOf(response.clone());
    if (code?.startsWith('session_')) ended(detail ?? '');
  }
  return response;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return { title: `The response was ${response.status} ${response.statusText}`.trim() };
  }
}

interface Call {
  params?: {
    path?: Record<string, string | number>;
    query?: Record<string, unknown>;
    header?: Record<string, string>;
  };
  body?: unknown;
  signal?: AbortSignal | null;
  /** Writes the body; by default as JSON. */
  bodySerializer?: (body: unknown) => string;
  parseAs?: 'json' | 'text' | 'stream';
}

const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;

async function callApi(method: string, path: string, call: Call = {}) {
  const {
    params = {},
    body,
    signal = null,
    bodySerializer = JSON.stringify,
    parseAs = 'json',
  } = call;
  const { path: ids = {}, query = {}, header = {} } = params;
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(ids[name])),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const response = await send(within(address.slice(1)) + (text && `?${text}`), {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...header },
    body: body === undefined ? null : bodySerializer(body),
    signal,
  });
  if (!response.ok) return { response, error: await problemOf(response) };
  const parsed: unknown = parseAs === 'stream' ? response.body : await response[parseAs]();
  return { response, data: parsed };
}

/**
 * The API, authenticated by the session of the console: the interface of openapi-fetch, with the part of it that the
 * console uses.
 */
export const api = Object.fromEntries(
  METHODS.map((method) => [method, (path: string, call?: Call) => callApi(method, path, call)]),
) as unknown as Client<paths>;

/** Returns the data of a response of the API; throws a {@link Refusal} otherwise. */
export async function dataOf<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined) return data;
  throw new Refusal(
    typeof error === 'object' && error !== null
      ? error
      : { title: `The response was ${response.status} ${response.statusText}`.trim() },
  );
}

/** Returns the data of a response as {@link dataOf} does, with its ETag, which the next write sends as `If-Match`. */
export async function taggedOf<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
) {
  const { response } = await call;
  return { data: await dataOf(call), etag: response.headers.get('ETag') ?? '' };
}

/** Calls an operation whose body or response is not the JSON that the generated client makes. */
export async function fetchOk(path: string, init?: RequestInit): Promise<Response> {
  const response = await send(within(path), init);
  if (!response.ok) throw new Refusal(await problemOf(response));
  return response;
}

/** Calls an operation beyond the OpenAPI document. */
export async function fetchJson<Data>(path: string, init?: RequestInit): Promise<Data> {
  return (await (await fetchOk(path, init)).json()) as Data;
}
