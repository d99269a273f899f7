import BetterSqlite3 from 'better-sqlite3';
import { join } from 'node:path';
import { DatabaseUnavailable } from '../../src/platform/common/problem/errors.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { Transactor } from '../../src/platform/database/transactor.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let service: TestService;
let transactor: Transactor;

beforeEach(async () => {
  service = await startTestService('sqlite');
  transactor = service.app.get(Transactor);
});

afterEach(() => service.close());

/** Lets the database grow by this many pages and no further, like a disk that is almost full. */
async function allowPages(more: number): Promise<void> {
  await transactor.run(async (manager) => {
    const [row] = await manager.query<{ page_count: number }[]>('PRAGMA page_count');
    await manager.query(`PRAGMA max_page_count = ${row!.page_count + more}`);
  });
}

/** The groups that another process finds: only those that are committed. */
function committedGroups(): string[] {
  const path = join(service.database.env['DATA_DIR']!, 'user-groups.sqlite');
  const database = new BetterSqlite3(path, { readonly: true });
  const rows = database.prepare('SELECT provided_id FROM user_group').all() as {
    provided_id: string;
  }[];
  database.close();
  return rows.map(({ provided_id }) => provided_id);
}

const group = (id: string) => ({
  user_group_id: id,
  name: id,
  properties: { filling: 'x'.repeat(8000) },
});

test.each([1, 8])(
  'on a full disk no write is acknowledged that is not stored (%d at once)',
  async (atOnce) => {
    await allowPages(20);
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    for (let round = 0; round < 15; round++) {
      const ids = Array.from({ length: atOnce }, (_, index) => `g ${round}.${index}`);
      const answers = await Promise.all(ids.map((id) => service.api.put(group(id))));
      answers.forEach(({ status }, index) => {
        statuses.add(status);
        if (status === 200) acknowledged.push(ids[index]!);
      });
    }
    expect([...statuses].sort()).toEqual([200, 503]);
    expect(committedGroups().sort()).toEqual(acknowledged.sort());

    await allowPages(10_000);
    const after = await Promise.all(['after 1', 'after 2'].map((id) => service.api.put(group(id))));
    expect(after.map(({ status }) => status)).toEqual([200, 200]);
    expect(committedGroups().sort()).toEqual([...acknowledged, 'after 1', 'after 2'].sort());
  },
);

test('what comes after a statement that found the disk full is refused for the same reason', async () => {
  const statements = service.app.get(Statements);
  const store = statement<{ text: string }>(
    'test.store',
    () => 'INSERT INTO filled VALUES (:text)',
  );
  await transactor.run((manager) => manager.query('CREATE TABLE filled (text TEXT)'));
  await allowPages(2);
  const stored = transactor.run(async (manager) => {
    const tooLong = statements.run(manager, store, { text: 'x'.repeat(100_000) });
    const along = statements.run(manager, store, { text: 'along' });
    for (const { status } of await Promise.allSettled([tooLong, along])) {
      expect(status).toBe('rejected');
    }
    await along;
  });
  await expect(stored).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await service.query('SELECT text FROM filled')).toEqual([]);
});

test('the connection that writes flushes each commit to the disk', async () => {
  const [row] = await transactor.run((manager) =>
    manager.query<{ synchronous: number }[]>('PRAGMA synchronous'),
  );
  expect(row).toEqual({ synchronous: 2 });
  const [mode] = await service.query<{ journal_mode: string }>('PRAGMA journal_mode');
  expect(mode).toEqual({ journal_mode: 'wal' });
});
