import { join, sep } from 'node:path';

/** Of this file: in `src/console`, or in `dist/src/console` once it is compiled. */
const own = import.meta.dirname;
const isCompiled = own.endsWith(join('dist', 'src', 'console').replaceAll('/', sep));

/** Where the build puts the page of the console and its assets: `dist/console`. */
export const CONSOLE_DIRECTORY = isCompiled
  ? join(own, '..', '..', 'console')
  : join(own, '..', '..', 'dist', 'console');
