import { Statements } from '../../src/database/statements.ts';
import { onPostgres } from '../support/databases.ts';
import { withService } from '../support/test-service.ts';

const SIZE = 4;

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
        const client = service.clientOf(await service.issueToken(['user-groups:read', 'user-groups:write'], workspace));
        const bodies = Array.from({ length: 20 }, (_, n) => ({ user_group_id: `g ${n}`, name: 'N' }));
        const written = await Promise.all(bodies.map((body) => client.put(body)));
        const read = await Promise.all(bodies.map(({ user_group_id }) => client.get({ user_group_id })));
        return [...written, ...read].map(({ status }) => status);
      }),
    );
    clearInterval(watch);
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
    expect(Math.max(...sizes)).toBe(SIZE);
  });
});
