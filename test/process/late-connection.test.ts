import { type AddressInfo, connect, createServer } from 'node:net';
import { createTestDatabase, onPostgres } from '../support/database/databases.ts';
import { startOwnServer } from '../support/process/processes.ts';
import { inRealTime } from '../support/time/real-time.ts';

/** Longer than a caller's statement waits for its connection. */
const LATE_MS = 2500;

onPostgres('a start', () => {
  test.each([1, 2, 3])(
    'waits for its connection %d to PostgreSQL, as on a busy machine',
    async (late) => {
      const database = await createTestDatabase('postgres');
      const url = new URL(database.env['DATABASE_URL']!);
      let count = 0;
      const proxy = createServer((from) => {
        count++;
        from.on('error', () => undefined);
        const join = () => {
          const to = connect(Number(url.port), url.hostname);
          to.on('error', () => from.destroy());
          from.on('close', () => to.destroy());
          from.pipe(to).pipe(from);
        };
        if (count === late) void inRealTime(LATE_MS, 'the limit of the driver is 2 s').then(join);
        else join();
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const through = new URL(url);
      through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const server = await startOwnServer({ ...database.env, DATABASE_URL: through.href });
      expect((await server.api.put({ user_group_id: 'acme', name: 'A' })).status).toBe(200);
      await server.stop();
      proxy.close();
      await database.drop();
    },
  );
});
