// Runs after `npm pack`.
import { renameSync } from 'node:fs';
import { SAVED } from './saved.mjs';

renameSync(SAVED, 'package.json');
