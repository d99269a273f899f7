import { type ErrorSpec, failure, problem, ServiceError } from './problem.ts';
import type { Violation } from './violation.ts';

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

/** The unit that is read as one JSON text: a whole body or file, or a line of it. */
export type BodyPart = 'body' | 'file' | 'line';

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
  constructor(
    readonly position: number,
    part: BodyPart = 'body',
    found?: string,
  ) {
    const what = found === undefined ? '' : `, which is ${found}`;
    super(`The ${part} is not valid JSON at character ${position}${what}.`);
  }
}

export class JsonDuplicateKey extends problem(400, 'json_duplicate_key', {
  about: 'An object in the body names the same key twice, so one of the values would be lost.',
  detail: 'An object in the body repeats a key at character 17.',
}) {
  constructor(
    readonly position: number,
    part: BodyPart = 'body',
  ) {
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

export class InsufficientScope extends problem(403, 'insufficient_scope', {
  about: 'The API token lacks the scope that the detail names.',
  detail: 'This call needs an API token with the scope "user-groups:write".',
}) {
  constructor(scope: string, purpose = 'This call') {
    super(`${purpose} needs an API token with the scope "${scope}".`);
  }
}

export class TokenRestricted extends problem(403, 'token_restricted', {
  about:
    'The API token is for certain user groups alone, and this call is not about single user groups.',
}) {}

export class AddressNotAllowed extends problem(403, 'address_not_allowed', {
  about: 'The API token may not be used from this address, which is not in its allowed_cidrs.',
}) {}

export class RouteNotFound extends problem(404, 'route_not_found', {
  about: 'The service has nothing at this path.',
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
