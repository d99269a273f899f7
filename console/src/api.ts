import createOpenApiClient from 'openapi-fetch';
import type { paths } from '../../clients/typescript/schema.js';
import { ended, session } from './session.ts';

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
function naming(input: Request | string, init?: RequestInit): Request {
  const request = new Request(input, init);
  if (session.value) request.headers.set('X-Console-Session', session.value.id);
  return request;
}

async function send(input: Request | string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(naming(input, init));
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Refusal({ title: 'The service could not be reached.', code: 'unreachable' });
  }
  if (response.status === 401) {
    const { code } = await problemOf(response.clone());
    if (code?.startsWith('session_')) ended(code);
  }
  return response;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return { title: `The answer was ${response.status} ${response.statusText}`.trim() };
  }
}

/** The API, authenticated by the session of the console. */
export const api = createOpenApiClient<paths>({ baseUrl: within('').replace(/\/$/, ''), fetch: send });

/** Returns the data of a response of the API; throws a {@link Refusal} otherwise. */
export async function answerOf<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined) return data;
  throw new Refusal(
    typeof error === 'object' && error !== null
      ? error
      : { title: `The answer was ${response.status} ${response.statusText}`.trim() },
  );
}

/** Calls an operation whose body or response is not the JSON that the generated client makes. */
export async function fetchOk(path: string, init?: RequestInit): Promise<Response> {
  const response = await send(within(path), init);
  if (!response.ok) throw new Refusal(await problemOf(response));
  return response;
}

/** Calls an operation beyond the OpenAPI document. */
export async function fetchJson<Answer>(path: string, init?: RequestInit): Promise<Answer> {
  return (await (await fetchOk(path, init)).json()) as Answer;
}
