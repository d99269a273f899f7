import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { parseStrictJson } from '../../src/platform/common/json/strict-json.ts';
import { readDesired } from '../../src/features/plan/files/desired-files.ts';
import { readJson, readLines } from '../../src/features/plan/files/json-groups.ts';
import { readYaml } from '../../src/features/plan/files/yaml-groups.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const valueOf = (text: string) => parseStrictJson(Buffer.from(text)).value;
const yaml = (text: string) => readYaml(text, 'f.yaml');
const propertiesOf = (text: string) =>
  (valueOf(yaml(`provided_id: a\nproperties:\n${text}`)[0]!.text) as { properties: unknown })
    .properties;

test.each([
  ['  a: no\n  b: on\n  c: y', { a: 'no', b: 'on', c: 'y' }],
  ['  a: "1e3"\n  b: 1e3', { a: '1e3', b: 1000 }],
  ['  a: 2030-01-01\n  b: 12:30:45', { a: '2030-01-01', b: '12:30:45' }],
  [
    '  a: 0o17\n  b: 0x1F\n  c: 017\n  d: +1\n  e: .5\n  f: 1.',
    { a: 15, b: 31, c: 17, d: 1, e: 0.5, f: 1 },
  ],
  ['  a: ~\n  b:\n  c: null\n  d: "null"', { a: null, b: null, c: null, d: 'null' }],
  ['  42: a\n  true: b\n  null: c\n  no: d', { 42: 'a', true: 'b', null: 'c', no: 'd' }],
  ['  a: &x [1, {b: c}]\n  d: *x', { a: [1, { b: 'c' }], d: [1, { b: 'c' }] }],
  ['  "<<": {a: 1}\n  __proto__: 2', JSON.parse('{"<<":{"a":1},"__proto__":2}')],
  ['  a: "\\ud83d\\ude00 \\x41"\n  b: |\n    two\n    lines\n', { a: '😀 A', b: 'two\nlines\n' }],
])('YAML is read by version 1.2: %j', (text, properties) => {
  expect(propertiesOf(text)).toEqual(properties);
});

test('a number keeps its digits, so that one which a double cannot hold is refused, and not altered', () => {
  const [group] = yaml(
    '{provided_id: a, properties: {a: 9007199254740993, b: 0.10000000000000000001, c: 1.50}}',
  );
  expect(group!.text).toContain('"a":9007199254740993,"b":0.10000000000000000001,"c":1.50');
  expect(yaml('{provided_id: a, properties: {a: 0xFFFFFFFFFFFFFFFF}}')[0]!.text).toContain(
    '18446744073709551615',
  );
  const [inJson] = readJson('[\n {"properties": {"a": 9007199254740993, "b": 1e3}}]', 'f.json');
  expect(inJson).toEqual({
    place: { file: 'f.json', line: 2 },
    text: '{"properties": {"a": 9007199254740993, "b": 1e3}}',
  });
});

test.each([
  ['a: .inf', 'f.yaml:1: The value .inf has no form in JSON.'],
  ['a: 1\nb: .nan', 'f.yaml:2: The value .nan has no form in JSON.'],
  ['a: 1\na: 2', 'f.yaml:2: Map keys must be unique'],
  [
    'a: 1\n<<: {b: 1}',
    'f.yaml:2: Merge keys (<<) are not read. Write the entries out, or quote the key.',
  ],
  ['a: !secret x', 'f.yaml:1: Unresolved tag: !secret'],
  ['a: !!binary aGk=', 'f.yaml:1: The value aGk= has no form in JSON.'],
  ['? [a, b]\n: c', 'f.yaml:1: A key must be a text.'],
  ['- 1', 'f.yaml:1: A document must be a group, or a list of groups.'],
  ['just a text', 'f.yaml:1: A document must be a group, or a list of groups.'],
  ['a: [1', 'f.yaml:1: '],
  ['%YAML 1.1\n---\na: no', 'f.yaml:3: The file must be YAML 1.2, without a %YAML line.'],
  ['a: &a [*a]', 'f.yaml:1: It is nested deeper than 64 levels.'],
])('YAML that JSON cannot hold is refused with its line: %j', (text, message) => {
  expect(() => yaml(text)).toThrow(message);
});

const DEEP = 20_000;
test.each([
  ['a list in one line', '['.repeat(DEEP), 1],
  ['a closed list', `a: 1\nb: ${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, 2],
  ['objects in one line', `${'{a: '.repeat(DEEP)}${'}'.repeat(DEEP)}`, 1],
  ['lists of lists', `${'- '.repeat(DEEP)}x`, 1],
  ['keys of keys', `${'? '.repeat(DEEP)}x`, 1],
  ['indented keys', Array.from({ length: 200 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), 128],
])('YAML that is nested far too deeply is refused with its line: %s', (_, text, line) => {
  expect(() => yaml(text)).toThrow(`f.yaml:${line}: It is nested deeper than 64 levels.`);
});

test('YAML of so many parts that they would fill the memory is refused', () => {
  expect(() => yaml(`a: [${'1,'.repeat(1_400_000)}]`)).toThrow(
    'f.yaml:1: The file has more than 4000000 words, marks and spaces.',
  );
});

test('a long text that many aliases repeat is refused before it is written out', () => {
  const text = `a: &a ${'x'.repeat(100_000)}\nb:\n  [${Array(900).fill('*a').join()}]`;
  expect(() => yaml(text)).toThrow(
    'f.yaml:3: The document has more than 33554432 characters, with its aliases written out.',
  );
});

test('aliases of aliases are refused before they fill the memory', () => {
  const levels = Array.from(
    { length: 12 },
    (_, n) =>
      `l${n}: &l${n} [${
        n === 0
          ? 'x'
          : Array(9)
              .fill(`*l${n - 1}`)
              .join(', ')
      }]`,
  );
  expect(() => yaml(levels.join('\n'))).toThrow('more than 1000 aliases');
});

test('every document and list of a file has its groups, each with its line', () => {
  const text = '# comment\n---\nprovided_id: a\n---\n- provided_id: b\n- {provided_id: c}\n---\n';
  expect(yaml(text).map(({ place, text: json }) => [place.line, json])).toEqual([
    [3, '{"provided_id":"a"}'],
    [5, '{"provided_id":"b"}'],
    [6, '{"provided_id":"c"}'],
  ]);
  expect(yaml('')).toEqual([]);
});

test('JSON is read element by element, whatever its texts contain', () => {
  const groups = [
    { provided_id: 'a ],[{}" \\', properties: { list: [[1], [{ b: ']' }]] } },
    { provided_id: 'b' },
  ];
  for (const text of [
    JSON.stringify(groups),
    JSON.stringify(groups, null, '\t'),
    JSON.stringify(groups, null, 2).replaceAll('\n', '\r\n'),
  ]) {
    expect(readJson(text, 'f').map((group) => valueOf(group.text))).toEqual(groups);
  }
  expect(readJson(' [ ] ', 'f')).toEqual([]);
  expect(readJson(JSON.stringify(groups, null, 2), 'f')[1]!.place.line).toBe(17);
  const many = readJson(`[${groups.map(() => '{"a":"\\n"},\n\n').join('')}{}]`, 'f');
  expect(many.map(({ place }) => place.line)).toEqual([1, 3, 5]);
  const [long] = readJson(`[{"a":"${'x'.repeat(9_000_000)}"}]`, 'f');
  expect(long!.text).toHaveLength(9_000_008);
  expect(() => readJson('[\n{"a":1,}]', 'f')).toThrow(
    'f:2: The file is not valid JSON at character 9.',
  );
  expect(() => readJson('{"a":1,\n\n"a":2}', 'f')).toThrow(
    'f:3: An object in the file repeats a key at character 9.',
  );
  expect(() => readJson('['.repeat(20_000), 'f')).toThrow(/^f:1: .* deeper than 64 levels/);
  expect(() => readJson('[1]', 'f')).toThrow('f:1: A group must be an object.');
  expect(() => readJson('"a"', 'f')).toThrow('a list of groups');
});

test('lines are those of an export, whose summary is left out', () => {
  const text = '{"provided_id":"a"}\n\n{"provided_id":"b"}\r\n{"summary":{"exported":2}}\n';
  expect(readLines(text, 'f').map(({ place }) => place.line)).toEqual([1, 3]);
  expect(() => readLines('{"a":1}\n[1]', 'f')).toThrow('f:2: A group must be an object.');
});

test('hostile values are the same in YAML and in JSON', () => {
  const properties = JSON.parse(
    '{"no":"no","on":"y","e":"1e3","n":1e21,"d":"2030-01-01","t":"2030-01-01T00:00:00Z","null":null,"nul":"null","~":"~","big":9007199254740991,"neg":-0.5,"hex":"0x10","oct":"0o7","o":"017","__proto__":{"constructor":1},"<<":"*a","u":"\\u2028\\ud83d\\ude00\\u0085","s":"  a: b # c\\n\\n- d\\t","empty":{},"list":[],"":"","=":"=","!":"!x","&":"&a","%":"%YAML 1.1","?":"? a","inf":".inf","sexa":"12:30"}',
  ) as object;
  const group = { provided_id: 'no', name: '1e3', mapping: { 42: '42', null: 42 }, properties };
  for (const options of [
    {},
    { compat: 'yaml-1.1' as const },
    { defaultStringType: 'QUOTE_DOUBLE' as const },
  ]) {
    const [read] = yaml(stringify([group], options));
    expect(JSON.stringify(valueOf(read!.text))).toBe(JSON.stringify(group));
  }
});

test('a directory is read whole, in the order of names, and an id at two places is refused with both', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'sub'));
  mkdirSync(join(directory, '..data'));
  writeFileSync(join(directory, 'b.yaml'), '\ufeff- provided_id: b\n');
  writeFileSync(join(directory, 'a.json'), '{"provided_id":"a"}');
  writeFileSync(join(directory, 'sub', 'c.NDJSON'), '{"provided_id":"c"}\n{"provided_id":"d"}');
  writeFileSync(join(directory, 'README.md'), 'provided_id: not a group');
  writeFileSync(join(directory, '..data', 'hidden.yaml'), 'provided_id: hidden');
  symlinkSync(join(directory, '..data', 'hidden.yaml'), join(directory, 'z.yml'));
  const ids = (await readDesired(directory)).map(
    ({ text }) => (valueOf(text) as { provided_id: string }).provided_id,
  );
  expect(ids).toEqual(['a', 'b', 'c', 'd', 'hidden']);
  const [first, second] = [join(directory, 'b.yaml'), join(directory, 'sub', 'e.yaml')];
  writeFileSync(second, '# comment\n- provided_id: e\n- provided_id: b\n');
  await expect(readDesired(directory)).rejects.toThrow(
    `${second}:3: The group "b" is also at ${first}:1.`,
  );
});

test('what cannot be read is an error that names it', async () => {
  const directory = temporaryDirectory();
  await expect(readDesired(directory)).rejects.toThrow('has no file whose name ends in');
  await expect(readDesired(join(directory, 'missing'))).rejects.toThrow('ENOENT');
  await expect(readDesired('/dev/zero')).rejects.toThrow(
    'The file /dev/zero is larger than 64 MiB.',
  );
  writeFileSync(join(directory, 'latin.yaml'), Buffer.from([0x61, 0xff]));
  await expect(readDesired(directory)).rejects.toThrow('The file is not UTF-8.');
  writeFileSync(join(directory, 'latin.yaml'), '{"provided_id":"a","provided_id":"b"}');
  await expect(readDesired(directory)).rejects.toThrow('latin.yaml:1:');
});
