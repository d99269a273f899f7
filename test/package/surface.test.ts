import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packService } from '../support/code/pack.ts';

const root = join(import.meta.dirname, '..', '..');
const scripts = join(root, 'scripts', 'surface');

let directory: string;
let tarball: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-surface-'));
  tarball = packService(directory);
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

function run(cwd: string, command: string, ...args: string[]) {
  const { status, stdout } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  return { status, stdout };
}

/** @returns the path of the tarball */
function pack(from: string): string {
  const { stdout } = run(from, 'npm', 'pack', '--silent', '--pack-destination', directory);
  return join(directory, stdout.trim().split('\n').at(-1)!);
}

const lint = (of: string) => run(root, process.execPath, join(scripts, 'lint-package.mjs'), of);

test('neither publint nor "Are the types wrong" has a finding', () => {
  expect(lint(tarball)).toEqual({ status: 0, stdout: '' });
});

test('an entry whose types are not there is found', () => {
  run(directory, 'tar', 'xzf', tarball);
  const broken = join(directory, 'package');
  const manifest = readFileSync(join(broken, 'package.json'), 'utf8');
  writeFileSync(
    join(broken, 'package.json'),
    manifest
      .replace('./lib/src/server/library/testing.d.ts', './lib/src/server/library/tests.d.ts')
      .replace(/"version": "[^"]+"/, '"version": "9.9.9"'),
  );
  const { status, stdout } = lint(pack(broken));
  expect(status).toBe(1);
  expect(stdout).toMatch(/^publint: .*tests\.d\.ts.*$/m);
  expect(stdout).toMatch(/^types: .*"entrypoint":"\.\/testing".*$/m);
});

/** `npm run api` writes them. */
test('the API reports are those of the code, and every type that an export names is exported', () => {
  const { status, stdout } = run(root, process.execPath, join(scripts, 'reports.mjs'), '--check');
  expect([status, stdout]).toEqual([0, '']);
});
