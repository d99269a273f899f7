import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installInto } from '../support/code/pack.ts';
import { minifiedHelper } from '../support/code/minified-helper.ts';
import { packClient } from '../system/lab/pack.mjs';

const root = join(import.meta.dirname, '..', '..');
const NAME = '@user-group-service/embed';

let directory: string;
let tarball: string;
let installed: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-embed-package-'));
  tarball = packClient('embed', directory);
  installInto(join(directory, 'app'), tarball);
  installed = join(directory, 'app', 'node_modules', NAME);
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

test('the package has the minified module, whose size is tested, and its types', () => {
  expect(readFileSync(join(installed, 'dist', 'embed.js'), 'utf8')).toBe(minifiedHelper());
  const types = readFileSync(join(installed, 'dist', 'embed.d.ts'), 'utf8');
  expect(types).toContain('export declare function keepTokenFresh(');
  // A page has the globals of a browser, and none of Node.
  expect(types).not.toMatch(/NodeJS|reference types|declare const/);
});

test('neither publint nor "Are the types wrong" has a finding', () => {
  const script = join(root, 'scripts', 'surface', 'lint-package.mjs');
  const { status, stdout } = spawnSync(process.execPath, [script, tarball], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, '']);
});
