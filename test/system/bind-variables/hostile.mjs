import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts with a meaning to SQL, templates, drivers or character sets. */
const FRAGMENTS = [
  "'",
  '"',
  '`',
  "''",
  '""',
  '\\',
  "\\'",
  '\\\\',
  '--',
  '-- ',
  '#',
  '/*',
  '*/',
  '/*!',
  ';',
  '(',
  ')',
  '[',
  ']',
  ']]',
  '[[',
  '$1',
  '$2',
  '$$',
  '$a$',
  '?',
  '?1',
  '@p1',
  '@v',
  ':v',
  ':1',
  '::text',
  '%s',
  '%(v)s',
  '%',
  '_',
  '{p1:String}',
  '{{value}}',
  '{{',
  '}}',
  '${v}',
  '{%v%}',
  '<%= v %>',
  '\n',
  '\r',
  '\t',
  '\0',
  '\b',
  '\x1a',
  '\x7f',
  '\u0085',
  '\u2028',
  "' OR 1=1 --",
  '" OR ""="',
  "'; DROP TABLE canary; --",
  "\\'; DELETE FROM canary; #",
  '); DROP TABLE seen; /*',
  "' UNION SELECT name FROM canary --",
  "x' AND 1=(SELECT count(*) FROM canary) --",
  'NULL',
  'null',
  'true',
  '0',
  '-1',
  '1e309',
  'ä',
  'ſ',
  '¥',
  '‘',
  '’',
  'ʼ',
  '＇',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\u202e',
  '\ud83d\ude00',
  '\ud800',
  '\udc00',
  '縗',
  'İ',
  'a',
  'Z',
  ' ',
];
const MAX_FRAGMENTS = 8;
const EVERY_LONG = 500;
const MAX_LONG = 20_000;
const MAX_PART = 300;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = (list, next) => list[Math.floor(next() * list.length)];

/** The fragments, the values of the corpora, and then combinations of both without an end. */
export function* hostileValues(seed, corpora) {
  const next = random(seed);
  const parts = [...FRAGMENTS, ...(corpora ? readCorpora(corpora) : [])];
  for (let index = 0; ; index++) {
    if (index < parts.length) yield parts[index];
    else if (index % EVERY_LONG === 0) yield longValue(pick(parts, next));
    else {
      yield Array.from({ length: 1 + Math.floor(next() * MAX_FRAGMENTS) }, () =>
        pick(parts, next),
      ).join('');
    }
  }
}

/** Whether databases keep it as it is. */
export const isStorable = (value) => value.isWellFormed() && !value.includes('\0');

const longValue = (part) =>
  part
    .repeat(Math.ceil(MAX_LONG / part.length))
    .slice(0, MAX_LONG)
    .toWellFormed();

function readCorpora(directory) {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(directory, name);
    if (name.endsWith('.txt')) return readFileSync(path, 'utf8').split('\n').filter(Boolean);
    return name.endsWith('.json') ? textsIn(JSON.parse(readFileSync(path, 'utf8'))) : [];
  });
}

/** Long ones are left out: there would be little else. */
function textsIn(value) {
  if (typeof value === 'string') return value.length > 0 && value.length < MAX_PART ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
