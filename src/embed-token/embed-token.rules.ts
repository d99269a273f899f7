import type { Violation } from '../common/violation.ts';
import { textViolations } from '../common/text.ts';

/** The longest life of an embed token: a day. */
export const MAX_LIFE_SECONDS = 86_400;
export const DEFAULT_LIFE_SECONDS = 600;

/** Validates an `expires_in_seconds`: a whole number of seconds from 1 to a day. */
export function lifeViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'number') {
    return [{ pointer, code: 'type', detail: 'The expires_in_seconds must be a number.' }];
  }
  if (Number.isInteger(value) && value >= 1 && value <= MAX_LIFE_SECONDS) return [];
  const detail = `The expires_in_seconds must be a whole number from 1 to ${MAX_LIFE_SECONDS}.`;
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** Validates a web origin, which must be spelled as browsers spell it (RFC 6454, section 6.2). */
export function originViolations(value: unknown, pointer: string): Violation[] {
  const violations = textViolations(value, pointer);
  if (violations.length > 0 || isOrigin(value as string)) return violations;
  const detail =
    'The origin must be a scheme, a host and a port other than the usual one, such as https://app.example.com or http://localhost:8080; http for localhost only.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** Restricts a host to letters, digits, `.`, `_` and `-`: `*` and `;` have a meaning in a policy. */
const SECURE = /^https:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/;
const LOCAL = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

function isOrigin(text: string): boolean {
  if (!SECURE.test(text) && !LOCAL.test(text)) return false;
  return URL.canParse(text) && new URL(text).origin === text;
}
