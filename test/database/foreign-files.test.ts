import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import '../../src/server/app/features.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { createTestDatabase } from '../support/database/databases.ts';

test('a database file that cannot be written is named, and not its directory', async () => {
  const { env, drop } = await createTestDatabase('sqlite');
  const file = join(env['DATA_DIR']!, 'user-groups.sqlite');
  // Root may write a file of any owner; nobody can write a directory.
  mkdirSync(file);
  await expect(prepareDatabase(loadConfig(env))).rejects.toThrow(
    `The file ${file} cannot be written (EISDIR).`,
  );
  rmdirSync(file);
  await prepareDatabase(loadConfig(env));
  await drop();
});
