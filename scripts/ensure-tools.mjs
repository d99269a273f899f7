import { existsSync } from 'node:fs';
import process from 'node:process';

// Says what is missing, in place of a command that is not found.

if (!existsSync('node_modules/tools')) {
  process.stderr.write(
    'The tools are not installed, so that `npm ci` is short. Run: npm run tools\n',
  );
  process.exitCode = 1;
}
