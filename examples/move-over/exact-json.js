import { randomUUID } from 'node:crypto';

/** No text of another system contains it. */
const MARK = `number ${randomUUID()} `;
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d[\d.eE+-]*/g;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

/** Parses JSON. Each number is a text that `writeExactly` writes as it was: `JSON.parse` would round a long one. */
export function readExactly(text) {
  return JSON.parse(
    text.replace(TEXT_OR_NUMBER, (found) =>
      found.startsWith('"') ? found : JSON.stringify(MARK + found),
    ),
  );
}

export function writeExactly(value) {
  return JSON.stringify(value).replace(MARKED, '$1');
}
