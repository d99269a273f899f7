import { MAX_VIOLATIONS, type Violation } from './violation.ts';

/** How a class of errors appears on the wire, in the log and in the catalogue. */
export interface ErrorSpec {
  status: number;
  /** Stable; callers switch on it. */
  code: string;
  title: string;
  /** One sentence for the catalogue: when it happens and what to do. */
  about: string;
  /** Level of a line in the log beside the access log; a mere refusal needs none. */
  level?: 'warn' | 'error';
}

/** Header fields of an answer, such as `Allow` or `Retry-After`. */
export type ErrorHeaders = Readonly<Record<string, string>>;

/** What an error brings beside its message. */
export interface ErrorDetails {
  /** For the log alone. */
  cause?: unknown;
  headers?: ErrorHeaders;
  /** Those beyond `MAX_VIOLATIONS` are left out. */
  violations?: readonly Violation[];
}

/** An error with a place in the catalogue. Its message is for the caller. */
export abstract class ServiceError extends Error {
  static readonly spec: ErrorSpec;
  headers: ErrorHeaders;
  readonly violations?: readonly Violation[];

  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.headers = details.headers ?? {};
    if (details.violations) this.violations = details.violations.slice(0, MAX_VIOLATIONS);
  }

  get spec(): ErrorSpec {
    return (this.constructor as typeof ServiceError).spec;
  }
}

/** Every error a caller can meet, by status: the source of docs/errors.md and of the OpenAPI document. */
export const errorCatalogue: ErrorSpec[] = [];

type Entry = Omit<ErrorSpec, 'status' | 'code'> & {
  /** The message to the caller, unless an instance has its own; by default `about`. */
  message?: string;
  headers?: ErrorHeaders;
};

/** The class of one kind of error: its message is that of the kind, unless it has its own. */
export interface ErrorClass {
  new (detail?: string, details?: ErrorDetails): ServiceError;
  readonly spec: ErrorSpec;
}

/** Makes the base class of an error, and registers its catalogue entry. */
function problem(status: number, code: string, { message, headers, ...texts }: Entry): ErrorClass {
  const spec: ErrorSpec = { status, code, ...texts };
  errorCatalogue.push(spec);
  return class extends ServiceError {
    static override readonly spec = spec;

    constructor(detail = message ?? spec.about, details: ErrorDetails = {}) {
      super(detail, { headers, ...details });
    }
  };
}

export class RequestMalformed extends problem(400, 'request_malformed', {
  title: 'Malformed request',
  about: 'The bytes received are not an HTTP request, or the path is not valid percent-encoding.',
  message: 'The request is not valid HTTP.',
}) {}

/** Refused by code of a plugin, or of the application around the service, with a status of its own. */
export class RefusedByExtension extends problem(400, 'refused', {
  title: 'Refused',
  about:
    'A plugin, or the application around the service, has refused the call; the status, any of 400 to 499, and the detail are its own.',
}) {
  constructor(
    private readonly status: number,
    detail: string,
  ) {
    super(detail);
  }

  override get spec(): ErrorSpec {
    return { ...super.spec, status: this.status };
  }
}

export class BodyMissing extends problem(400, 'body_missing', {
  title: 'Body missing',
  about:
    'The request has no body. Browsers, some SDKs and CDNs drop the body of a GET: send the same JSON by PUT, or as POST with X-HTTP-Method-Override: GET; or use /api/v1/user-groups/{id}.',
}) {
  constructor(path = '') {
    super(
      path.startsWith('/api/user')
        ? 'The request arrived without its JSON body. fetch, some SDKs, proxies and CDNs drop or refuse the body of a GET: send the same body by PUT /api/user, or as POST /api/user with the header "X-HTTP-Method-Override: GET"; or use /api/v1/user-groups/{id}, whose GET has no body.'
        : 'The request arrived without its body; where there is nothing to say, send {}.',
    );
  }
}

export class BodyIncomplete extends problem(400, 'body_incomplete', {
  title: 'Body incomplete',
  about: 'The connection ended before the whole body had arrived.',
}) {}

export class IdempotencyKeyInvalid extends problem(400, 'idempotency_key_invalid', {
  title: 'Idempotency key not valid',
  about: 'The Idempotency-Key header is empty, longer than 255 characters, or sent twice.',
  message: 'The Idempotency-Key header must be one text of 1 to 255 visible ASCII characters.',
}) {}

export class PreconditionMalformed extends problem(400, 'precondition_malformed', {
  title: 'Precondition malformed',
  about:
    'If-Match or If-None-Match is neither `*` nor a list of entity tags in double quotes, as ETag gives them.',
}) {
  constructor(header: string) {
    super(`${header} must be * or a list of entity tags in double quotes, as ETag gives them.`);
  }
}

/** What is read as one JSON text: all of a body, or a line of it. */
export type BodyPart = 'body' | 'line';

export class BodyNotUtf8 extends problem(400, 'body_not_utf8', {
  title: 'Body is not UTF-8',
  about: 'The body, or one line of an import, holds bytes that are not valid UTF-8.',
}) {
  constructor(part: BodyPart = 'body') {
    super(`The ${part} is not valid UTF-8.`);
  }
}

export class JsonMalformed extends problem(400, 'json_malformed', {
  title: 'Malformed JSON',
  about:
    'The body, or one line of an import, is not JSON (RFC 8259). The detail gives the position of the first wrong character.',
}) {
  /** @param found the wrong character, where it cannot be seen */
  constructor(position: number, part: BodyPart = 'body', found?: string) {
    const what = found === undefined ? '' : `, which is ${found}`;
    super(`The ${part} is not valid JSON at character ${position}${what}.`);
  }
}

export class JsonDuplicateKey extends problem(400, 'json_duplicate_key', {
  title: 'Duplicate key',
  about: 'An object in the body names the same key twice, so that one of the values would be lost.',
}) {
  constructor(position: number, part: BodyPart = 'body') {
    super(`An object in the ${part} repeats a key at character ${position}.`);
  }
}

export class CredentialsAmbiguous extends problem(400, 'credentials_ambiguous', {
  title: 'Credentials ambiguous',
  about:
    'The request brings an API token twice: as client_secret in the form, and in the Authorization header or a second time in the form. Send it one way (RFC 6749, section 2.3).',
  message: 'Send the API token one way: in the Authorization header, or once as client_secret.',
}) {}

/** The challenge of every 401 (RFC 9110, section 11.6.1). */
const TOKEN_CHALLENGE = 'Token realm="user groups"';
const BEARER_CHALLENGE = 'Bearer realm="user groups"';
const BASIC_CHALLENGE = 'Basic realm="user groups", charset="UTF-8"';
const CHALLENGE = { 'WWW-Authenticate': TOKEN_CHALLENGE };

/** Adds Bearer and HTTP Basic to the challenge of a 401; leaves any other error as it is. */
export function offerBasic(error: unknown): void {
  if (!(error instanceof ServiceError) || error.spec.status !== 401) return;
  error.headers = {
    'WWW-Authenticate': `${TOKEN_CHALLENGE}, ${BEARER_CHALLENGE}, ${BASIC_CHALLENGE}`,
  };
}

export class CredentialsMissing extends problem(401, 'credentials_missing', {
  title: 'Credentials missing',
  about:
    'The request has no Authorization header. Send "Authorization: Token <API_TOKEN>"; at introspection HTTP Basic, or client_secret in a form, will do as well.',
  message: 'Send the header "Authorization: Token <API_TOKEN>".',
  headers: CHALLENGE,
}) {}

export class CredentialsMalformed extends problem(401, 'credentials_malformed', {
  title: 'Credentials malformed',
  about:
    'The Authorization header has another form than "Token <API_TOKEN>": another scheme, no token, or a user-group token in the API token’s place.',
  headers: CHALLENGE,
}) {}

export class ApiTokenInvalid extends problem(401, 'api_token_invalid', {
  title: 'API token not valid',
  about: 'The API token is unknown, revoked or expired.',
  headers: CHALLENGE,
}) {
  /** @param subject whose token it was, where it was one; for the audit log alone */
  constructor(readonly subject?: { workspaceId: number; apiTokenId: number }) {
    super();
  }
}

/** The challenge of the console, which no browser takes for a dialog of its own. */
const SESSION_CHALLENGE = { 'WWW-Authenticate': 'Session realm="console"' };

export class SessionMissing extends problem(401, 'session_missing', {
  title: 'Session missing',
  about:
    'The call is one of the console, and comes without the cookie of a session. Sign in to the console; elsewhere call /api with an API token.',
  message: 'Sign in to the console.',
  headers: SESSION_CHALLENGE,
}) {}

export class SessionEnded extends problem(401, 'session_ended', {
  title: 'Session ended',
  about:
    'The session of the console is over: signed out, ended by somebody else, not used for 30 minutes, 12 hours old, or its API token is revoked or expired. Sign in again.',
  message: 'The session has ended; sign in again.',
  headers: SESSION_CHALLENGE,
}) {}

export class InsufficientScope extends problem(403, 'insufficient_scope', {
  title: 'Scope missing',
  about: 'The API token lacks the scope that the detail names.',
}) {
  constructor(scope: string, purpose = 'This call') {
    super(`${purpose} needs an API token with the scope "${scope}".`);
  }
}

export class GrantExceedsCaller extends problem(403, 'grant_exceeds_caller', {
  title: 'Grant exceeds your own',
  about:
    'The call would grant what the API token that makes it does not hold: a scope, a longer life, or other addresses.',
}) {}

export class AddressNotAllowed extends problem(403, 'address_not_allowed', {
  title: 'Address not allowed',
  about:
    'The API token may only be used from the addresses in its allowed_cidrs, and the call came from another.',
  message: 'The API token may not be used from this address.',
}) {}

export class SignInFailed extends problem(403, 'sign_in_failed', {
  title: 'Sign-in failed',
  about:
    'The identity provider did not say who signs in: it refused, the attempt is older than ten minutes, or it was begun in another browser. Begin again.',
  message: 'The identity provider did not say who signs in; begin again.',
}) {
  constructor(cause?: unknown) {
    super(undefined, { cause });
  }
}

export class SignInNotGranted extends problem(403, 'sign_in_not_granted', {
  title: 'Nothing granted',
  about:
    'The identity provider knows the person, but what it says of them fits none of CONSOLE_OPENID_GRANTS, or none of the workspace asked for. The log says by the number of the request which claims it has sent.',
  message: 'You are known, but nothing is granted to you here.',
}) {
  /**
   * @param subject who the person is; for the audit log and the log alone
   * @param why what the log may know of it
   */
  constructor(
    readonly subject: string,
    readonly why: object,
  ) {
    super();
  }
}

export class ApiTokenSuperseded extends problem(403, 'api_token_superseded', {
  title: 'API token superseded',
  about:
    'The API token has been rotated. Until its overlap ends it opens everything that it did, but it neither issues, changes, rotates nor revokes API tokens: use its successor.',
  message: 'This API token has been rotated; its successor administers API tokens.',
}) {}

export class ConsoleNotSecure extends problem(403, 'console_not_secure', {
  title: 'Console not secure',
  about:
    'The console was asked for over plain HTTP at another host than localhost, where its cookie could be read on the way, or the service does not know that it is reached by https. The operator has to set PUBLIC_URL to the https URL of the service.',
  message:
    'The console takes sign-ins over https alone, or on localhost: set PUBLIC_URL to the https URL at which the service is reached, and open the console there.',
}) {}

export class CrossSiteRequest extends problem(403, 'cross_site_request', {
  title: 'Cross-site request',
  about:
    'The call of the console does not come from its own page: by Sec-Fetch-Site, or where the browser sends none, by an Origin that is not that of PUBLIC_URL.',
  message:
    'This call does not come from the page of the console; if it does, PUBLIC_URL has to be the URL in the address bar.',
}) {}

export class RouteNotFound extends problem(404, 'route_not_found', {
  title: 'No such route',
  about: 'The service has nothing at this path.',
}) {}

export class PublicUrlUnset extends problem(404, 'public_url_unset', {
  title: 'Public URL unset',
  about:
    'The service does not know the URL at which it is reached, so it has no metadata to publish. The operator has to set PUBLIC_URL.',
  message: 'The metadata is published where the operator has set PUBLIC_URL.',
}) {}

export class UserGroupNotFound extends problem(404, 'user_group_not_found', {
  title: 'User group not found',
  about: 'No user group of the workspace has this id. Send a name with it to create one.',
  message: 'No user group has this id; GET or PUT /api/user with a name creates it.',
}) {}

export class UserGroupTokenNotFound extends problem(404, 'token_not_found', {
  title: 'Token not found',
  about:
    'No user group of the workspace holds this token now: it is unknown, another workspace’s, or already replaced. GET with the user_group_id gives the current one.',
  message: 'No user group holds this token now; GET with the user_group_id gives the current one.',
}) {}

export class ApiTokenNotFound extends problem(404, 'api_token_not_found', {
  title: 'API token not found',
  about: 'No API token of the workspace has this id.',
  message: 'No API token has this id.',
}) {}

export class SessionNotFound extends problem(404, 'session_not_found', {
  title: 'Session not found',
  about: 'No session of the console that the caller may end has this id.',
  message: 'There is no such session.',
}) {}

export class SchemaNotFound extends problem(404, 'schema_not_found', {
  title: 'Schema not found',
  about: 'No schema of the workspace has this number.',
  message: 'No schema has this number.',
}) {}

export class DataSourceNotFound extends problem(404, 'data_source_not_found', {
  title: 'Data source not found',
  about: 'No data source of the workspace has this number.',
  message: 'No data source has this number.',
}) {}

export class WebhookEndpointNotFound extends problem(404, 'webhook_endpoint_not_found', {
  title: 'Webhook endpoint not found',
  about: 'No webhook endpoint of the workspace has this number.',
  message: 'No webhook endpoint has this number.',
}) {}

export class WebhookEventNotFound extends problem(404, 'webhook_event_not_found', {
  title: 'Webhook event not found',
  about:
    'The webhook endpoint was never to be sent this event, or it is no longer kept (WEBHOOK_RETENTION_DAYS).',
  message: 'The endpoint has no event of this id.',
}) {}

export class MethodNotAllowed extends problem(405, 'method_not_allowed', {
  title: 'Method not allowed',
  about: 'The path exists but not with this method; the Allow header lists those it has.',
  message: 'The Allow header lists the methods of this path.',
}) {
  constructor(allow: string, detail?: string) {
    super(detail, { headers: { Allow: allow } });
  }
}

export class RequestTimeout extends problem(408, 'request_timeout', {
  title: 'Request too slow',
  about: 'The request did not arrive completely in time.',
}) {}

export class ApiTokenEnded extends problem(409, 'api_token_ended', {
  title: 'API token has ended',
  about:
    'The API token is revoked, expired or already rotated; it can neither be changed nor rotated.',
  message: 'The API token is revoked, expired or already rotated.',
}) {}

export class ApiTokenOfPerson extends problem(409, 'api_token_of_person', {
  title: 'API token of a person',
  about:
    'The API token stands for a person who signs in at an identity provider; nobody knows it, and nobody can be given another in its place.',
  message: 'The API token stands for a person who signs in; it cannot be rotated.',
}) {}

export class LastAdminApiToken extends problem(409, 'last_admin_token', {
  title: 'Last admin token',
  about:
    'After this change no API token of the workspace could administer it. Issue another with the scope "admin" first, or use the command line.',
  message: 'No other API token of the workspace has the scope "admin"; issue one first.',
}) {}

export class UserGroupSuspended extends problem(409, 'user_group_suspended', {
  title: 'User group suspended',
  about: 'The group is suspended: no embed token is issued for it until it is resumed.',
  message: 'This user group is suspended; no embed token is issued for it until it is resumed.',
}) {}

export class UserGroupIncomplete extends problem(409, 'user_group_incomplete', {
  title: 'User group incomplete',
  about:
    'The group lacks what its workspace requires of every group: no embed token is issued for it until it has that. GET /api/v1/workspace/incomplete-user-groups says what is missing.',
  message:
    'This user group lacks what the workspace requires; no embed token is issued for it until it has that.',
}) {}

export class UserGroupQuotaReached extends problem(409, 'user_group_quota_reached', {
  title: 'Quota of user groups reached',
  about:
    'The workspace has as many user groups as its operator allows, so no other is created. Those that it has can be written as before. Delete one, or ask the operator for more.',
}) {
  constructor(quota: number) {
    super(`The workspace may have ${quota} user groups, and has them; no other is created.`);
  }
}

export class ChangeRefused extends problem(409, 'change_refused', {
  title: 'Change refused',
  about:
    'A rule of the application that the service is part of does not allow the change, so nothing of it was stored. The detail is in its words.',
}) {}

export class WebhookReplayRunning extends problem(409, 'webhook_replay_running', {
  title: 'Replay of webhooks running',
  about: 'The workspace has a replay that has not ended; ask again when it has.',
  message: 'A replay of webhooks is running in the workspace; ask again when it has ended.',
}) {}

export class UserGroupTokenIsCurrent extends problem(409, 'token_is_current', {
  title: 'Token is current',
  about: 'The current token of a group is not revoked but rotated, which ends it.',
  message: 'This is the current token of the group; rotate it instead.',
}) {}

export class IdempotencyKeySpent extends problem(409, 'idempotency_key_spent', {
  title: 'Idempotency key spent',
  about:
    'The rotation with this Idempotency-Key was done, and its token has been replaced since. GET with the user_group_id gives the current one.',
  message:
    'The rotation with this Idempotency-Key was done, and its token has been replaced since.',
}) {}

export class UserGroupTokenForgotten extends problem(409, 'token_forgotten', {
  title: 'Token forgotten',
  about:
    'The group’s token is still valid but cannot be shown any more, because the key that encrypted it is lost. Nothing was changed. Rotate it to get a new one: by POST with the token you have stored, or by the id of the group.',
  message:
    'The token of this group is still valid but cannot be shown any more; nothing was changed. Rotate it for a new one: POST /api/user with the token you have stored, or POST /api/v1/user-groups/{id}/tokens/rotate.',
}) {}

export class ProvidedIdTaken extends problem(409, 'provided_id_taken', {
  title: 'Id taken',
  about:
    'The registry of the workspace has a schema, or a data source, of this provided_id already.',
}) {
  constructor(thing: string) {
    super(`The workspace has a ${thing} of this provided_id already.`);
  }
}

export class TooManySchemas extends problem(409, 'too_many_schemas', {
  title: 'Too many schemas',
  about: 'The workspace has 200 schemas, as many as a mapping can have entries.',
}) {
  constructor(limit: number) {
    super(`The workspace has ${limit} schemas already.`);
  }
}

export class StillReferenced extends problem(409, 'still_referenced', {
  title: 'Still referenced',
  about:
    'User groups, or the required_schemas of the workspace, refer to what was to be deleted; errors names up to 20 of them, GET …/references lists all.',
  message: 'It is still referred to; GET its references for all of them.',
}) {
  /** @param referrers one violation for each, without duplicates */
  constructor(referrers: readonly Violation[]) {
    super(undefined, { violations: referrers });
  }
}

export class MappingsUnresolvable extends problem(409, 'mappings_unresolvable', {
  title: 'Mappings unresolvable',
  about:
    'The mapping_policy cannot become registered while mappings name what is not registered; errors names up to 20 of them, GET /api/v1/workspace/unresolvable-mappings lists all. Nothing was changed.',
  message: 'Mappings of user groups name what is not registered; nothing was changed.',
}) {
  constructor(violations: readonly Violation[]) {
    super(undefined, { violations });
  }
}

export class TooManyWebhookEndpoints extends problem(409, 'too_many_webhook_endpoints', {
  title: 'Too many webhook endpoints',
  about: 'The workspace has 50 webhook endpoints, as many as it may have. Delete one first.',
}) {
  constructor(limit: number) {
    super(`The workspace has ${limit} webhook endpoints already.`);
  }
}

export class WebhookSecretUnreadable extends problem(409, 'webhook_secret_unreadable', {
  title: 'Webhook secret unreadable',
  about:
    'The secret and the headers of the webhook endpoint cannot be decrypted with the configured keys, so nothing is sent to it. The operator has to restore TOKEN_ENCRYPTION_KEYS; or roll the secret, and set the headers again.',
  message:
    'The secret and the headers of this endpoint cannot be decrypted; roll the secret, and set the headers again.',
}) {
  constructor(cause: unknown) {
    super(undefined, { cause });
  }
}

export class UserGroupTokenNotUsable extends problem(409, 'token_not_usable', {
  title: 'Token not usable',
  about:
    'The token in a line of an import cannot become the token of this group: the value is or was the token of a group of the workspace. Nothing of the line was stored.',
  message: 'This token value is or was in use; import the group with another, or without one.',
}) {}

export class EventsGone extends problem(410, 'events_gone', {
  title: 'Events gone',
  about:
    'Events behind the cursor are not kept any more: it is older than EVENT_RETENTION_HOURS, its encryption key was removed, or another database has been restored. Look at everything anew, and go on from a call without `after`, or with `after=latest` before you look.',
  message: 'Events behind this cursor are not kept any more.',
}) {
  constructor(cause?: unknown) {
    super(undefined, { cause });
  }
}

export class PreconditionFailed extends problem(412, 'precondition_failed', {
  title: 'Precondition failed',
  about:
    'What is stored is not what If-Match or If-None-Match asks for, so nothing was changed. Read it again, and repeat the call with its ETag.',
  message: 'What is stored is not what If-Match or If-None-Match asks for; nothing was changed.',
}) {}

export class BodyTooLarge extends problem(413, 'body_too_large', {
  title: 'Body too large',
  about: 'The body, or one line of an import, is larger than BODY_LIMIT.',
}) {
  constructor(limit: number, part: BodyPart = 'body') {
    super(`The ${part} is larger than ${limit} bytes.`);
  }
}

export class MediaTypeUnsupported extends problem(415, 'media_type_unsupported', {
  title: 'Unsupported media type',
  about:
    'The body is not declared as "Content-Type: application/json" in UTF-8 (an import: "application/x-ndjson"), or it has a Content-Encoding.',
  message: 'Send the header "Content-Type: application/json"; the charset is UTF-8.',
}) {
  /** @param headers further header fields of the answer, such as `Accept-Patch` */
  constructor(detail?: string, headers?: ErrorHeaders) {
    super(detail, { headers });
  }
}

export class ExpectationFailed extends problem(417, 'expectation_failed', {
  title: 'Expectation failed',
  about: 'The Expect header asks for something else than 100-continue.',
  message: 'The Expect header can only be 100-continue.',
}) {}

export class ValidationFailed extends problem(422, 'validation_failed', {
  title: 'Body not acceptable',
  about: 'The body is well-formed but not acceptable; errors names each field and what is wrong.',
  message: 'The body is not acceptable.',
}) {
  constructor(violations: readonly Violation[]) {
    super(violations[0]?.detail, { violations });
  }
}

export class IdempotencyKeyReused extends problem(422, 'idempotency_key_reused', {
  title: 'Idempotency key reused',
  about: 'The Idempotency-Key was used within 24 hours for a call with another path or body.',
  message: 'This Idempotency-Key was used for another call; use a new key for each rotation.',
}) {}

export class RateLimited extends problem(429, 'rate_limited', {
  title: 'Too many requests',
  about:
    'The API token has used up RATE_LIMIT_PER_MINUTE, or, where the credentials are wrong, the client address FAILED_AUTHENTICATIONS_PER_MINUTE; Retry-After says when to go on.',
}) {
  constructor(detail: string, retryAfterSeconds: number) {
    super(detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}

export class TooManyAtOnce extends problem(429, 'too_many_at_once', {
  title: 'Too many at once',
  about:
    'The workspace has as many calls, imports or exports under way as may run at once, or the API token as many streams and waiting calls. Look-ups, writes and introspections go on meanwhile. Repeat the call after Retry-After seconds.',
  headers: { 'Retry-After': '5' },
}) {
  /** @param what such as "exports of the workspace" */
  constructor(limit: number, what: string) {
    super(`${limit} ${what} are under way; wait until one of them has ended.`);
  }
}

export class HeadersTooLarge extends problem(431, 'headers_too_large', {
  title: 'Header fields too large',
  about: 'The request line and header fields together are larger than 16 KiB.',
  message: 'The request line and header fields are too large.',
}) {}

export class InternalError extends problem(500, 'internal_error', {
  title: 'Internal error',
  about: 'A defect of the service. Please report it with the request_id.',
  message: 'Something went wrong inside the service.',
  level: 'error',
}) {
  constructor(cause: unknown) {
    super(undefined, { cause });
  }
}

export class DatabaseUnavailable extends problem(503, 'database_unavailable', {
  title: 'Database unavailable',
  about:
    'The database cannot be reached or is too busy. Nothing was answered as done, though a write that was under way can have been; repeat the call after Retry-After seconds, a rotation with an Idempotency-Key.',
  message: 'The database cannot be reached or is too busy; try again shortly.',
  level: 'warn',
  headers: { 'Retry-After': '1' },
}) {
  constructor(cause: unknown) {
    super(undefined, { cause });
  }
}

export class ExtensionUnavailable extends problem(503, 'extension_unavailable', {
  title: 'Extension unavailable',
  about:
    'A plugin, or the application around the service, has to agree and has not returned in time. Nothing was stored; repeat the call after Retry-After seconds. The log names the plugin.',
  message: 'An extension of the service has not returned in time; nothing was stored.',
  headers: { 'Retry-After': '5' },
}) {}

export class IdentityProviderUnavailable extends problem(503, 'identity_provider_unavailable', {
  title: 'Identity provider unavailable',
  about:
    'The identity provider of CONSOLE_OPENID_ISSUER cannot be reached, or is none. Try again, or sign in by an API token.',
  message: 'The identity provider cannot be reached; try again, or sign in by an API token.',
  level: 'warn',
  headers: { 'Retry-After': '5' },
}) {
  constructor(cause: unknown) {
    super(undefined, { cause });
  }
}

export class UserGroupTokenUnreadable extends problem(503, 'token_unreadable', {
  title: 'Token unreadable',
  about:
    'The stored user-group token cannot be decrypted with the configured keys. The operator has to restore TOKEN_ENCRYPTION_KEYS.',
  message: 'The stored token cannot be decrypted; the operator has to look at the keys.',
  level: 'error',
  headers: { 'Retry-After': '60' },
}) {
  constructor(cause: unknown) {
    super(undefined, { cause });
  }
}

export class AuditUnavailable extends problem(503, 'audit_unavailable', {
  title: 'Audit log unavailable',
  about:
    'The change could not be recorded in the audit log, so it was not made. The operator has to look at the database.',
  message: 'The change could not be recorded in the audit log, so it was not made.',
  level: 'error',
  headers: { 'Retry-After': '60' },
}) {
  constructor(cause: unknown) {
    super(undefined, { cause });
  }
}

export class MigrationsPending extends problem(503, 'migrations_pending', {
  title: 'Migrations pending',
  about:
    'The database lacks a migration of this version, as after a restore or a revert under a running process: start the service anew, or run `npm run cli -- migration run`. Only /health/ready answers this.',
  message: 'The database lacks a migration that this version needs.',
  headers: { 'Retry-After': '5' },
}) {}

export class Starting extends problem(503, 'starting', {
  title: 'Starting',
  about:
    'This process has not yet made sure that there is a first API token; ask again, or another replica.',
  message: 'This process is still starting.',
  headers: { 'Retry-After': '1' },
}) {}

export class ShuttingDown extends problem(503, 'shutting_down', {
  title: 'Shutting down',
  about: 'This process is about to end; repeat the call, another replica will answer.',
  message: 'This process is about to end.',
  headers: { 'Retry-After': '1', Connection: 'close' },
}) {}
