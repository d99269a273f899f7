import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const SRC = join(import.meta.dirname, '..', '..', 'src');
// Jest would load each file a second time.
const load = createRequire(join(SRC, 'main.ts')) as (name: string) => Record<string, unknown>;

const declarations = readFileSync(join(SRC, 'platform', 'common', 'single-files.d.ts'), 'utf8');
const declared = [
  ...declarations.matchAll(
    /declare module '(?<file>.+)' \{\n {2}export \{ (?<name>\w+)(?<isDefault> as default)? \} from '(?<index>.+)';/g,
  ),
].map(({ groups }) => groups as { file: string; name: string; isDefault?: string; index: string });

test('every declaration of a single file is one of these', () => {
  expect(declared).toHaveLength(declarations.match(/declare module/g)!.length);
});

// TypeScript itself checks no file of declarations with `skipLibCheck`.
test.each(declared)('$file has what its package exports as $name', (declaration) => {
  const { file, name, isDefault, index } = declaration;
  const exported = load(index)[name];
  expect(typeof exported).toBe('function');
  expect(isDefault ? load(file) : load(file)[name]).toBe(exported);
});
