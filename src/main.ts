import './common/early-signals.ts';
import { createRequire } from 'node:module';
import type * as Service from './serve.ts';

// The modules that `import` would load, a sixth of the start earlier: it goes through a thousand
// files one turn of the event loop after the other, `require` at once.
const require = createRequire(import.meta.url);
const { serve } = require('./serve.js') as typeof Service;

void serve();
