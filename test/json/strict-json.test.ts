import { parseStrictJson } from '../../src/platform/common/json/strict-json.ts';
import { mulberry32, type Random } from '../support/random.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text));

describe('values', () => {
  test.each([
    'null',
    'true',
    ' false ',
    '0',
    '-1',
    '1.5',
    '1e3',
    '"text"',
    '""',
    '[]',
    '{}',
    '[1,[2,{"a":[]}]]',
    '{"a":{"b":[null,true]}}',
    '"\\u00e9\\n\\"\\\\\\/\\b\\f\\r\\t"',
    '"\\ud83d\\ude00"',
    '\t\r\n [ 1 , 2 ] ',
  ])('%s is what JSON.parse makes of it', (text) => {
    expect(parse(text).value).toEqual(JSON.parse(text));
  });

  test('random documents are read as JSON.parse reads them', () => {
    const random = mulberry32(20_261_121);
    for (let round = 0; round < 2000; round++) {
      const text = JSON.stringify(randomValue(random, 4));
      expect(parse(text)).toEqual({ value: JSON.parse(text), violations: [], lossyNumbers: [] });
    }
  });

  test('random damage is refused exactly where JSON.parse refuses it', () => {
    const random = mulberry32(7);
    const alphabet = '{}[]",:0123456789.eE+-truefalsn\\u \n\u0001x';
    const otherwise: string[] = [];
    let refused = 0;
    for (let round = 0; round < 20_000; round++) {
      const text = [...JSON.stringify(randomValue(random, 3))];
      const at = Math.floor(random() * text.length);
      text.splice(at, Math.floor(random() * 3), alphabet[Math.floor(random() * alphabet.length)]!);
      const damaged = text.join('');
      const refusal = errorOf(() => parse(damaged));
      // JSON.parse takes repeated keys, and says nothing of them.
      if (refusal.includes('repeats a key')) continue;
      const accepted = errorOf(() => JSON.parse(damaged)) === '';
      if ((refusal === '') !== accepted) otherwise.push(damaged);
      if (!accepted) refused++;
    }
    expect(otherwise).toEqual([]);
    expect(refused).toBeGreaterThan(5000);
  });
});

describe('refusals', () => {
  test.each([
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    'NaN',
    'Infinity',
    'tru',
    'nulll',
    '"a',
    '"\\x"',
    '"\\u12"',
    '"\u0000"',
    '"\t"',
    '[1}',
    '{"a"}',
    '{"a":}',
    '1 2',
    '\ufeff{}',
    '[1]]',
    '{"a":1 "b":2}',
    '//x\n1',
    '"\\',
  ])('%j is malformed', (text) => {
    expect(() => parse(text)).toThrow(/not valid JSON at character \d+/);
  });

  test('a repeated key is refused, also when it is spelled with an escape', () => {
    expect(() => parse('{"a":1,"a":1}')).toThrow(/repeats a key/);
    expect(() => parse('{"a":1,"\\u0061":2}')).toThrow(/repeats a key/);
    expect(() => parse('{"x":{"__proto__":1,"__proto__":2}}')).toThrow(/repeats a key/);
  });

  test.each([
    [[0xff]],
    [[0xc0, 0x80]],
    [[0xed, 0xa0, 0x80]],
    [[0xf4, 0x90, 0x80, 0x80]],
    [[0xe2, 0x82]],
  ])('the bytes %j are not UTF-8', (bytes) => {
    expect(() => parseStrictJson(Buffer.from([0x22, ...bytes, 0x22]))).toThrow(/not valid UTF-8/);
  });

  test('64 levels are read and one more is refused, however many follow', () => {
    expect(() => parse('['.repeat(64) + ']'.repeat(64))).not.toThrow();
    for (const depth of [65, 5000, 200_000]) {
      expect(() => parse('['.repeat(depth))).toThrow(/deeper than 64/);
      expect(() => parse('{"a":'.repeat(depth))).toThrow(/deeper than 64/);
    }
  });
});

describe('reports', () => {
  test('NUL and lone surrogates are reported with their place, in keys too', () => {
    const { violations } = parse(
      '{"a":["\\u0000"],"b":{"\\ud800":1},"c":"\\udc00x","d":"\\ud83d\\ude00"}',
    );
    expect(violations.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/a/0', 'nul_character'],
      ['/b', 'lone_surrogate'],
      ['/c', 'lone_surrogate'],
    ]);
  });

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '0.1000000000000000055511151231257827',
    '123456789012345678901234567890',
    '1.00000000000000000000000001',
    '9223372036854775807',
  ])('%s would lose digits', (number) => {
    expect(parse(`{"n":${number}}`).lossyNumbers).toEqual([
      expect.objectContaining({ pointer: '/n', code: 'lossy_number' }),
    ]);
  });

  test.each([
    '0',
    '-0',
    '1',
    '1.0',
    '1.50',
    '1E2',
    '1e+2',
    '100e-2',
    '9007199254740991',
    '9007199254740992',
    '1e21',
    '100000000000000000000000',
    '0.1',
    '5e-324',
    '1.7976931348623157e308',
    '0.0000001',
    '1e0000000000000001',
    '0e999999',
  ])('%s keeps its value', (number) => {
    expect(parse(number).lossyNumbers).toEqual([]);
  });

  test('minus zero is zero', () => {
    expect(Object.is(parse('-0').value, 0)).toBe(true);
    expect(Object.is(parse('-0.0e5').value, 0)).toBe(true);
  });

  test('a pointer escapes its keys and never grows beyond bounds', () => {
    expect(parse('{"a/b":{"c~d":1e400}}').lossyNumbers[0]!.pointer).toBe('/a~1b/c~0d');
    const [violation] = parse(`{"p":{"${'k'.repeat(1000)}":1e400}}`).lossyNumbers;
    expect(violation!.pointer).toBe('/p');
  });

  test('long digits are judged in linear time', () => {
    const digits = `1${'0'.repeat(250_000)}`;
    // The time of the processor: the machine may hold up the process.
    const started = process.cpuUsage();
    parse(`[${digits},${digits}1]`);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000);
  });
});

function errorOf(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

function randomValue(random: Random, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 8 : 6));
  const many = () => Array.from({ length: Math.floor(random() * 4) });
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random() < 0.5;
    case 2:
      return Math.floor(random() * 1e6) - 5e5;
    case 3:
      return (random() - 0.5) * 10 ** Math.floor(random() * 40 - 20);
    case 4:
    case 5:
      return many()
        .map(() => randomText(random))
        .join('');
    case 6:
      return many().map(() => randomValue(random, depth - 1));
    default:
      return Object.fromEntries(
        many().map(() => [randomText(random), randomValue(random, depth - 1)]),
      );
  }
}

function randomText(random: Random): string {
  const texts = [
    'a',
    'key',
    'é',
    '🚀',
    '"',
    '\\',
    '/',
    '\n',
    '\u0007',
    '__proto__',
    'constructor',
    '',
    '0',
  ];
  return texts[Math.floor(random() * texts.length)]!;
}
