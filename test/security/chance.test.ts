import { randomBytes } from '../../src/platform/common/secret/random-bytes.ts';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';

const COUNT = 20_000;
const RANDOM = { from: 4, to: 36 };

test('tokens never repeat, and favour no character at any place', () => {
  const tokens = Array.from({ length: COUNT }, () => generateToken('ugt'));
  expect(new Set(tokens).size).toBe(COUNT);
  const random = tokens.map((token) => token.slice(RANDOM.from, RANDOM.to));
  // A fair source exceeds this once in a thousand million runs: 61 degrees of freedom each.
  expect(chiSquare(random.join(''))).toBeLessThan(150);
  for (let place = 0; place < RANDOM.to - RANDOM.from; place++) {
    expect(chiSquare(random.map((text) => text[place]).join(''))).toBeLessThan(160);
  }
});

test('no random bytes are given out twice, nor changed by those that follow', () => {
  const drawn = Array.from({ length: COUNT }, (_, index) => randomBytes(12 + (index % 30)));
  const texts = drawn.map((bytes) => bytes.toString('hex'));
  randomBytes(4096);
  expect(drawn.map((bytes) => bytes.toString('hex'))).toEqual(texts);
  expect(texts.map((text) => text.length / 2)).toEqual(texts.map((_, index) => 12 + (index % 30)));
  expect(new Set(texts.map((text) => text.slice(0, 24))).size).toBe(COUNT);
  expect(() => randomBytes(4097)).toThrow(RangeError);
});

/** The distance of the 62 letters and digits from equal frequency. */
function chiSquare(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  const expected = text.length / 62;
  return [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}
