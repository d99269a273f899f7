import { failure, problem } from '../../platform/common/problem/problem.ts';

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

export class SignInFailed extends failure(403, 'sign_in_failed', {
  title: 'Sign-in failed',
  about:
    'The identity provider did not say who signs in: it refused, the attempt is older than ten minutes, or it was begun in another browser. Begin again.',
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

export class SessionNotFound extends problem(404, 'session_not_found', {
  about: 'No session of the console that the caller may end has this id.',
}) {}

export class IdentityProviderUnavailable extends failure(503, 'identity_provider_unavailable', {
  about: 'The identity provider cannot be reached; try again, or sign in by an API token.',
  level: 'warn',
  headers: { 'Retry-After': '5' },
}) {}
