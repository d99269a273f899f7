import console from 'node:console';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { installTool, npm } from '../lab/npm-tools.mjs';

const HERE = import.meta.dirname;
const STAND_IN = 'native-stand-in.mjs';

/** The packages of the page, by their names. */
export const OWN = { client: 'typescript', cube: 'cube' };

/**
 * Installs Cube by the lockfile, unless the cache has it. Its native module is fetched as npm would; if that fails, a
 * stand-in takes its place.
 * @returns the result of `installTool`, and `env` with the variables of the stand-in
 * @throws Error if npm cannot install it
 */
export function installCube() {
  const cube = installTool('cube', HERE, process.env.CUBE_TOOLS);
  return { ...cube, ...nativeModule(cube) };
}

function nativeModule({ directory, modules }) {
  const module = join(modules, '@cubejs-backend', 'native');
  const standIn = join(module, 'index.node');
  const hasBinary = () => existsSync(join(module, 'native', 'index.node'));
  if (!hasBinary() && !existsSync(standIn)) {
    try {
      npm(directory, 'rebuild', '--silent', '@cubejs-backend/native');
    } catch (error) {
      console.error(`the native module of Cube cannot be fetched: ${error.message}`);
    }
  }
  if (hasBinary()) return { hasBinary: true, env: {} };
  // `require` takes a directory of this name as well.
  mkdirSync(standIn, { recursive: true });
  cpSync(join(HERE, STAND_IN), join(standIn, STAND_IN));
  writeFileSync(join(standIn, 'package.json'), JSON.stringify({ main: STAND_IN }));
  // The newer planner is in the binary.
  return { hasBinary: false, env: { CUBEJS_TESSERACT_SQL_PLANNER: 'false' } };
}
