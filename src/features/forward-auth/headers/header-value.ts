import type { JsonValue } from '../../../platform/common/json/strict-json.ts';

/** `encodeURIComponent` leaves these; some readers of headers take them for quotes, lists or comments. */
const LEFT = /[!'()*]/g;
const NOT_VISIBLE = /[^\x21-\x7e]/g;

/**
 * Writes a text as visible ASCII, different texts differently; `decodeURIComponent` reads it. No text can end a header
 * or begin another one.
 * @returns undefined for a text with half of a character, which has no UTF-8
 */
export function toHeaderText(text: string): string | undefined {
  if (/\p{Surrogate}/u.test(text)) return undefined;
  return encodeURIComponent(text).replace(
    LEFT,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Writes a JSON value as visible ASCII; `JSON.parse` reads it as it is. */
export function toHeaderJson(value: JsonValue): string {
  return JSON.stringify(value).replace(
    NOT_VISIBLE,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
