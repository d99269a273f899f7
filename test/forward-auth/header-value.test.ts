import type { JsonValue } from '../../src/platform/common/json/strict-json.ts';
import {
  toHeaderJson,
  toHeaderText,
} from '../../src/features/forward-auth/headers/header-value.ts';
import { mulberry32 } from '../support/random.ts';

const TEXTS = 20_000;
const VISIBLE = /^[\x21-\x7e]*$/;
/** Characters that end a header, a list or a quote, mean something in an encoding, or have several spellings. */
const HOSTILE = [
  '\r',
  '\n',
  '\0',
  ' ',
  '\t',
  '"',
  "'",
  '%',
  '2',
  'F',
  '/',
  '\\',
  '+',
  '=',
  '&',
  ';',
  ',',
  '(',
  ')',
  '*',
  '!',
  '~',
  '-',
  '_',
  '.',
  '|',
  '{',
  '}',
  '\u007f',
  '\u0085',
  '\u2028',
  'ä',
  'a\u0308',
  'é',
  '١',
  'ﬁ',
  'K',
  '😀',
  '\u{10ffff}',
  '\ufeff',
  '\u202e',
  'u',
  '0',
  '5',
  'c',
];

const random = mulberry32(4711);
const below = (limit: number) => Math.floor(random() * limit);
const anyText = () => {
  const parts = Array.from({ length: below(7) }, () =>
    random() < 0.7 ? HOSTILE[below(HOSTILE.length)]! : anyCharacter(),
  );
  return parts.join('');
};
function anyCharacter(): string {
  const codePoint = below(0x110000);
  return codePoint >= 0xd800 && codePoint < 0xe000 ? 'x' : String.fromCodePoint(codePoint);
}
const anyValue = (depth = 0): JsonValue => {
  const kind = below(depth > 2 ? 4 : 6);
  if (kind === 0) return random() < 0.5;
  if (kind === 1) return Math.trunc((random() - 0.5) * 10 ** below(18));
  if (kind === 2) return random() * 10 ** (below(40) - 20);
  if (kind === 3) return anyText();
  const entries = Array.from({ length: below(4) }, () => anyValue(depth + 1));
  return kind === 4 ? entries : Object.fromEntries(entries.map((value) => [anyText(), value]));
};

test('each text is visible ASCII, and read as it was', () => {
  for (let index = 0; index < TEXTS; index++) {
    const text = anyText();
    const written = toHeaderText(text)!;
    expect(written).toMatch(VISIBLE);
    expect(decodeURIComponent(written)).toBe(text);
  }
});

test('no two texts are written alike', () => {
  const texts = new Set(Array.from({ length: TEXTS }, anyText));
  expect(new Set([...texts].map(toHeaderText)).size).toBe(texts.size);
});

test('a text that looks encoded differs from what it looks like', () => {
  expect([toHeaderText('a/b'), toHeaderText('a%2Fb')]).toEqual(['a%2Fb', 'a%252Fb']);
  expect(toHeaderText("!'()*")).toBe('%21%27%28%29%2A');
  expect(toHeaderText('ä\r\nX-User-Group: other')).toBe('%C3%A4%0D%0AX-User-Group%3A%20other');
});

test('half of a character has no header', () => {
  for (const text of ['\ud800', 'a\udfff', '\udc00\ud800']) {
    expect(toHeaderText(text)).toBeUndefined();
  }
});

test('each JSON value is visible ASCII, and read as it was', () => {
  for (let index = 0; index < TEXTS; index++) {
    const value = anyValue();
    const written = toHeaderJson(value);
    expect(written).toMatch(VISIBLE);
    expect(JSON.stringify(JSON.parse(written))).toBe(JSON.stringify(value));
  }
});
