import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { features, GROUND } from '../../.dependency-cruiser.mjs';
import { sources } from '../support/source-code.ts';

/** The lines of src. It is raised only in a commit that says why. */
const MAX_LINES = 43_660;
const MAX_FILES_OF_A_FOLDER = 14;

const root = join(import.meta.dirname, '..', '..');
const rows: [string, string[]][] = Object.entries(features);
/** From the bottom to the top. */
const folderOrder = new Set([...GROUND, ...Object.keys(features), 'app', 'library', 'cli']);

test('src has no more lines than its ceiling', () => {
  const counts = sources.map(({ file }) => file.text.split('\n').length - 1);
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(MAX_LINES);
});

test('no folder of src has more than fourteen files', () => {
  const sizes = new Map<string, number>();
  for (const { path } of sources) {
    const folder = dirname(path);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  expect([...sizes].filter(([, size]) => size > MAX_FILES_OF_A_FOLDER)).toEqual([]);
});

test('src has the entry points, the folders of the import rules, and what composes them', () => {
  expect(readdirSync(join(root, 'src')).sort()).toEqual([...folderOrder, 'cli.ts', 'main.ts'].sort());
});

test('the import rules go from the bottom to the top', () => {
  const order = rows.map(([feature]) => feature);
  const upward = rows.flatMap(([feature, allowed]) =>
    allowed.filter((one) => order.indexOf(one) >= order.indexOf(feature)),
  );
  expect(upward).toEqual([]);
});

test('docs/architecture.md has the folders in the order of the import rules', () => {
  const document = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
  const folders = [...document.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, folder]) => folder);
  expect(folders).toEqual([...folderOrder]);
});
