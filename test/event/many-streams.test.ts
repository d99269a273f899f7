import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { StreamReader } from '../support/events/event-stream.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);
  const readers: StreamReader[] = [];

  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  const open = async (query = '') => {
    const reader = await StreamReader.open(service, service.bootstrapToken, query);
    readers.push(reader);
    await reader.until(() => reader.messages.some(({ event }) => event === 'current'));
    return reader;
  };

  /** Commits this many changes in one transaction, as another process does. */
  const changeMany = (count: number, objectId: string) =>
    changeDatabase(
      service.database,
      `INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, object_id, occurred_at)
      WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      SELECT ${kind === 'sqlite' ? '0' : 'CAST(CAST(pg_current_xact_id() AS text) AS bigint)'},
        n, 1, 'schema.update', '${objectId}', ${Date.now()} FROM numbers`,
    );

  /** The longest turn of the event loop, in milliseconds of processor time, until the work is done. */
  const longestTurn = async (work: Promise<unknown>) => {
    const state = { isDone: false };
    let longest = 0;
    const done = () => (state.isDone = true);
    void work.then(done, done);
    while (!state.isDone) {
      const began = process.cpuUsage();
      await setImmediate();
      const { user, system } = process.cpuUsage(began);
      longest = Math.max(longest, (user + system) / 1000);
    }
    return longest;
  };

  test('many streams with many patterns do not hold up the process, however much is committed', async () => {
    // Each matches a type, and takes long to be compared with another.
    const types = Array.from({ length: 50 }, () => '*s*c*h*e*m*a*.*create').join(',');
    const streams = await Promise.all(Array.from({ length: 40 }, () => open(`?types=${types}`)));
    await changeMany(4000, 'x');
    const committed = performance.now();
    const isCurrent = (reader: StreamReader) =>
      reader.until(() => reader.messages.some(({ data: { at = 0 } }) => at > committed));
    expect(await longestTurn(Promise.all(streams.map(isCurrent)))).toBeLessThan(500);
    expect(streams.flatMap(({ changes }) => changes)).toEqual([]);
  });

  test('a reader that does not read has one page in memory, however much is committed', async () => {
    const [transactions, changes] = [40, 200];
    const sockets = new Set<Socket>();
    service.app.getHttpServer().on('connection', (socket) => sockets.add(socket));
    const [slow, quick] = [await open(), await open()];
    slow.pause();
    let mostUnread = 0;
    const measure = () => {
      for (const socket of sockets) mostUnread = Math.max(mostUnread, socket.writableLength);
    };
    const commit = async () => {
      for (let written = 0; written < transactions; written++) {
        await changeMany(changes, 'x'.repeat(4000));
      }
    };
    const committing = Promise.allSettled([commit()]);
    while (quick.changes.length < transactions * changes) {
      measure();
      await setImmediate();
    }
    for (const { status } of await committing) expect(status).toBe('fulfilled');
    // More than the buffers of the kernel take has been committed.
    expect(mostUnread).toBeGreaterThan(64 * 1024);
    // A page has 256 changes, of the transactions that were open at its position and of later ones, and separates none.
    expect(mostUnread).toBeLessThan(2 * (256 + changes) * 4300);
  });
});
