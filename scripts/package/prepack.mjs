// Runs before `npm pack`: compiles the library to lib/, and puts the manifest of the package in the place
// of that of the service, which says what to install for working on it. `postpack.mjs` puts it back.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { packageManifest } from './manifest.mjs';
import { SAVED } from './saved.mjs';

const LIB = 'lib';

if (existsSync(SAVED)) {
  throw new Error(
    `${SAVED} is there: another pack is under way, or one has failed; rename it to package.json.`,
  );
}
rmSync(LIB, { recursive: true, force: true });
execFileSync('npx', ['tsc', '--project', 'tsconfig.package.json'], { stdio: ['ignore', 2, 2] });
// Declarations that are written as such are not compiled.
copyFileSync('clients/typescript/schema.d.ts', join(LIB, 'clients/typescript/schema.d.ts'));
const files = readdirSync(LIB, { recursive: true }).map((name) => join(LIB, name));
// The compiler renames imports in code alone.
for (const path of files.filter((name) => name.endsWith('.d.ts'))) {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, '$1$2.js$1'));
}
writeFileSync(join(LIB, 'openapi.json'), `${JSON.stringify(await document(), null, 2)}\n`);

const code = files.filter((name) => name.endsWith('.js')).map((path) => readFileSync(path, 'utf8'));
const service = JSON.parse(readFileSync('package.json', 'utf8'));
const manifest = packageManifest(service, code);
// Where the code reads its version.
const { type, version } = service;
writeFileSync(join(LIB, 'package.json'), `${JSON.stringify({ type, version })}\n`);
renameSync('package.json', SAVED);
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);

async function document() {
  execFileSync(process.execPath, ['scripts/ensure-built.mjs'], { stdio: ['ignore', 2, 2] });
  const { describeOpenApi } = await import(pathToFileURL('dist/src/docs/openapi.js'));
  return describeOpenApi();
}
