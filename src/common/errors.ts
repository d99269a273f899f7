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

/** One thing wrong with a body or a query, named by its JSON Pointer (RFC 6901). */
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
  too_many: 'The object or list has more entries than allowed.',
  unknown: 'There is no field or parameter of this name.',
  repeated:
    'The query or form names the parameter more than once, the list an entry, or a mapping one schema by two ids.',
  unknown_schema: 'No schema of the registry has this id.',
  unknown_data_source: 'No data source of the registry has this id.',
  refers: 'What stands there refers to the thing.',
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
      'The request has no body. Browsers, some SDKs and CDNs drop the body of a GET: send the same JSON by PUT, or as POST with X-HTTP-Method-Override: GET; or use /api/v1/user-groups/{id}.',
  };

  constructor(path = '') {
    super(
      path.startsWith('/api/user')
        ? 'The request arrived without its JSON body. fetch, some SDKs, proxies and CDNs drop or refuse the body of a GET: send the same body by PUT /api/user, or as POST /api/user with the header "X-HTTP-Method-Override: GET"; or use /api/v1/user-groups/{id}, whose GET has no body.'
        : 'The request arrived without its body; where there is nothing to say, send {}.',
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

export class IdempotencyKeyInvalid extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'idempotency_key_invalid',
    status: 400,
    title: 'Idempotency key not valid',
    about: 'The Idempotency-Key header is empty, longer than 255 characters, or sent twice.',
  };

  constructor() {
    super('The Idempotency-Key header must be one text of 1 to 255 visible ASCII characters.');
  }
}

export class PreconditionMalformed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'precondition_malformed',
    status: 400,
    title: 'Precondition malformed',
    about:
      'If-Match or If-None-Match is neither `*` nor a list of entity tags in double quotes, as ETag gives them.',
  };

  constructor(header: string) {
    super(`${header} must be * or a list of entity tags in double quotes, as ETag gives them.`);
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

export class CredentialsAmbiguous extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'credentials_ambiguous',
    status: 400,
    title: 'Credentials ambiguous',
    about:
      'The request brings an API token twice: as client_secret in the form, and in the Authorization header or a second time in the form. Send it one way (RFC 6749, section 2.3).',
  };

  constructor() {
    super('Send the API token one way: in the Authorization header, or once as client_secret.');
  }
}

/** The challenge of every 401 (RFC 9110, section 11.6.1). */
const TOKEN_CHALLENGE = 'Token realm="user groups"';
const BASIC_CHALLENGE = 'Basic realm="user groups", charset="UTF-8"';

/** Nobody is known by the credentials of the request, or by the want of them. */
abstract class AuthenticationFailed extends ServiceError {
  override readonly headers: Record<string, string> = { 'WWW-Authenticate': TOKEN_CHALLENGE };
}

/** Lets a 401 say that HTTP Basic would do as well; any other error stays as it is. */
export function offerBasic(error: unknown): void {
  if (!(error instanceof AuthenticationFailed)) return;
  error.headers['WWW-Authenticate'] = `${TOKEN_CHALLENGE}, ${BASIC_CHALLENGE}`;
}

export class CredentialsMissing extends AuthenticationFailed {
  static override readonly spec: ErrorSpec = {
    code: 'credentials_missing',
    status: 401,
    title: 'Credentials missing',
    about:
      'The request has no Authorization header. Send "Authorization: Token <API_TOKEN>"; at introspection HTTP Basic, or client_secret in a form, will do as well.',
  };

  constructor(detail = 'Send the header "Authorization: Token <API_TOKEN>".') {
    super(detail);
  }
}

export class CredentialsMalformed extends AuthenticationFailed {
  static override readonly spec: ErrorSpec = {
    code: 'credentials_malformed',
    status: 401,
    title: 'Credentials malformed',
    about:
      'The Authorization header has another form than "Token <API_TOKEN>": another scheme, no token, or a user-group token in the API token’s place.',
  };
}

export class ApiTokenInvalid extends AuthenticationFailed {
  static override readonly spec: ErrorSpec = {
    code: 'api_token_invalid',
    status: 401,
    title: 'API token not valid',
    about: 'The API token is unknown, revoked or expired.',
  };

  /** @param subject whose token it was, where it was one; for the audit log alone */
  constructor(readonly subject?: { workspaceId: number; apiTokenId: number }) {
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

export class GrantExceedsCaller extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'grant_exceeds_caller',
    status: 403,
    title: 'Grant exceeds your own',
    about:
      'The call would grant what the API token that makes it does not hold: a scope, a longer life, or other addresses.',
  };
}

export class AddressNotAllowed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'address_not_allowed',
    status: 403,
    title: 'Address not allowed',
    about:
      'The API token may only be used from the addresses in its allowed_cidrs, and the call came from another.',
  };

  constructor() {
    super('The API token may not be used from this address.');
  }
}

export class ApiTokenSuperseded extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'api_token_superseded',
    status: 403,
    title: 'API token superseded',
    about:
      'The API token has been rotated. Until its overlap ends it opens everything that it did, but it neither issues, changes, rotates nor revokes API tokens: use its successor.',
  };

  constructor() {
    super('This API token has been rotated; its successor administers API tokens.');
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

export class PublicUrlUnset extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'public_url_unset',
    status: 404,
    title: 'Public URL unset',
    about:
      'The service does not know the URL at which it is reached, so it has no metadata to publish. The operator has to set PUBLIC_URL.',
  };

  constructor() {
    super('The metadata is published where the operator has set PUBLIC_URL.');
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
    super('No user group has this id; GET or PUT /api/user with a name creates it.');
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

  constructor(
    detail = 'No user group holds this token now; GET with the user_group_id gives the current one.',
  ) {
    super(detail);
  }
}

export class ApiTokenNotFound extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'api_token_not_found',
    status: 404,
    title: 'API token not found',
    about: 'No API token of the workspace has this id.',
  };

  constructor() {
    super('No API token has this id.');
  }
}

export class SchemaNotFound extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'schema_not_found',
    status: 404,
    title: 'Schema not found',
    about: 'No schema of the workspace has this number.',
  };

  constructor() {
    super('No schema has this number.');
  }
}

export class DataSourceNotFound extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'data_source_not_found',
    status: 404,
    title: 'Data source not found',
    about: 'No data source of the workspace has this number.',
  };

  constructor() {
    super('No data source has this number.');
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

export class ApiTokenEnded extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'api_token_ended',
    status: 409,
    title: 'API token has ended',
    about:
      'The API token is revoked, expired or already rotated; it can neither be changed nor rotated.',
  };

  constructor() {
    super('The API token is revoked, expired or already rotated.');
  }
}

export class LastAdminToken extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'last_admin_token',
    status: 409,
    title: 'Last admin token',
    about:
      'After this change no API token of the workspace could administer it. Issue another with the scope "admin" first, or use the command line.',
  };

  constructor() {
    super('No other API token of the workspace has the scope "admin"; issue one first.');
  }
}

export class UserGroupSuspended extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'user_group_suspended',
    status: 409,
    title: 'User group suspended',
    about: 'The group is suspended: no embed token is issued for it until it is resumed.',
  };

  constructor() {
    super('This user group is suspended; no embed token is issued for it until it is resumed.');
  }
}

export class UserGroupIncomplete extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'user_group_incomplete',
    status: 409,
    title: 'User group incomplete',
    about:
      'The group lacks what its workspace requires of every group: no embed token is issued for it until it has that. GET /api/v1/workspace/incomplete-user-groups says what is missing.',
  };

  constructor() {
    super(
      'This user group lacks what the workspace requires; no embed token is issued for it until it has that.',
    );
  }
}

export class UserGroupQuotaReached extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'user_group_quota_reached',
    status: 409,
    title: 'Quota of user groups reached',
    about:
      'The workspace has as many user groups as its operator allows, so no other is created. Those that it has can be written as before. Delete one, or ask the operator for more.',
  };

  constructor(quota: number) {
    super(`The workspace may have ${quota} user groups, and has them; no other is created.`);
  }
}

export class TokenIsCurrent extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'token_is_current',
    status: 409,
    title: 'Token is current',
    about: 'The current token of a group is not revoked but rotated, which ends it.',
  };

  constructor() {
    super('This is the current token of the group; rotate it instead.');
  }
}

export class IdempotencyKeySpent extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'idempotency_key_spent',
    status: 409,
    title: 'Idempotency key spent',
    about:
      'The rotation with this Idempotency-Key was done, and its token has been replaced since. GET with the user_group_id gives the current one.',
  };

  constructor() {
    super(
      'The rotation with this Idempotency-Key was done, and its token has been replaced since.',
    );
  }
}

export class TokenForgotten extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'token_forgotten',
    status: 409,
    title: 'Token forgotten',
    about:
      'The group’s token is still valid but cannot be shown any more, because the key that encrypted it is lost. Nothing was changed. Rotate it to get a new one: by POST with the token you have stored, or by the id of the group.',
  };

  constructor() {
    super(
      'The token of this group is still valid but cannot be shown any more; nothing was changed. Rotate it for a new one: POST /api/user with the token you have stored, or POST /api/v1/user-groups/{id}/tokens/rotate.',
    );
  }
}

export class ProvidedIdTaken extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'provided_id_taken',
    status: 409,
    title: 'Id taken',
    about:
      'The registry of the workspace has a schema, or a data source, of this provided_id already.',
  };

  constructor(thing: string) {
    super(`The workspace has a ${thing} of this provided_id already.`);
  }
}

export class TooManySchemas extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'too_many_schemas',
    status: 409,
    title: 'Too many schemas',
    about: 'The workspace has 200 schemas, as many as a mapping can have entries.',
  };

  constructor(limit: number) {
    super(`The workspace has ${limit} schemas already.`);
  }
}

export class StillReferenced extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'still_referenced',
    status: 409,
    title: 'Still referenced',
    about:
      'User groups, or the required_schemas of the workspace, refer to what was to be deleted; errors names up to 20 of them, GET …/references lists all.',
  };
  override readonly violations: readonly Violation[];

  /** @param referrers one for each, none twice */
  constructor(referrers: readonly Violation[]) {
    super('It is still referred to; GET its references for all of them.');
    this.violations = referrers.slice(0, MAX_VIOLATIONS);
  }
}

export class MappingsUnresolvable extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'mappings_unresolvable',
    status: 409,
    title: 'Mappings unresolvable',
    about:
      'The mapping_policy cannot become registered while mappings name what is not registered; errors names up to 20 of them, GET /api/v1/workspace/unresolvable-mappings lists all. Nothing was changed.',
  };
  override readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super('Mappings of user groups name what is not registered; nothing was changed.');
    this.violations = violations.slice(0, MAX_VIOLATIONS);
  }
}

export class TokenNotUsable extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'token_not_usable',
    status: 409,
    title: 'Token not usable',
    about:
      'The token in a line of an import cannot become the token of this group: the value is or was the token of a group of the workspace. Nothing of the line was stored.',
  };

  constructor() {
    super('This token value is or was in use; import the group with another, or without one.');
  }
}

export class PreconditionFailed extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'precondition_failed',
    status: 412,
    title: 'Precondition failed',
    about:
      'What is stored is not what If-Match or If-None-Match asks for, so nothing was changed. Read it again, and repeat the call with its ETag.',
  };

  constructor() {
    super('What is stored is not what If-Match or If-None-Match asks for; nothing was changed.');
  }
}

export class BodyTooLarge extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'body_too_large',
    status: 413,
    title: 'Body too large',
    about: 'The body, or one line of an import, is larger than BODY_LIMIT.',
  };

  constructor(limit: number, part: 'body' | 'line' = 'body') {
    super(`The ${part} is larger than ${limit} bytes.`);
  }
}

export class MediaTypeUnsupported extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'media_type_unsupported',
    status: 415,
    title: 'Unsupported media type',
    about:
      'The body is not declared as "Content-Type: application/json" in UTF-8 (an import: "application/x-ndjson"), or it has a Content-Encoding.',
  };

  /** @param headers what the answer carries besides, such as `Accept-Patch` */
  constructor(
    detail = 'Send the header "Content-Type: application/json"; the charset is UTF-8.',
    override readonly headers: Readonly<Record<string, string>> = {},
  ) {
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

export class IdempotencyKeyReused extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'idempotency_key_reused',
    status: 422,
    title: 'Idempotency key reused',
    about: 'The Idempotency-Key was used within 24 hours for a call with another path or body.',
  };

  constructor() {
    super('This Idempotency-Key was used for another call; use a new key for each rotation.');
  }
}

export class RateLimited extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'rate_limited',
    status: 429,
    title: 'Too many requests',
    about:
      'The API token has used up RATE_LIMIT_PER_MINUTE, or, where the credentials are wrong, the client address FAILED_AUTHENTICATIONS_PER_MINUTE; Retry-After says when to go on.',
  };
  override readonly headers: Record<string, string>;

  constructor(detail: string, retryAfterSeconds: number) {
    super(detail);
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

export class TooManyAtOnce extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'too_many_at_once',
    status: 429,
    title: 'Too many at once',
    about:
      'The workspace has as many imports or exports under way as may run at once. Repeat the call when one of them has ended.',
  };
  override readonly headers = { 'Retry-After': '5' };

  /** @param what such as "exports" */
  constructor(limit: number, what: string) {
    super(`${limit} ${what} of the workspace are under way; wait until one of them has ended.`);
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

export class AuditUnavailable extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'audit_unavailable',
    status: 503,
    title: 'Audit log unavailable',
    level: 'error',
    about:
      'The change could not be recorded in the audit log, so it was not made. The operator has to look at the database.',
  };
  override readonly headers = { 'Retry-After': '60' };

  constructor(cause: unknown) {
    super('The change could not be recorded in the audit log, so it was not made.', { cause });
  }
}

export class MigrationsPending extends ServiceError {
  static override readonly spec: ErrorSpec = {
    code: 'migrations_pending',
    status: 503,
    title: 'Migrations pending',
    about:
      'The database lacks a migration of this version, as after a restore or a revert under a running process: start the service anew, or run `npm run cli -- migration run`. Only /health/ready answers this.',
  };
  override readonly headers = { 'Retry-After': '5' };

  constructor() {
    super('The database lacks a migration that this version needs.');
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
  IdempotencyKeyInvalid,
  PreconditionMalformed,
  BodyNotUtf8,
  JsonMalformed,
  JsonDuplicateKey,
  CredentialsAmbiguous,
  CredentialsMissing,
  CredentialsMalformed,
  ApiTokenInvalid,
  InsufficientScope,
  GrantExceedsCaller,
  AddressNotAllowed,
  ApiTokenSuperseded,
  RouteNotFound,
  PublicUrlUnset,
  UserGroupNotFound,
  TokenNotFound,
  ApiTokenNotFound,
  SchemaNotFound,
  DataSourceNotFound,
  MethodNotAllowed,
  RequestTimeout,
  ApiTokenEnded,
  LastAdminToken,
  UserGroupSuspended,
  UserGroupIncomplete,
  UserGroupQuotaReached,
  TokenIsCurrent,
  IdempotencyKeySpent,
  TokenForgotten,
  ProvidedIdTaken,
  TooManySchemas,
  StillReferenced,
  MappingsUnresolvable,
  TokenNotUsable,
  PreconditionFailed,
  BodyTooLarge,
  MediaTypeUnsupported,
  ExpectationFailed,
  ValidationFailed,
  IdempotencyKeyReused,
  RateLimited,
  TooManyAtOnce,
  HeadersTooLarge,
  InternalError,
  DatabaseUnavailable,
  TokenUnreadable,
  AuditUnavailable,
  MigrationsPending,
  ShuttingDown,
] as const;
