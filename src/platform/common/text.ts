import type { Violation } from './problem/violation.ts';

const MAX_CODE_POINTS = 255;
const MAX_BYTES = 1024;
const DOT_SEGMENT = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/;
// eslint-disable-next-line no-control-regex -- finding control characters is the purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Validates a name or an id: 1–255 code points and at most 1,024 bytes of UTF-8. The text is kept unchanged: no trim,
 * no case folding, no Unicode normalisation.
 */
export function textViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The value must be a string.' }];
  }
  if (value === '') return [{ pointer, code: 'empty', detail: 'The text must not be empty.' }];
  if (isTooLong(value)) {
    const detail = `The text must have at most ${MAX_CODE_POINTS} code points and ${MAX_BYTES} bytes of UTF-8.`;
    return [{ pointer, code: 'too_long', detail }];
  }
  return [];
}

/** Validates an id, or another text that people and logs must be able to show: no control characters. */
export function identifierViolations(value: unknown, pointer: string): Violation[] {
  const violations = textViolations(value, pointer);
  if (violations.length === 0 && CONTROL.test(value as string)) {
    const detail = 'The text must not contain control characters.';
    return [{ pointer, code: 'control_character', detail }];
  }
  return violations;
}

/**
 * Finds `.` and `..` between slashes or backslashes, or at an end: a proxy that decodes a path resolves them, so that
 * the path names something else.
 */
export function dotSegmentViolations(id: string, pointer: string): Violation[] {
  if (!DOT_SEGMENT.test(id)) return [];
  const detail = 'A new id must not have "." or ".." alone between slashes or backslashes.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** Validates a text to search for: PostgreSQL stores no U+0000. */
export function searchViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The value must be a string.' }];
  }
  if (!value.includes('\0')) return [];
  return [
    { pointer, code: 'nul_character', detail: 'The text must not contain the character U+0000.' },
  ];
}

/** Whether a text is a StringOrURI of RFC 7519, section 2, in visible ASCII: with a colon it must be a URL. */
export function isIssuer(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text) && (!text.includes(':') || URL.canParse(text));
}

function isTooLong(value: string): boolean {
  // A UTF-16 unit is at most three bytes and a code point at most two units, so most texts need no count.
  if (value.length <= MAX_CODE_POINTS) {
    return value.length * 3 > MAX_BYTES && byteLength(value) > MAX_BYTES;
  }
  if (value.length > MAX_CODE_POINTS * 2) return true;
  return [...value].length > MAX_CODE_POINTS || byteLength(value) > MAX_BYTES;
}

function byteLength(value: string): number {
  return Buffer.byteLength(value, 'utf8');
}

/** Escapes control characters, also those of direction: callers choose names, and a terminal would act on such characters. */
export function withoutControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
