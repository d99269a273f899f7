import { DatabaseUnavailable } from '../../src/platform/common/problem/errors.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { onPostgres } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

const SIZE = 4;

const connection = statement<object, { pid: number }>(
  'test.connection',
  () => 'SELECT pg_backend_pid() AS pid',
);
const duplicate = statement<object, object>(
  'test.duplicate',
  () => 'INSERT INTO workspace SELECT * FROM workspace',
);
const readOnly = statement<object, object>(
  'test.read-only',
  () => `
  SELECT set_config('transaction_read_only', 'on', true), nextval(pg_get_serial_sequence('workspace', 'id'))`,
);

onPostgres('a pool of DATABASE_POOL_SIZE connections', () => {
  const service = withService('postgres', { DATABASE_POOL_SIZE: String(SIZE) });

  test('serves more workspaces at once than it has connections, and is never larger', async () => {
    const pool = service.app.get(Statements);
    const sizes: number[] = [];
    const watch = setInterval(() => {
      const { busy, idle } = pool.poolUsage()!;
      sizes.push(busy + idle);
    });
    const workspaces = Array.from({ length: 3 * SIZE }, (_, n) => `workspace ${n}`);
    const statuses = await Promise.all(
      workspaces.map(async (workspace) => {
        const client = service.clientOf(
          await service.issueToken(
            ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
            workspace,
          ),
        );
        const bodies = Array.from({ length: 20 }, (_, n) => ({
          user_group_id: `g ${n}`,
          name: 'N',
        }));
        const written = await Promise.all(bodies.map((body) => client.put(body)));
        const read = await Promise.all(
          bodies.map(({ user_group_id }) => client.get({ user_group_id })),
        );
        return [...written, ...read].map(({ status }) => status);
      }),
    );
    clearInterval(watch);
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
    expect(Math.max(...sizes)).toBe(SIZE);
  });

  test('keeps a connection whose statement a caller has made fail, and closes one that fails otherwise', async () => {
    const statements = service.app.get(Statements);
    const pidOf = async () => (await statements.read(connection, {}))[0]!.pid;
    const first = await pidOf();
    await expect(statements.read(duplicate, {})).rejects.toMatchObject({ code: '23505' });
    expect(await pidOf()).toBe(first);
    await expect(statements.read(readOnly, {})).rejects.toThrow(DatabaseUnavailable);
    expect(await pidOf()).not.toBe(first);
  });
});
