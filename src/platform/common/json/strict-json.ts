import { isUtf8 } from 'node:buffer';
import {
  type BodyPart,
  BodyNotUtf8,
  JsonDuplicateKey,
  JsonMalformed,
  ValidationFailed,
} from '../problem/errors.ts';
import { MAX_VIOLATIONS, type Violation } from '../problem/violation.ts';
import { isExactNumber } from './json-number.ts';
import { toPointer } from '../json-pointer.ts';

/** A JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface StrictJson {
  value: JsonValue;
  /** Violations that are unacceptable anywhere in a body: U+0000 and lone surrogates. */
  violations: Violation[];
  /** Numbers that a double cannot hold exactly; they matter only in fields that are stored. */
  lossyNumbers: Violation[];
}

/** Deeper nesting is refused, so that no input can exhaust the stack. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y; // eslint-disable-line no-control-regex -- the JSON grammar
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const HEX4 = /[0-9a-fA-F]{4}/y;
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads JSON (RFC 8259) without altering anything silently. Unlike `JSON.parse` it refuses duplicate keys and invalid
 * UTF-8, keeps keys such as `__proto__` as own properties, and reports values that a caller must not rely on.
 * @param part name of the text in messages
 * @throws BodyNotUtf8, JsonMalformed, JsonDuplicateKey; ValidationFailed for nesting beyond 64 levels
 */
export function parseStrictJson(bytes: Buffer, part: BodyPart = 'body'): StrictJson {
  if (!isUtf8(bytes)) throw new BodyNotUtf8(part);
  return new Reader(bytes.toString('utf8'), part).read();
}

class Reader {
  private position = 0;
  private readonly path: (string | number)[] = [];
  private readonly violations: Violation[] = [];
  private readonly lossyNumbers: Violation[] = [];
  private readonly lossyInField = new Map<string, number>();

  constructor(
    private readonly text: string,
    private readonly part: BodyPart,
  ) {}

  read(): StrictJson {
    this.skipSpace();
    const value = this.readValue();
    this.skipSpace();
    if (this.position < this.text.length) this.fail();
    return { value, violations: this.violations, lossyNumbers: this.lossyNumbers };
  }

  private readValue(): JsonValue {
    switch (this.text[this.position]) {
      case '{':
        return this.readObject();
      case '[':
        return this.readArray();
      case '"':
        return this.readString();
      case 't':
        return this.readWord('true', true);
      case 'f':
        return this.readWord('false', false);
      case 'n':
        return this.readWord('null', null);
      default:
        return this.readNumber();
    }
  }

  private readObject(): JsonObject {
    if (this.path.length === MAX_DEPTH) this.refuseDepth();
    const object: JsonObject = {};
    this.position++;
    this.skipSpace();
    if (this.takes('}')) return object;
    do {
      this.skipSpace();
      const keyPosition = this.position;
      if (this.text[keyPosition] !== '"') this.fail();
      const key = this.readString();
      if (Object.hasOwn(object, key)) throw new JsonDuplicateKey(keyPosition, this.part);
      this.skipSpace();
      if (!this.takes(':')) this.fail();
      this.skipSpace();
      this.path.push(key);
      setOwn(object, key, this.readValue());
      this.path.pop();
      this.skipSpace();
    } while (this.takes(','));
    if (!this.takes('}')) this.fail();
    return object;
  }

  private readArray(): JsonValue[] {
    if (this.path.length === MAX_DEPTH) this.refuseDepth();
    const array: JsonValue[] = [];
    this.position++;
    this.skipSpace();
    if (this.takes(']')) return array;
    do {
      this.skipSpace();
      this.path.push(array.length);
      array.push(this.readValue());
      this.path.pop();
      this.skipSpace();
    } while (this.takes(','));
    if (!this.takes(']')) this.fail();
    return array;
  }

  private readString(): string {
    this.position++;
    let text = this.match(PLAIN_TEXT);
    if (this.text.charCodeAt(this.position) === QUOTE) {
      this.position++;
      return text;
    }
    while (this.text.charCodeAt(this.position) === BACKSLASH) {
      text += this.readEscape() + this.match(PLAIN_TEXT);
    }
    if (!this.takes('"')) this.fail();
    // Only an escape can bring these in: raw NUL is not JSON and raw surrogates are not UTF-8.
    if (text.includes('\0')) {
      this.report('nul_character', 'A string or key must not contain the character U+0000.');
    }
    if (!text.isWellFormed()) {
      this.report('lone_surrogate', 'A string or key must not contain half of a surrogate pair.');
    }
    return text;
  }

  private readEscape(): string {
    this.position++;
    const letter = this.text[this.position] ?? '';
    this.position++;
    if (letter === 'u') {
      const hex = this.match(HEX4);
      if (hex === '') this.fail();
      return String.fromCharCode(parseInt(hex, 16));
    }
    const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (character === undefined) {
      this.position--;
      this.fail();
    }
    return character;
  }

  private readNumber(): number {
    const source = this.match(NUMBER);
    if (source === '') this.fail();
    const value = Number(source);
    if (!isExactNumber(source, value)) this.reportLossyNumber();
    // Negative zero is the same decimal value as zero and is printed like it.
    return value === 0 ? 0 : value;
  }

  private readWord<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.position)) this.fail();
    this.position += word.length;
    return value;
  }

  /** Stops reading: nothing after it could make the body acceptable. */
  private refuseDepth(): never {
    const detail = `JSON must not be nested deeper than ${MAX_DEPTH} levels.`;
    throw new ValidationFailed([{ pointer: this.pointer(), code: 'too_deep', detail }]);
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (code > 0x20) return;
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.position++;
    }
  }

  private takes(character: string): boolean {
    if (this.text[this.position] !== character) return false;
    this.position++;
    return true;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    // Ten thousands of numbers are in a body: `exec` would make a list for each.
    if (!pattern.test(this.text)) return '';
    const found = this.text.slice(this.position, pattern.lastIndex);
    this.position = pattern.lastIndex;
    return found;
  }

  private report(code: 'nul_character' | 'lone_surrogate', detail: string): void {
    if (this.violations.length === MAX_VIOLATIONS) return;
    this.violations.push({ pointer: this.pointer(), code, detail });
  }

  /** Counts for each field of the body, so that lossy numbers of an ignored field cannot hide another's. */
  private reportLossyNumber(): void {
    const field = String(this.path[0]);
    const count = this.lossyInField.get(field) ?? 0;
    if (count === MAX_VIOLATIONS) return;
    this.lossyInField.set(field, count + 1);
    const detail = 'The number would lose digits; send it as a string or with fewer digits.';
    this.lossyNumbers.push({ pointer: this.pointer(), code: 'lossy_number', detail });
  }

  private pointer(): string {
    return toPointer(this.path);
  }

  private fail(): never {
    const isMark = this.text[this.position] === '\uFEFF';
    throw new JsonMalformed(this.position, this.part, isMark ? 'a byte order mark' : undefined);
  }
}

/** A plain assignment to `__proto__` would set the prototype and lose the key. */
function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    object[key] = value;
  }
}
