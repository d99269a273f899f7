import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onPostgres } from '../support/database/databases.ts';
import { createTenantDatabase } from '../support/database/tenants.ts';

const directory = join(import.meta.dirname, '..', '..', 'clients', 'python');
const python = process.env['PYTHON'] ?? 'python3';
const hasDriver = spawnSync(python, ['-c', 'import psycopg']).status === 0;

(hasDriver || process.env['CI'] ? onPostgres : describe.skip)('on postgres', () => {
  test('the transactions of viewers of the Python client are those of the TypeScript client', async () => {
    const database = await createTenantDatabase();
    const env = {
      ...process.env,
      PYTHONPATH: directory,
      PYTHONDONTWRITEBYTECODE: '1',
      DIRECT: database.urls.direct,
      POOLED: database.urls.pooled,
      OWNER: database.ownerUrl,
    };
    const args = ['-W', 'error', '-m', 'unittest', 'tests/test_with_tenant.py'];
    try {
      await promisify(execFile)(python, args, { cwd: directory, env });
    } finally {
      await database.drop();
    }
  });
});
