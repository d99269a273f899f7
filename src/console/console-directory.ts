import { join } from 'node:path';

/** `src/console` of the sources, of the build or of the package. */
const own = import.meta.dirname;
const isCompiled = import.meta.filename.endsWith('.js');

/** Where the build puts the page of the console and its assets: `dist/console`, in the package `lib/console`. */
export const CONSOLE_DIRECTORY = isCompiled
  ? join(own, '..', '..', 'console')
  : join(own, '..', '..', 'dist', 'console');
