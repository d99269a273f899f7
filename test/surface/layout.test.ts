import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wings } from '../../.dependency-cruiser.mjs';
import { declarations } from '../../scripts/surface/declarations.mjs';
import { countTokens } from '../../scripts/surface/tokens.mjs';
import { sources } from '../support/code/source-code.ts';

/**
 * The tokens of what a change of the core makes one read, of which features have none: the 173,900 of the day on which
 * features became declarations, and 5 %. Beyond them something leaves the core, or becomes a feature.
 */
const MAX_TOKENS = 182_600;
const MAX_FILES_OF_A_FOLDER = 14;

const root = join(import.meta.dirname, '..', '..');
const rows: [string, Record<string, string[]>][] = Object.entries(wings);

test('platform and core stay small', () => {
  const { platform, core } = countTokens();
  expect(platform! + core!).toBeLessThanOrEqual(MAX_TOKENS);
});

test('no folder of src has more than fourteen files', () => {
  const sizes = new Map<string, number>();
  for (const { path } of sources) {
    const folder = dirname(path);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  expect([...sizes].filter(([, size]) => size > MAX_FILES_OF_A_FOLDER)).toEqual([]);
});

test('src has the entry points and the wings, and each wing the folders of the import rules', () => {
  expect(readdirSync(join(root, 'src')).sort()).toEqual(
    [...Object.keys(wings), 'cli.ts', 'main.ts'].sort(),
  );
  for (const [wing, folders] of rows) {
    expect(readdirSync(join(root, 'src', wing)).sort()).toEqual(Object.keys(folders).sort());
  }
});

test('the import rules go from the bottom to the top', () => {
  const upward = rows.flatMap(([, folders]) => {
    const order = Object.keys(folders);
    return Object.entries(folders).flatMap(([folder, allowed]) =>
      allowed.filter((one) => !order.slice(0, order.indexOf(folder)).includes(one)),
    );
  });
  expect(upward).toEqual([]);
});

test('a feature above the core can be left out, or says why not', () => {
  const above = declarations().filter(({ folder }) => folder.startsWith('features/'));
  expect(above.length).toBeGreaterThan(10);
  expect(above.filter(({ hasRoutes, isAlways }) => hasRoutes === isAlways)).toEqual([]);
});

test('docs/architecture.md has the folders in the order of the import rules', () => {
  const document = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
  const folders = [...document.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, folder]) => folder);
  expect(folders).toEqual(rows.flatMap(([, folders]) => Object.keys(folders)));
});
