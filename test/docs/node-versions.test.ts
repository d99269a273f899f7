import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8');

/** The major versions that a text names after the word Node. */
const majorsOf = (text: string) => {
  const [first = ''] = /Node(?:\.js)? [^`]*?(?=\n\n|`)/.exec(text) ?? [];
  return [...new Set([...first.matchAll(/\b(2\d)\b/g)].map(([, major]) => major!))].sort();
};

test.each([
  ['README.md', /## Quick start\n([\s\S]*)/],
  ['CONTRIBUTING.md', /## Set up\n([\s\S]*)/],
])('%s names the versions of Node that the package admits', (page, section) => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const admitted = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major]) => major!);
  const [, text = ''] = section.exec(read(page)) ?? [];
  expect(majorsOf(text)).toEqual(admitted);
});
