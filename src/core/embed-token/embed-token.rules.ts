import { type Check, listOf, objectOf, textThat } from '../../platform/common/fields.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { identifierViolations, textViolations } from '../../platform/common/text.ts';
import type { EmbedResource } from './embed-token.ts';

export const MAX_LIFE_SECONDS = 86_400;
export const DEFAULT_LIFE_SECONDS = 600;
/** Limits how long somebody who acts for a group sees what it sees. */
export const MAX_VIEW_AS_SECONDS = 900;

export const actingForViolations = objectOf({
  subject: identifierViolations,
  reason: identifierViolations,
});

/** A token with 50 UUIDs fits into a header of 8 KB. */
export const MAX_RESOURCES = 50;
const MAX_RESOURCES_BYTES = 4096;
const RESOURCE_TYPE = /^[A-Za-z][\w.-]{0,63}$/;

/** A name of a target. */
export const targetNameViolations = textThat(
  (text) => /^[a-z0-9-]{1,64}$/.test(text),
  'The target must be the name of one: 1–64 of a-z, 0-9 and "-".',
);

/** Lists the fields that a token for a target has from the target, or that another token lacks. */
export function misplacedFields({
  target,
  audience,
  origin,
  format,
}: Partial<Record<'target' | 'audience' | 'origin' | 'format', string>>): Violation[] {
  if (target === undefined) {
    const detail = 'The field audience is required: it names who is to accept the token.';
    return audience === undefined ? [{ pointer: '/audience', code: 'required', detail }] : [];
  }
  const detail =
    'The target decides this: a token for a target is a JWT for the audience of its tool.';
  return Object.entries({ audience, origin, format }).flatMap(([name, value]): Violation[] =>
    value === undefined ? [] : [{ pointer: `/${name}`, code: 'not_acceptable', detail }],
  );
}

export const viewerViolations = objectOf(
  { id: identifierViolations, name: identifierViolations, email: emailViolations },
  ['name', 'email'],
);

function emailViolations(value: unknown, pointer: string): Violation[] {
  const violations = identifierViolations(value, pointer);
  if (violations.length > 0 || /^[^\s@]+@[^\s@]+$/.test(value as string)) return violations;
  const detail = 'The address must have one @, with text before and after it and no white space.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

const resourceListViolations = listOf(
  objectOf({ type: resourceTypeViolations, id: identifierViolations }),
  { least: 1, most: MAX_RESOURCES, canRepeat: true },
);

/** Accepts a list of different resources; an empty one could be read as no restriction. */
export const resourcesViolations: Check = (value, pointer) => {
  const violations = resourceListViolations(value, pointer);
  if (violations.length > 0) return violations;
  const resources = value as readonly EmbedResource[];
  if (Buffer.byteLength(JSON.stringify(resources)) > MAX_RESOURCES_BYTES) {
    const detail = `The resources must not be longer than ${MAX_RESOURCES_BYTES} bytes of JSON.`;
    return [{ pointer, code: 'too_large', detail }];
  }
  const keys = resources.map(({ type, id }) => JSON.stringify([type, id]));
  return keys.flatMap((key, index): Violation[] => {
    if (keys.indexOf(key) === index) return [];
    return [{ pointer: `${pointer}/${index}`, code: 'repeated', detail: 'It is listed twice.' }];
  });
};

function resourceTypeViolations(value: unknown, pointer: string): Violation[] {
  const violations = identifierViolations(value, pointer);
  if (violations.length > 0 || RESOURCE_TYPE.test(value as string)) return violations;
  const detail =
    'The type must be 1–64 letters, digits, "_", "." and "-", the first of them a letter, such as dashboard.';
  return [{ pointer, code: 'resource_invalid', detail }];
}

/** A signed token, which a browser can read; or an encrypted one, which introspection alone reads. */
export const tokenFormats = ['jwt', 'opaque'] as const;

const MAX_VARIABLES_BYTES = 1024;

/** Accepts an object within its size; the workspace and the group decide the rest. */
export function sentVariablesViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ pointer, code: 'type', detail: 'The variables must be an object.' }];
  }
  if (Buffer.byteLength(JSON.stringify(value)) <= MAX_VARIABLES_BYTES) return [];
  const detail = `The variables must not be longer than ${MAX_VARIABLES_BYTES} bytes of JSON.`;
  return [{ pointer, code: 'too_large', detail }];
}

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
