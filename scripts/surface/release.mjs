// For a release: what is committed becomes what later changes are compared with.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT } from './report-names.mjs';

const root = join(import.meta.dirname, '..', '..');
const released = join(root, 'api', 'released');

rmSync(released, { recursive: true, force: true });
mkdirSync(released, { recursive: true });
copyFileSync(join(root, 'openapi.json'), join(released, 'openapi.json'));
for (const name of readdirSync(join(root, 'api')).filter((one) => one.endsWith(REPORT))) {
  copyFileSync(join(root, 'api', name), join(released, name));
}
