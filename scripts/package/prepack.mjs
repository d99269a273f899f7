// Runs before `npm pack`: compiles the library to lib/, and puts the manifest of the package in the place
// of that of the service, which says what to install for working on it. `postpack.mjs` puts it back.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { compileLibrary } from './library.mjs';
import { packageManifest } from './manifest.mjs';
import { SAVED } from './saved.mjs';

if (existsSync(SAVED)) {
  throw new Error(
    `${SAVED} is there: another pack is under way, or one has failed; rename it to package.json.`,
  );
}
const files = compileLibrary();
const code = files.filter((name) => name.endsWith('.js')).map((path) => readFileSync(path, 'utf8'));
const service = JSON.parse(readFileSync('package.json', 'utf8'));
const manifest = packageManifest(service, code);
renameSync('package.json', SAVED);
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
