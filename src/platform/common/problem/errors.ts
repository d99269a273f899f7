import { MAX_VIOLATIONS, type Violation } from './violation.ts';

/** The appearance of a class of errors on the wire, in the log and in the catalogue. */
export interface ErrorSpec {
  status: number;
  /** Stable; callers switch on it. */
  code: string;
  title: string;
  /** Says when it happens and what to do. */
  about: string;
  /** The message of an instance, or an example of it; by default `about`. */
  detail?: string;
  /** An example of the violations of an instance. */
  errors?: readonly Violation[];
  /** Level of an additional line in the log; a mere refusal needs none. */
  level?: 'warn' | 'error';
}

/** Header fields of the response. */
export type ErrorHeaders = Readonly<Record<string, string>>;

/** The parts of an error besides its text. */
export interface ErrorDetails {
  /** For the log alone. */
  cause?: unknown;
  headers?: ErrorHeaders;
  /** Cut to `MAX_VIOLATIONS`. */
  violations?: readonly Violation[];
}

/** An error of the catalogue. Its message is for the caller. */
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

/** Every error of the API, by status and code: the source of docs/reference/errors.md and of the OpenAPI document. */
export const errorCatalogue: ErrorSpec[] = [];
/** The codes of the catalogue, in its order. */
export const errorCodes: string[] = [];

/** A catalogue entry, whose title is by default its code in words. */
type Entry = Omit<ErrorSpec, 'status' | 'code' | 'title'> & {
  title?: string;
  headers?: ErrorHeaders;
};

/** The class of an error, with its row of the catalogue. */
export interface ErrorClass<Args extends unknown[] = [detail?: string, details?: ErrorDetails]> {
  new (...args: Args): ServiceError;
  readonly spec: ErrorSpec;
}

/** Makes the base class of an error, and registers its catalogue entry. */
function problem(status: number, code: string, { headers, ...texts }: Entry): ErrorClass {
  const spec: ErrorSpec = { status, code, title: titleOf(code), ...texts };
  enter(spec);
  return class extends ServiceError {
    static override readonly spec = spec;

    constructor(detail = spec.detail ?? spec.about, details: ErrorDetails = {}) {
      super(detail, { headers, ...details });
    }
  };
}

/** Keeps the order of the catalogue independent of which errors are loaded first. */
function enter(spec: ErrorSpec): void {
  const next = errorCatalogue.findIndex(({ status, code }) =>
    status === spec.status ? code > spec.code : status > spec.status,
  );
  const place = next === -1 ? errorCatalogue.length : next;
  errorCatalogue.splice(place, 0, spec);
  errorCodes.splice(place, 0, spec.code);
}

function titleOf(code: string): string {
  const words = code
    .replaceAll('_', ' ')
    .replace(/\b(api|json|url)\b/, (name) => name.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Makes the base class of an error that has the message of its kind, and a cause for the log alone. */
function failure(status: number, code: string, entry: Entry): ErrorClass<[cause?: unknown]> {
  return class extends problem(status, code, entry) {
    constructor(cause?: unknown) {
      super(undefined, { cause });
    }
  };
}

export class RequestMalformed extends problem(400, 'request_malformed', {
  about: 'The bytes received are not an HTTP request, or the path is not valid percent-encoding.',
}) {}

/** Refused by code of a plugin, or of the application around the service, with a status of its own. */
export class RefusedByExtension extends problem(400, 'refused', {
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
  about:
    'The request arrived without its JSON body. fetch, some SDKs, proxies and CDNs drop or refuse the body of a GET: send the same body by PUT /api/user, or as POST /api/user with the header "X-HTTP-Method-Override: GET"; or use /api/v1/user-groups/{id}, whose GET has no body.',
  detail: 'The request arrived without its body.',
}) {
  constructor(path = '') {
    super(path.startsWith('/api/user') ? BodyMissing.spec.about : undefined);
  }
}

export class BodyIncomplete extends problem(400, 'body_incomplete', {
  about: 'The connection ended before the whole body had arrived.',
}) {}

export class IdempotencyKeyInvalid extends problem(400, 'idempotency_key_invalid', {
  about: 'The Idempotency-Key header must be one text of 1 to 255 visible ASCII characters.',
}) {}

export class PreconditionMalformed extends problem(400, 'precondition_malformed', {
  about: 'If-Match and If-None-Match must be `*` or entity tags in double quotes, as in ETag.',
  detail: 'If-Match must be `*` or entity tags in double quotes, as in ETag.',
}) {}

/** The unit that is read as one JSON text: a whole body, or a line of it. */
export type BodyPart = 'body' | 'line';

export class BodyNotUtf8 extends problem(400, 'body_not_utf8', {
  title: 'Body is not UTF-8',
  about: 'The body, or one line of an import, holds bytes that are not valid UTF-8.',
  detail: 'The body is not valid UTF-8.',
}) {
  constructor(part: BodyPart = 'body') {
    super(`The ${part} is not valid UTF-8.`);
  }
}

export class JsonMalformed extends problem(400, 'json_malformed', {
  about: 'The body, or one line of an import, is not JSON (RFC 8259). The detail says where.',
  detail: 'The body is not valid JSON at character 17.',
}) {
  /** @param found the wrong character, if it is invisible */
  constructor(position: number, part: BodyPart = 'body', found?: string) {
    const what = found === undefined ? '' : `, which is ${found}`;
    super(`The ${part} is not valid JSON at character ${position}${what}.`);
  }
}

export class JsonDuplicateKey extends problem(400, 'json_duplicate_key', {
  about: 'An object in the body names the same key twice, so that one of the values would be lost.',
  detail: 'An object in the body repeats a key at character 17.',
}) {
  constructor(position: number, part: BodyPart = 'body') {
    super(`An object in the ${part} repeats a key at character ${position}.`);
  }
}

export class CredentialsAmbiguous extends problem(400, 'credentials_ambiguous', {
  about: 'Send the API token one way: in the Authorization header, or once as client_secret.',
}) {}

/** The challenge of every 401 (RFC 9110, section 11.6.1). */
const TOKEN_CHALLENGE = 'Token realm="user groups"';
const BEARER_CHALLENGE = 'Bearer realm="user groups"';
const BASIC_CHALLENGE = 'Basic realm="user groups", charset="UTF-8"';
const CHALLENGE = { 'WWW-Authenticate': TOKEN_CHALLENGE };

/** Adds Bearer and HTTP Basic to the challenge of a 401; leaves any other error unchanged. */
export function offerBasic(error: unknown): void {
  if (!(error instanceof ServiceError) || error.spec.status !== 401) return;
  error.headers = {
    'WWW-Authenticate': `${TOKEN_CHALLENGE}, ${BEARER_CHALLENGE}, ${BASIC_CHALLENGE}`,
  };
}

export class CredentialsMissing extends problem(401, 'credentials_missing', {
  about:
    'The request has no API token. Send the header "Authorization: Token <API_TOKEN>"; introspection also takes HTTP Basic, and client_secret in a form.',
  detail: 'Send the header "Authorization: Token <API_TOKEN>".',
  headers: CHALLENGE,
}) {}

export class CredentialsMalformed extends problem(401, 'credentials_malformed', {
  about:
    'The Authorization header must have the form "Token <API_TOKEN>": the word Token, a space, the API token.',
  headers: CHALLENGE,
}) {}

export class ApiTokenInvalid extends problem(401, 'api_token_invalid', {
  about: 'The API token is unknown, revoked or expired.',
  headers: CHALLENGE,
}) {
  /** @param subject the token, if it was one; for the audit log alone */
  constructor(readonly subject?: { workspaceId: number; apiTokenId: number }) {
    super();
  }
}

/** The challenge of the console, for which browsers show no dialog. */
const SESSION_CHALLENGE = { 'WWW-Authenticate': 'Session realm="console"' };

export class SessionMissing extends problem(401, 'session_missing', {
  about: 'The call needs a session. Sign in to the console, or call /api with an API token.',
  headers: SESSION_CHALLENGE,
}) {}

export class SessionEnded extends problem(401, 'session_ended', {
  about:
    'The session has ended: signed out, ended by a person, unused for 30 minutes, 12 hours old, or its API token is revoked or expired. Sign in again.',
  headers: SESSION_CHALLENGE,
}) {}

export class InsufficientScope extends problem(403, 'insufficient_scope', {
  about: 'The API token lacks the scope that the detail names.',
  detail: 'This call needs an API token with the scope "user-groups:write".',
}) {
  constructor(scope: string, purpose = 'This call') {
    super(`${purpose} needs an API token with the scope "${scope}".`);
  }
}

export class GrantExceedsCaller extends problem(403, 'grant_exceeds_caller', {
  about: 'The call would grant a scope, a life or addresses beyond those of its own API token.',
  detail: 'Your API token does not have the scope "user-groups:write".',
}) {}

export class AddressNotAllowed extends problem(403, 'address_not_allowed', {
  about: 'The API token may not be used from this address, which is not in its allowed_cidrs.',
}) {}

export class ViewAsForbidden extends problem(403, 'view_as_forbidden', {
  about:
    'The workspace forbids embed tokens for somebody who acts for a user group: view_as of GET /api/v1/workspace is forbidden.',
}) {}

export class SignInFailed extends failure(403, 'sign_in_failed', {
  title: 'Sign-in failed',
  about:
    'The identity provider did not say who signs in: it refused, the attempt is older than ten minutes, or it was begun in another browser. Begin again.',
}) {}

export class SignInNotGranted extends problem(403, 'sign_in_not_granted', {
  about:
    'The identity provider knows the person, but what it says of them fits none of CONSOLE_OIDC_GRANTS, or none of the workspace asked for. The log has, with the request_id, the claims that it has sent.',
  detail: 'You are known, but nothing is granted to you here.',
}) {
  /**
   * @param subject the person's id; for the audit log and the log alone
   * @param why details for the log alone
   */
  constructor(
    readonly subject: string,
    readonly why: object,
  ) {
    super();
  }
}

export class ApiTokenSuperseded extends problem(403, 'api_token_superseded', {
  about:
    'The API token has been rotated. Until its overlap ends it does everything that it did, except to issue, change, rotate or revoke API tokens: use its successor.',
}) {}

export class ConsoleNotSecure extends problem(403, 'console_not_secure', {
  about:
    'The console takes sign-ins over https alone, or on localhost: elsewhere its cookie could be read on the way. The operator has to set PUBLIC_URL to the https URL at which the service is reached; open the console there.',
}) {}

export class CrossSiteRequest extends problem(403, 'cross_site_request', {
  title: 'Cross-site request',
  about:
    'This call does not come from the page of the console, by its Sec-Fetch-Site or its Origin. If it does, PUBLIC_URL has to be the URL in the address bar.',
}) {}

export class RouteNotFound extends problem(404, 'route_not_found', {
  about: 'The service has nothing at this path.',
}) {}

export class PublicUrlUnset extends problem(404, 'public_url_unset', {
  about: 'The metadata is published only after the operator has set PUBLIC_URL.',
}) {}

export class UserGroupNotFound extends problem(404, 'user_group_not_found', {
  about: 'No user group has this id; GET or PUT /api/user with a name creates it.',
  detail: 'No user group of the workspace has this id.',
}) {}

export class UserGroupVersionNotFound extends problem(404, 'user_group_version_not_found', {
  about: 'The group has no version of this number, or it was removed after HISTORY_RETENTION_DAYS.',
}) {}

export class HistoryBeginsLater extends problem(404, 'history_begins_later', {
  about: 'What there was at this time is no longer kept (HISTORY_RETENTION_DAYS).',
}) {}

export class UserGroupTokenNotFound extends problem(404, 'token_not_found', {
  about: 'No user group holds this token now; GET with the user_group_id gives the current one.',
}) {}

export class ApiTokenNotFound extends problem(404, 'api_token_not_found', {
  about: 'No API token has this id.',
}) {}

export class SessionNotFound extends problem(404, 'session_not_found', {
  about: 'No session of the console that the caller may end has this id.',
}) {}

export class SchemaNotFound extends problem(404, 'schema_not_found', {
  about: 'No schema of the workspace has this number.',
}) {}

export class DataSourceNotFound extends problem(404, 'data_source_not_found', {
  about: 'No data source of the workspace has this number.',
}) {}

export class WebhookEndpointNotFound extends problem(404, 'webhook_endpoint_not_found', {
  about: 'No webhook endpoint of the workspace has this number.',
}) {}

export class WebhookEventNotFound extends problem(404, 'webhook_event_not_found', {
  about: 'The endpoint has no event with this id, or no longer keeps it (WEBHOOK_RETENTION_DAYS).',
}) {}

export class MethodNotAllowed extends problem(405, 'method_not_allowed', {
  about: 'The path does not have this method; the Allow header lists those that it has.',
}) {
  constructor(allow: string, detail?: string) {
    super(detail, { headers: { Allow: allow } });
  }
}

export class RequestTimeout extends problem(408, 'request_timeout', {
  about: 'The request did not arrive completely in time.',
}) {}

export class ApiTokenEnded extends problem(409, 'api_token_ended', {
  about: 'The API token is revoked, expired or rotated, so it can neither change nor be rotated.',
}) {}

export class ApiTokenOfPerson extends problem(409, 'api_token_of_person', {
  about: 'The API token stands for a person who signs in, so it cannot be rotated.',
}) {}

export class LastAdminApiToken extends problem(409, 'last_admin_token', {
  about: 'No other API token of the workspace has the scope "admin"; issue one first.',
}) {}

export class UserGroupInactive extends problem(409, 'user_group_inactive', {
  about:
    'This user group is suspended, expired or incomplete; no embed token is issued for it until it is not. Its `status` and `reasons` say why.',
  detail: 'No embed token is issued: The group is suspended.',
}) {}

export class UserGroupTokensEnded extends problem(409, 'user_group_tokens_ended', {
  about:
    'The token of this user group was ended together with all others of the workspace. GET or PUT of /api/user issues a fresh one.',
}) {}

export class UserGroupQuotaReached extends problem(409, 'user_group_quota_reached', {
  about:
    'The workspace has as many user groups as its operator allows, so no other is created. Those that it has can be written as before. Delete one, or ask the operator for more.',
  detail: 'The workspace may have 100 user groups, and has them; no other is created.',
}) {
  constructor(quota: number) {
    super(`The workspace may have ${quota} user groups, and has them; no other is created.`);
  }
}

export class ChangeRefused extends problem(409, 'change_refused', {
  about: 'A rule of the application around the service refuses the change; nothing was stored.',
}) {}

export class WebhookReplayRunning extends problem(409, 'webhook_replay_running', {
  about: 'A replay of webhooks is running in the workspace; ask again when it has ended.',
}) {}

export class WebhookTestRefused extends problem(409, 'webhook_test_refused', {
  detail: 'This process sends no webhooks: WEBHOOK_DELIVERY is off.',
  about:
    'No test event can be sent now: another one to the endpoint is on its way, too many webhooks are, or the process sends none. The detail says which.',
}) {}

export class UserGroupTokenIsCurrent extends problem(409, 'token_is_current', {
  about: 'This is the current token of the group, which is not revoked; rotate it instead.',
}) {}

export class IdempotencyKeySpent extends problem(409, 'idempotency_key_spent', {
  about:
    'The call with this Idempotency-Key was done, and its response cannot be returned any more. A user-group token was replaced since: GET with the user_group_id gives the current one.',
  detail:
    'The rotation with this Idempotency-Key was done, and its token has been replaced since. GET with the user_group_id gives the current one.',
}) {}

export class IdempotencyKeyReused extends problem(409, 'idempotency_key_reused', {
  about:
    'This Idempotency-Key was used for another call; use a new key for each call that you mean.',
}) {}

export class UserGroupTokenForgotten extends problem(409, 'token_forgotten', {
  about:
    'The token of this group is still valid but cannot be shown any more, because the key that encrypted it is lost; nothing was changed. Rotate it for a new one: POST /api/user with the token you have stored, or POST /api/v1/user-groups/{id}/tokens/rotate.',
}) {}

export class ProvidedIdTaken extends problem(409, 'provided_id_taken', {
  about: 'The workspace already has a schema or a data source with this provided_id.',
  detail: 'The workspace already has a schema with this provided_id.',
}) {}

export class TooManySchemas extends problem(409, 'too_many_schemas', {
  about: 'The workspace has 200 schemas, as many as a mapping can have entries.',
}) {}

export class StillReferenced extends problem(409, 'still_referenced', {
  about: 'It is still referred to; nothing was changed. `errors` has up to 20 of the places.',
  errors: [
    {
      pointer: '/user_groups/acme-emea',
      code: 'refers',
      detail: 'The mapping of this user group refers to it.',
    },
  ],
}) {}

export class MappingsUnresolvable extends problem(409, 'mappings_unresolvable', {
  about:
    'Mappings of user groups name what is not registered; nothing was changed. `errors` has up to 20 of them.',
  errors: [
    {
      pointer: '/user_groups/acme-emea/mapping/sales',
      code: 'unknown_schema',
      detail: 'No schema of the workspace has this id.',
    },
  ],
}) {}

export class TooManyWebhookEndpoints extends problem(409, 'too_many_webhook_endpoints', {
  about: 'The workspace has 50 webhook endpoints, as many as it may have. Delete one first.',
}) {}

export class WebhookSecretUnreadable extends failure(409, 'webhook_secret_unreadable', {
  about:
    'The secret and the headers of the webhook endpoint cannot be decrypted with the configured keys, so nothing is sent to it. The operator has to restore TOKEN_ENCRYPTION_KEYS; or roll the secret, and set the headers again.',
}) {}

export class UserGroupTokenNotUsable extends problem(409, 'token_not_usable', {
  about: 'This token value is or was in use; import the group with another, or without one.',
}) {}

export class EventsGone extends failure(410, 'events_gone', {
  about:
    'Events behind this cursor are not kept any more: it is older than EVENT_RETENTION_HOURS, its encryption key was removed, or another database was restored. Read everything again, then go on from a call without `after`; or call with `after=latest` first, read everything, and go on from its cursor.',
}) {}

export class PreconditionFailed extends problem(412, 'precondition_failed', {
  about:
    'What is stored is not what If-Match or If-None-Match asks for; nothing was changed. Read it again, and repeat the call with its ETag.',
}) {}

export class BodyTooLarge extends problem(413, 'body_too_large', {
  about: 'The body, or one line of an import, is larger than BODY_LIMIT.',
  detail: 'The body is larger than 262144 bytes.',
}) {
  constructor(limit: number, part: BodyPart = 'body') {
    super(`The ${part} is larger than ${limit} bytes.`);
  }
}

export class MediaTypeUnsupported extends problem(415, 'media_type_unsupported', {
  about:
    'The body is not declared as "Content-Type: application/json" in UTF-8 (an import: "application/x-ndjson"), or it has a Content-Encoding.',
  detail: 'Send the header "Content-Type: application/json"; the charset is UTF-8.',
}) {}

export class ExpectationFailed extends problem(417, 'expectation_failed', {
  about: 'The Expect header can only be 100-continue.',
}) {}

export class ValidationFailed extends problem(422, 'validation_failed', {
  title: 'Request not acceptable',
  about:
    'The request is well-formed but not acceptable; `errors` has each field or parameter, and what is wrong.',
  detail: 'The text must not be empty.',
  errors: [{ pointer: '/name', code: 'empty', detail: 'The text must not be empty.' }],
}) {
  /** @param violations at least one, whose detail is the message */
  constructor(violations: readonly Violation[]) {
    super(violations[0]?.detail ?? ValidationFailed.spec.about, { violations });
  }
}

export class RateLimited extends problem(429, 'rate_limited', {
  title: 'Too many requests',
  about:
    'The API token makes requests faster than RATE_LIMIT_PER_MINUTE or INTROSPECTION_RATE_LIMIT_PER_MINUTE allows, or the client address sends wrong credentials faster than AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE does. Limits refill continuously: retry after the seconds of Retry-After.',
  detail: 'The API token has made too many requests.',
}) {
  constructor(detail: string, retryAfterSeconds: number) {
    super(detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}

export class TooManyAtOnce extends problem(429, 'too_many_at_once', {
  about:
    'The workspace or the API token has as many calls, imports, exports, reports, streams or waiting calls under way as may run at once. Look-ups, writes and introspections go on meanwhile. Repeat the call after Retry-After seconds.',
  detail: '2 exports of the API token are under way; wait until one of them has ended.',
  headers: { 'Retry-After': '5' },
}) {
  /** @param what such as "exports of the API token" */
  constructor(limit: number, what: string) {
    super(`${limit} ${what} are under way; wait until one of them has ended.`);
  }
}

export class HeadersTooLarge extends problem(431, 'headers_too_large', {
  about: 'The request line and header fields together are larger than 16 KiB.',
}) {}

export class InternalError extends failure(500, 'internal_error', {
  about: 'Something went wrong inside the service. Please report it with the request_id.',
  level: 'error',
}) {}

export class DatabaseUnavailable extends failure(503, 'database_unavailable', {
  about:
    'The database cannot be reached or is too busy. A write that was under way may have been done. Repeat the call after Retry-After seconds, a rotation with an Idempotency-Key.',
  detail: 'The database cannot be reached or is too busy; try again shortly.',
  level: 'warn',
  headers: { 'Retry-After': '1' },
}) {}

export class ExtensionUnavailable extends failure(503, 'extension_unavailable', {
  about:
    'An extension of the service has not returned in time; nothing was stored. Repeat the call after Retry-After seconds; the log names the plugin.',
  headers: { 'Retry-After': '5' },
}) {}

export class IdentityProviderUnavailable extends failure(503, 'identity_provider_unavailable', {
  about: 'The identity provider cannot be reached; try again, or sign in by an API token.',
  level: 'warn',
  headers: { 'Retry-After': '5' },
}) {}

export class UserGroupTokenUnreadable extends failure(503, 'token_unreadable', {
  about: 'The stored token cannot be decrypted; the operator has to restore TOKEN_ENCRYPTION_KEYS.',
  level: 'error',
  headers: { 'Retry-After': '60' },
}) {}

export class AuditUnavailable extends failure(503, 'audit_unavailable', {
  about:
    'The change could not be recorded in the audit log, so it was not made. The operator has to look at the database.',
  level: 'error',
  headers: { 'Retry-After': '60' },
}) {}

export class MigrationsPending extends problem(503, 'migrations_pending', {
  about:
    'The database lacks a migration that this version needs, as after a restore: start the service again, or run `npm run cli -- migration run`. Only /health/ready returns this.',
  headers: { 'Retry-After': '5' },
}) {}

export class Starting extends problem(503, 'starting', {
  about: 'This process is still starting; ask again, or ask another replica.',
  headers: { 'Retry-After': '1' },
}) {}

export class ShuttingDown extends problem(503, 'shutting_down', {
  about: 'This process is about to end; repeat the call, another replica will respond.',
  headers: { 'Retry-After': '1', Connection: 'close' },
}) {}
