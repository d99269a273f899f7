import type { Request } from 'express';
import {
  CredentialsAmbiguous,
  CredentialsMalformed,
  CredentialsMissing,
} from '../../problem/errors.ts';
import { FORM_TYPE, isMediaType, readBodyAhead } from '../../json/read-body.ts';
import { bodyLimitOf } from '../server/http-settings.ts';
import { type Parameters, parseFormBody } from './form.ts';

// Reads the secret of an OAuth 2.0 client (RFC 6749, section 2.3.1).

/** The form is read before the caller is known; the longest useful one has less than 10,000 bytes. */
const FORM_LIMIT = 16 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const WAYS =
  'Send the header "Authorization: Token <API_TOKEN>"; or the API token as an OAuth 2.0 client sends its secret, by HTTP Basic or as client_secret in a form.';

/**
 * Reads the secret of HTTP Basic credentials; the id can be any.
 * @throws CredentialsMalformed
 */
export function secretOfBasic(credentials: string): string {
  const text = BASE64.test(credentials) ? Buffer.from(credentials, 'base64').toString('utf8') : '';
  const [, secret] = /^[^:]*:(.+)$/s.exec(text) ?? [];
  try {
    // A client that forgets to encode a plus sends it unchanged; it never means a space.
    if (secret !== undefined) return decodeURIComponent(secret);
  } catch {
    // Continues if the secret is not encoded properly.
  }
  throw new CredentialsMalformed(
    'The credentials of HTTP Basic must be any client id, a colon and the API token, each form-urlencoded, all of it in base64.',
  );
}

/**
 * Reads the `client_secret` of a form; ignores a body of another type.
 * @throws CredentialsMissing, CredentialsAmbiguous; the errors of `readBody` and `parseFormBody`
 */
export async function secretOfForm(request: Request): Promise<string> {
  if (!isMediaType(request.headers['content-type'], FORM_TYPE)) throw new CredentialsMissing(WAYS);
  const limit = Math.min(FORM_LIMIT, bodyLimitOf(request));
  const { bytes } = await readBodyAhead(request, limit, [FORM_TYPE]);
  const [secret, ...others] = secretsIn(parseFormBody(bytes));
  if (others.length > 0) throw new CredentialsAmbiguous();
  if (secret === undefined) throw new CredentialsMissing(WAYS);
  return secret;
}

/** @throws CredentialsAmbiguous if the form has a secret in addition to the Authorization header */
export function refuseSecondSecret({ headers }: Request, form: Parameters): void {
  if (headers.authorization && secretsIn(form).length > 0) throw new CredentialsAmbiguous();
}

/** Lists the secrets of a form; an empty one counts as none (RFC 6749, section 2.3.1). */
function secretsIn(form: Parameters): string[] {
  return form
    .filter(([name, value]) => name === 'client_secret' && value !== '')
    .map(([, value]) => value);
}
