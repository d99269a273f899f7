import type { Schemas } from './schemas.js';

/** Characters of a foreign body that an error shows. */
const SHOWN = 200;

/** The facts of an `ApiError` beyond its status and its detail. */
export interface ApiErrorDetails {
  code?: string | undefined;
  errors?: Schemas['FieldError'][];
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** A call did not succeed: the service refused it, something in front of the service did, or no response arrived. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Stable: decide by this. Undefined if the response is not the service's, or there is no whole response. */
  readonly code: string | undefined;
  /** The faults of the request, place by place. */
  readonly errors: Schemas['FieldError'][];
  /** Finds the request in the log of the service. */
  readonly requestId: string | undefined;
  /** The seconds after which the request can be sent again, if the response tells them. */
  readonly retryAfter: number | undefined;

  /**
   * @param status the HTTP status; undefined if no whole response arrived
   * @param detail the reason, for people
   */
  constructor(
    readonly status: number | undefined,
    readonly detail: string,
    { code, errors = [], requestId, retryAfter, cause }: ApiErrorDetails = {},
  ) {
    const kind = [status, code].filter((part) => part !== undefined).join(' ');
    const request = requestId === undefined ? '' : ` (request ${requestId})`;
    super(`${kind && `${kind}: `}${detail}${request}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.errors = errors;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** Reads the error out of a response that is no success, whether the service or a proxy has sent it. */
export function errorOf({ status, headers }: Response, text: string): ApiError {
  const body = objectIn(text);
  const retryAfter = secondsOf(headers.get('Retry-After'));
  const requestId = textOf(body?.['request_id']) ?? headers.get('X-Request-Id') ?? undefined;
  const code = textOf(body?.['code']);
  if (!body || code === undefined) {
    return new ApiError(status, foreign(headers, text), { requestId, retryAfter });
  }
  const errors = Array.isArray(body['errors']) ? (body['errors'] as Schemas['FieldError'][]) : [];
  return new ApiError(status, textOf(body['detail']) ?? '', {
    code,
    errors,
    requestId,
    retryAfter,
  });
}

/** The JSON object that a text is; undefined if it is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Describes a response that the service does not send. It shows nothing of JSON, which may be half of a response with secrets. */
export function foreign(headers: Headers, text: string): string {
  const type = headers.get('Content-Type') ?? 'no content type';
  return `the response is not one of the user group service: ${type}, ${bodyOf(type, text)}`;
}

function bodyOf(type: string, text: string): string {
  const begin = text.slice(0, SHOWN).replace(/\s+/g, ' ').trim();
  if (begin === '') return 'an empty body';
  if (/json/i.test(type) || /^["[{]/.test(begin)) return `${text.length} characters of JSON`;
  return `a body that begins with ${JSON.stringify(begin)}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The service tells seconds; a proxy may tell a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const until = Date.parse(retryAfter);
  return Number.isNaN(until) ? undefined : Math.max(0, Math.round((until - Date.now()) / 1000));
}
