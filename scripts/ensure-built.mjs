import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// Only the first time: after a change of the source, `npm run build` is up to whoever made it.
if (!existsSync('dist/src/cli.js')) {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 2, 2] });
}
