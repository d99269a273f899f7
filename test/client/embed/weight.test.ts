import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { minifiedHelper } from '../../support/code/minified-helper.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'clients', 'embed');
const MAX_BYTES = 2048;

const minified = minifiedHelper();

test('the minified ES module has 2,048 bytes at most, compressed', () => {
  expect(minified).toContain('keepTokenFresh');
  expect(gzipSync(minified, { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES);
});

test('it imports nothing, stores nothing, prints nothing, and leaves no global', () => {
  expect(minified).not.toMatch(/\bimport\b|\brequire\b/);
  expect(minified).not.toMatch(
    /[sS]torage|indexedDB|cookie|console|location|eval|globalThis|window\b/,
  );
});

test('the package has no dependency, and its entries are what the build writes', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
  expect(manifest).toMatchObject({
    exports: { '.': { types: './dist/embed.d.ts', default: './dist/embed.js' } },
  });
});
