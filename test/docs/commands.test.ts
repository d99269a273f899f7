import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pages, read } from '../support/api/pages.ts';

const root = join(import.meta.dirname, '..', '..');

/** A page whose commands a test of its own runs. */
const WHOLE_PAGE = /^<!-- commands: (test\/\S+) .+ -->$/m;
const MARK = /^ *<!-- (example|step: .+|not run: .+) -->$/;

test.each(pages)('every command of %s is run by a test, or it says why not', (page) => {
  const text = read(page);
  const [, test] = WHOLE_PAGE.exec(text) ?? [];
  if (test !== undefined) expect(existsSync(join(root, test))).toBe(true);
  else expect(unmarkedCommands(text)).toEqual([]);
});

test('every test that a mark names is there', () => {
  const named = pages.flatMap((page) => [
    ...read(page).matchAll(/<!-- (?:not run|commands): .*?-->/g),
  ]);
  const paths = named.flatMap(([mark]) => mark.match(/test\/[\w/.-]*\w/g) ?? []);
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

function unmarkedCommands(text: string): string[] {
  const lines = text.split('\n');
  const isMarked = (index: number) => MARK.test(lines[index - 1] ?? '');
  return lines.flatMap((line, index) =>
    /^ *```(sh|bash)$/.test(line) && !isMarked(index)
      ? [`line ${index + 1}: ${lines[index + 1]}`]
      : [],
  );
}
