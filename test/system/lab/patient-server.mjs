// Preloaded into a built server by `node --import`.
import process from 'node:process';
import { letServerWait } from './patience.mjs';

await letServerWait(process.argv[1]);
