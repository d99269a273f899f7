// For a release: what is committed becomes what later changes are compared with.
import { join } from 'node:path';
import { writeReleased } from './released.mjs';

const root = join(import.meta.dirname, '..', '..');
writeReleased(root, join(root, 'api', 'released'));
