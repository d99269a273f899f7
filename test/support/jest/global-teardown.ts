import { dropTemplates } from '../database/databases.ts';
import { findLeaks } from './leaks.ts';
import { requireSearch, type Run } from './require-search.ts';

/** After every run: no token that was issued in it stands in a log or in a database. */
export default async function globalTeardown(run: Run): Promise<void> {
  await dropTemplates();
  const found = findLeaks();
  const { tokens, logBytes, dumpBytes, leaks } = found;
  process.stdout.write(
    `Searched ${logBytes} bytes of logs and ${dumpBytes} bytes of databases for ${tokens} tokens: ${leaks.length} found.\n`,
  );
  requireSearch(run, found);
  if (leaks.length > 0) throw new Error(`tokens leaked:\n${leaks.slice(0, 20).join('\n')}`);
}
