import { objectOf } from '../../platform/common/fields.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { identifierViolations, textViolations } from '../../platform/common/text.ts';

export const MAX_LIFE_SECONDS = 86_400;
export const DEFAULT_LIFE_SECONDS = 600;
/** Limits how long somebody who acts for a group sees what it sees. */
export const MAX_VIEW_AS_SECONDS = 900;

export const actingForViolations = objectOf({
  subject: identifierViolations,
  reason: identifierViolations,
});

/** Accepts a web origin spelled as browsers spell it (RFC 6454, section 6.2). */
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
