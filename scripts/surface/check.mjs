// Fails when something changes incompatibly that no BREAKING entry of the changelog names: docs/versioning.md.
import console from 'node:console';
import { join } from 'node:path';
import process from 'node:process';
import { unnamedFindings } from './findings.mjs';

const findings = unnamedFindings(join(import.meta.dirname, '..', '..'));
for (const line of findings) console.log(line);
if (findings.length > 0) {
  console.error(
    '\nEach would break a caller. Undo it, or name it in an entry "- **BREAKING** `…`" under Unreleased in CHANGELOG.md. ' +
      'Before the version in api/released is published, "npm run api:release" will do instead.',
  );
  process.exitCode = 1;
}
