/** How a class of errors appears on the wire, in the log and in the catalogue. */
export interface ErrorSpec {
  /** Stable; callers switch on it. */
  code: string;
  status: number;
  title: string;
  /** Level of a line in the log beside the access log; a mere refusal needs none. */
  level?: 'warn' | 'error';
  /** One sentence for the catalogue: when it happens and what to do. */
  about: string;
}

/** One thing wrong with a body, named by its JSON Pointer (RFC 6901). */
export interface Violation {
  pointer: string;
  code: ViolationCode;
  detail: string;
}

/** What can be wrong with a field; these codes are stable too. */
export const violationCodes = {
  required: 'The field is missing.',
  type: 'The value has another JSON type than the field.',
  not_acceptable: 'The value breaks a rule of the field, which the detail names.',
  empty: 'The text has no character.',
  too_long: 'The text is longer than 255 code points or 1,024 bytes of UTF-8.',
  control_character: 'The text holds a control character (U+0000–U+001F, U+007F–U+009F).',
  nul_character: 'A string or key holds the character U+0000.',
  lone_surrogate: 'A string or key holds half of a surrogate pair, which is not a character.',
  lossy_number: 'The number would change its decimal value by being read as a double and printed.',
  too_deep: 'The JSON is nested too deeply.',
  too_large: 'The object is longer than 16 KiB when serialised.',
  too_many: 'The object has more entries than allowed.',
} as const;

export type ViolationCode = keyof typeof violationCodes;

/**
 * An error with a place in the catalogue. `message` is what the caller reads;
 * `cause` is for the log alone.
 */
export abstract class ServiceError extends Error {
  static readonly spec: ErrorSpec;
  /** Header fields the answer carries, such as `Allow` or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>> = {};
  readonly violations?: readonly Violation[];

  get spec(): ErrorSpec {
    return (this.constructor as typeof ServiceError).spec;
  }
}

export class RequestMalformed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'request_malformed',
    status: 400,
    title: 'Malformed request',
    about: 'The bytes received are not an HTTP request, or the path is not valid percent-encoding.',
  };

  constructor(detail = 'The request is not valid HTTP.') {
    super(detail);
  }
}

export class BodyMissing extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'body_missing',
    status: 400,
    title: 'Body missing',
    about:
      'The request has no body. Browsers, some SDKs and CDNs drop the body of a GET: send the same JSON by PUT, or as POST with X-HTTP-Method-Override: GET.',
  };

  constructor() {
    super(
      'The request arrived without its JSON body. fetch, some SDKs, proxies and CDNs drop or refuse the body of a GET: send the same body by PUT /api/user, or as POST /api/user with the header "X-HTTP-Method-Override: GET".',
    );
  }
}

export class BodyIncomplete extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'body_incomplete',
    status: 400,
    title: 'Body incomplete',
    about: 'The connection ended before the whole body had arrived.',
  };

  constructor() {
    super('The connection ended before the whole body had arrived.');
  }
}

export class BodyNotUtf8 extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'body_not_utf8',
    status: 400,
    title: 'Body is not UTF-8',
    about: 'The body holds bytes that are not valid UTF-8.',
  };

  constructor() {
    super('The body is not valid UTF-8.');
  }
}

export class JsonMalformed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'json_malformed',
    status: 400,
    title: 'Malformed JSON',
    about:
      'The body is not JSON (RFC 8259). The detail gives the position of the first wrong character.',
  };

  constructor(position: number) {
    super(`The body is not valid JSON at character ${position}.`);
  }
}

export class JsonDuplicateKey extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'json_duplicate_key',
    status: 400,
    title: 'Duplicate key',
    about:
      'An object in the body names the same key twice, so that one of the values would be lost.',
  };

  constructor(position: number) {
    super(`An object in the body repeats a key at character ${position}.`);
  }
}

/** As many as show a caller the pattern; a hostile body cannot make the answer large. */
export const MAX_VIOLATIONS = 20;

/** The challenge of every 401 (RFC 9110, section 11.6.1). */
const CHALLENGE = { 'WWW-Authenticate': 'Token realm="user groups"' };

export class CredentialsMissing extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'credentials_missing',
    status: 401,
    title: 'Credentials missing',
    about: 'The request has no Authorization header. Send "Authorization: Token <API_TOKEN>".',
  };
  override readonly headers = CHALLENGE;

  constructor() {
    super('Send the header "Authorization: Token <API_TOKEN>".');
  }
}

export class CredentialsMalformed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'credentials_malformed',
    status: 401,
    title: 'Credentials malformed',
    about:
      'The Authorization header has another form than "Token <API_TOKEN>": another scheme, no token, or a user-group token in the API token’s place.',
  };
  override readonly headers = CHALLENGE;
}

export class ApiTokenInvalid extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'api_token_invalid',
    status: 401,
    title: 'API token not valid',
    about: 'The API token is unknown, revoked or expired.',
  };
  override readonly headers = CHALLENGE;

  constructor() {
    super('The API token is unknown, revoked or expired.');
  }
}

export class InsufficientScope extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'insufficient_scope',
    status: 403,
    title: 'Scope missing',
    about: 'The API token lacks the scope that the detail names.',
  };

  constructor(scope: string, purpose = 'This call') {
    super(`${purpose} needs an API token with the scope "${scope}".`);
  }
}

export class RouteNotFound extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'route_not_found',
    status: 404,
    title: 'No such route',
    about: 'The service has nothing at this path.',
  };

  constructor() {
    super('The service has nothing at this path.');
  }
}

export class UserGroupNotFound extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'user_group_not_found',
    status: 404,
    title: 'User group not found',
    about: 'No user group of the workspace has this id. Send a name with it to create one.',
  };

  constructor() {
    super('No user group has this user_group_id; send a name with it to create one.');
  }
}

export class TokenNotFound extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'token_not_found',
    status: 404,
    title: 'Token not found',
    about:
      'No user group of the workspace holds this token now: it is unknown, another workspace’s, or already replaced. GET with the user_group_id gives the current one.',
  };

  constructor() {
    super('No user group holds this token now; GET with the user_group_id gives the current one.');
  }
}

export class MethodNotAllowed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'method_not_allowed',
    status: 405,
    title: 'Method not allowed',
    about: 'The path exists but not with this method; the Allow header lists those it has.',
  };
  override readonly headers: Record<string, string>;

  constructor(allow: string, detail = 'The Allow header lists the methods of this path.') {
    super(detail);
    this.headers = { Allow: allow };
  }
}

export class RequestTimeout extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'request_timeout',
    status: 408,
    title: 'Request too slow',
    about: 'The request did not arrive completely in time.',
  };

  constructor() {
    super('The request did not arrive completely in time.');
  }
}

export class BodyTooLarge extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'body_too_large',
    status: 413,
    title: 'Body too large',
    about: 'The body is larger than BODY_LIMIT.',
  };

  constructor(limit: number) {
    super(`The body is larger than ${limit} bytes.`);
  }
}

export class MediaTypeUnsupported extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'media_type_unsupported',
    status: 415,
    title: 'Unsupported media type',
    about:
      'The body is not declared as "Content-Type: application/json" in UTF-8, or it has a Content-Encoding.',
  };

  constructor(detail = 'Send the header "Content-Type: application/json"; the charset is UTF-8.') {
    super(detail);
  }
}

export class ExpectationFailed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'expectation_failed',
    status: 417,
    title: 'Expectation failed',
    about: 'The Expect header asks for something else than 100-continue.',
  };

  constructor() {
    super('The Expect header can only be 100-continue.');
  }
}

export class ValidationFailed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'validation_failed',
    status: 422,
    title: 'Body not acceptable',
    about: 'The body is well-formed but not acceptable; errors names each field and what is wrong.',
  };
  override readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(violations[0]?.detail ?? 'The body is not acceptable.');
    this.violations = violations.slice(0, MAX_VIOLATIONS);
  }
}

export class RateLimited extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'rate_limited',
    status: 429,
    title: 'Too many requests',
    about: 'The API token has used up RATE_LIMIT_PER_MINUTE; Retry-After says when to go on.',
  };
  override readonly headers: Record<string, string>;

  constructor(retryAfterSeconds: number) {
    super('The API token has made too many requests in this minute.');
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

export class HeadersTooLarge extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'headers_too_large',
    status: 431,
    title: 'Header fields too large',
    about: 'The request line and header fields together are larger than 16 KiB.',
  };

  constructor() {
    super('The request line and header fields are too large.');
  }
}

export class InternalError extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'internal_error',
    status: 500,
    title: 'Internal error',
    level: 'error',
    about: 'A defect of the service. Please report it with the request_id.',
  };

  constructor(cause: unknown) {
    super('Something went wrong inside the service.', { cause });
  }
}

export class DatabaseUnavailable extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'database_unavailable',
    status: 503,
    title: 'Database unavailable',
    level: 'warn',
    about:
      'The database cannot be reached or is too busy. Nothing was answered as done; repeat the call after Retry-After seconds.',
  };
  override readonly headers = { 'Retry-After': '1' };

  constructor(cause: unknown) {
    super('The database cannot be reached or is too busy; try again shortly.', { cause });
  }
}

export class TokenUnreadable extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'token_unreadable',
    status: 503,
    title: 'Token unreadable',
    level: 'error',
    about:
      'The stored user-group token cannot be decrypted with the configured keys. The operator has to restore TOKEN_ENCRYPTION_KEYS.',
  };
  override readonly headers = { 'Retry-After': '60' };

  constructor(cause: unknown) {
    super('The stored token cannot be decrypted; the operator has to look at the keys.', { cause });
  }
}

export class ShuttingDown extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'shutting_down',
    status: 503,
    title: 'Shutting down',
    about: 'This process is about to end; repeat the call, another replica will answer.',
  };
  override readonly headers = { 'Retry-After': '1', Connection: 'close' };

  constructor() {
    super('This process is about to end.');
  }
}

/** Every error a caller can meet, by status: the source of docs/errors.md and of the OpenAPI document. */
export const errorCatalogue = [
  RequestMalformed,
  BodyMissing,
  BodyIncomplete,
  BodyNotUtf8,
  JsonMalformed,
  JsonDuplicateKey,
  CredentialsMissing,
  CredentialsMalformed,
  ApiTokenInvalid,
  InsufficientScope,
  RouteNotFound,
  UserGroupNotFound,
  TokenNotFound,
  MethodNotAllowed,
  RequestTimeout,
  BodyTooLarge,
  MediaTypeUnsupported,
  ExpectationFailed,
  ValidationFailed,
  RateLimited,
  HeadersTooLarge,
  InternalError,
  DatabaseUnavailable,
  TokenUnreadable,
  ShuttingDown,
] as const;
