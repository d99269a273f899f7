import BetterSqlite3 from 'better-sqlite3';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Transactor } from '../../src/platform/database/transactor.ts';
import { startTestService } from '../support/test-service.ts';

const MIB = 1024 * 1024;

test('the journal of the embedded database gives back what a long reader has made it grow', async () => {
  const service = await startTestService('sqlite');
  const file = join(service.database.env['DATA_DIR']!, 'user-groups.sqlite');
  const size = () => statSync(`${file}-wal`).size;
  const reader = new BetterSqlite3(file, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM user_group').get();
  const transactor = service.app.get(Transactor);
  const write = (sql: string) => transactor.run((manager) => manager.query(sql));
  await write('CREATE TABLE filling (a blob)');
  for (let count = 0; count < 6; count++) {
    await write(`INSERT INTO filling VALUES (zeroblob(${8 * MIB}))`);
  }
  expect(size()).toBeGreaterThan(40 * MIB);
  reader.exec('COMMIT');
  reader.close();
  for (let count = 0; count < 3; count++) await service.api.create();
  expect(size()).toBeLessThanOrEqual(32 * MIB);
  await write('DROP TABLE filling');
  await service.close();
});
