import { readFileSync } from 'node:fs';
import { URL } from 'node:url';
import { pick, random } from './hostile.mjs';

const CASES = new URL('../../../clients/python/tests/bind_variables.json', import.meta.url);
const SPLICES = [
  "'",
  '"',
  '`',
  "''",
  '""',
  '\\',
  "\\'",
  '--',
  '-- ',
  '--\n',
  '#',
  '# ',
  '//',
  '/*',
  '*/',
  '/*!',
  '/*/',
  '\n',
  '\r',
  '\r\n',
  '$$',
  '$a$',
  '$',
  'e',
  "e'",
  "E'",
  'U&',
  'n',
  "x'",
  "q'",
  '[',
  ']',
  '[[',
  ']]',
  '{',
  '}',
  '{{value}}',
  ' {{value}} ',
  '?',
  '$1',
  '@p1',
  ':a',
  ':1',
  '--\u00a0',
  '漢',
  '::',
  '@',
  '%',
  ' ',
  ',',
  ', ',
  '1',
  'a',
  'é',
  '\u00a0',
  '\u2028',
  '\v',
  '-',
  '/',
  '*',
  '.',
  '(',
  ')',
  ';',
];
const MAX_SPLICES = 4;

/**
 * Texts with `{{value}}` between strings, names and comments of the dialect, most of them mutated.
 * @param {string} dialect
 * @param {number} count
 * @param {number} seed
 * @returns {Generator<string>}
 */
export function* mutatedTexts(dialect, count, seed) {
  const next = random(seed);
  const spans = JSON.parse(readFileSync(CASES, 'utf8')).spans[dialect].map((span) =>
    span.replace('¤', ' '),
  );
  for (let index = 0; index < count; index++) yield mutated(textOf(spans, next), next);
}

function textOf(spans, next) {
  const span = () => pick(spans, next);
  return pick(
    [
      () => `SELECT name, ${span()}\n, {{value}} FROM canary WHERE name = {{value}} ${span()}`,
      () => `SELECT {{value}}, 1 ${span()}\n, ${span()}\n, {{value}} FROM canary`,
      () =>
        `SELECT name FROM canary WHERE name = {{value}} OR name IN ('a', {{value}}) -- ${span().replaceAll('\n', ' ')}\n`,
      () => `SELECT ${span()}\n [[ , {{value}} ]] , {{value}} /* ' */ FROM canary`,
    ],
    next,
  )();
}

function mutated(sql, next) {
  let text = sql;
  for (let splices = Math.floor(next() * (MAX_SPLICES + 1)); splices > 0; splices--) {
    const at = Math.floor(next() * (text.length + 1));
    const removed = next() < 0.5 ? 0 : 1 + Math.floor(next() * 2);
    text = text.slice(0, at) + (next() < 0.8 ? pick(SPLICES, next) : '') + text.slice(at + removed);
  }
  return text;
}
