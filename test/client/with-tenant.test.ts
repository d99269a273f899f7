import { Client, Pool, type PoolClient } from 'pg';
import { type Tenant, type TenantError, withTenant } from '../../clients/typescript/index.ts';
import { settingOf } from '../../clients/typescript/tenant-setting.ts';
import shared from '../../clients/python/tests/tenants.json' with { type: 'json' };
import { onPostgres } from '../support/database/databases.ts';
import { canStartPgBouncer } from '../support/database/pgbouncer.ts';
import {
  createTenantDatabase,
  POOL_SIZE,
  type TenantDatabase,
  TENANTS,
} from '../support/database/tenants.ts';
import { until } from '../support/time/until.ts';

// The Python client runs the same cases in clients/python/tests/test_with_tenant.py.

/** A viewer of the shared cases, with the names of the TypeScript client. */
const tenantOf = (viewer: unknown): Tenant => {
  if (typeof viewer !== 'object' || viewer === null) return viewer as Tenant;
  const { group_id, team_id, user_id, variables } = viewer as Record<string, unknown>;
  const userId: unknown = user_id === null ? undefined : user_id;
  return { groupId: group_id, teamId: team_id, userId, variables } as unknown as Tenant;
};

test.each(shared.told)('a policy is told the viewer, %#', ({ viewer, setting }) => {
  const told = JSON.parse(settingOf(tenantOf(viewer))) as object;
  expect(told).toEqual({ ...setting, transaction: expect.any(String) as string });
});

test.each([
  ...shared.refused.map(tenantOf),
  undefined as unknown as Tenant,
  ...[undefined, NaN, Infinity, 1n, () => 1, Symbol('a')].map((region) => ({
    groupId: 'acme',
    teamId: 7,
    variables: { region },
  })),
])('a viewer who is not whole gets no transaction, %#', async (viewer) => {
  const client = { query: jest.fn() };
  const work = jest.fn();
  const expected = { name: 'TenantError', code: 'viewer_unusable' };
  await expect(withTenant(client, viewer, work)).rejects.toMatchObject(expected);
  expect(client.query).not.toHaveBeenCalled();
  expect(work).not.toHaveBeenCalled();
});

const viewerIn = (region: string): Tenant => ({
  groupId: region,
  teamId: TENANTS.indexOf(region),
  variables: { region },
});
const ACME = viewerIn('acme');
const ROWS = 'SELECT region FROM sale';
const INSERT = "INSERT INTO sale VALUES ('acme', 'new')";

const regionsOf = ({ rows }: { rows: Record<string, unknown>[] }) =>
  rows.map(({ region }) => region);
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as TenantError & { code: string },
  );

(canStartPgBouncer() ? onPostgres : describe.skip)('on postgres', () => {
  let database: TenantDatabase;

  beforeAll(async () => {
    database = await createTenantDatabase();
  });

  afterAll(() => database.drop());

  describe.each(['direct', 'pooled'] as const)('%s', (way) => {
    let pool: Pool;
    let lost: Error[];

    beforeEach(() => {
      lost = [];
      pool = new Pool({ connectionString: database.urls[way], max: POOL_SIZE });
      pool.on('error', (error) => lost.push(error));
    });

    afterEach(async () => {
      const left = await leftBehind();
      const products = await productsOf('acme');
      await pool.end();
      expect({ left, products }).toEqual({
        left: Array(POOL_SIZE).fill('nothing'),
        products: ['of acme'],
      });
    });

    /** Reads the setting that the next transaction finds on each of the connections, at the same time. */
    async function leftBehind(): Promise<string[]> {
      const clients = await Promise.all(Array.from({ length: POOL_SIZE }, () => pool.connect()));
      const found = await Promise.all(
        clients.map(async (client) => {
          const begun = await client.query<{ is_first: boolean }>(
            'SELECT now() = statement_timestamp() AS is_first',
          );
          await client.query('BEGIN');
          const { rows } = await client.query<{ setting: string | null }>(
            "SELECT current_setting('user_groups.viewer', true) AS setting",
          );
          const isClean = begun.rows[0]!.is_first && !rows[0]!.setting;
          return [client, isClean ? 'nothing' : String(rows[0]!.setting)] as const;
        }),
      );
      for (const [client] of found) {
        await client.query('ROLLBACK');
        client.release();
      }
      return found.map(([, setting]) => setting);
    }

    const productsOf = async (region: string) => {
      const rows = await database.run<{ product: string }>(
        `SELECT product FROM sale WHERE region = '${region}'`,
      );
      return rows.map(({ product }) => product);
    };

    test('each viewer sees their own rows, however many share the connections', async () => {
      const seen = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const region = TENANTS[index % TENANTS.length]!;
          const found = await withTenant(pool, viewerIn(region), async ({ query }) => {
            const first = await query(ROWS);
            const again = await query(`${ROWS} WHERE $1`, [true]);
            return [...regionsOf(first), ...regionsOf(again)];
          });
          return found.every((one) => one === region) && found.length === 2;
        }),
      );
      expect(seen).toEqual(Array(60).fill(true));
    });

    test('without a viewer nobody sees a row', async () => {
      await withTenant(pool, ACME, ({ query }) => query(ROWS));
      const clients = await Promise.all(Array.from({ length: POOL_SIZE }, () => pool.connect()));
      const errors = await Promise.all(clients.map((client) => errorOf(client.query(ROWS))));
      for (const client of clients) client.release();
      // The setting is unknown, or empty after an earlier transaction.
      for (const error of errors) expect(['42704', '22P02']).toContain(error?.code);
    });

    test('a policy is told all of the viewer', async () => {
      for (const { viewer, setting } of shared.told) {
        const { rows } = await withTenant(pool, tenantOf(viewer), ({ query }) =>
          query("SELECT current_setting('user_groups.viewer')::jsonb AS told"),
        );
        expect(rows[0]!['told']).toMatchObject(setting);
      }
    });

    test('what the work has done is there once it is over', async () => {
      await withTenant(pool, ACME, ({ query }) => query(INSERT));
      expect(await productsOf('acme')).toEqual(['of acme', 'new']);
      await database.run("DELETE FROM sale WHERE product = 'new'");
    });

    test.each<[string, string, (query: (text: string) => Promise<unknown>) => unknown]>([
      ['an error of the work', 'mine', () => Promise.reject(new RangeError('mine'))],
      [
        'an error of the work that is thrown',
        'mine',
        () => {
          throw new RangeError('mine');
        },
      ],
      ['a failed statement', 'division by zero', (query) => query('SELECT 1 / 0')],
      [
        'a failed statement that nobody noticed',
        'current transaction is aborted',
        (query) => query('SELECT 1 / 0').catch(() => undefined),
      ],
      ['an error of the commit', 'one_product', (query) => query(INSERT)],
      [
        'a statement that takes too long',
        'statement timeout',
        async (query) => {
          await query("SET LOCAL statement_timeout = '20ms'");
          await query('SELECT pg_sleep(1000)');
        },
      ],
      [
        'a row of somebody else',
        'policy',
        (query) => query("INSERT INTO sale VALUES ('globex', 'x')"),
      ],
    ])('%s rolls everything back, and the connection stays', async (_name, message, fail) => {
      const client = await pool.connect();
      const call = withTenant(client, ACME, async ({ query }) => {
        await query(INSERT);
        await fail((text) => query(text));
      });
      expect((await errorOf(call))!.message).toContain(message);
      const { rows } = await withTenant(client, viewerIn('globex'), ({ query }) => query(ROWS));
      expect(rows).toEqual([{ region: 'globex' }]);
      client.release();
      expect(pool.totalCount).toBe(1);
    });

    test('a statement that an operator cancels rolls everything back', async () => {
      const call = errorOf(
        withTenant(pool, ACME, async ({ query }) => {
          await query(INSERT);
          await query('SELECT pg_sleep(1000)');
        }),
      );
      await endSleep('pg_cancel_backend');
      expect(await call).toMatchObject({ code: '57014' });
      expect(pool.totalCount).toBe(1);
    });

    test.each(['a pool', 'a client'])(
      'a connection that breaks is used no more: of %s',
      async (of) => {
        const client = of === 'a pool' ? pool : await pool.connect();
        const call = errorOf(
          withTenant(client, ACME, async ({ query }) => {
            await query(INSERT);
            await query('SELECT pg_sleep(1000)');
          }),
        );
        await endSleep('pg_terminate_backend');
        expect(await call).toBeInstanceOf(Error);
        if (client !== pool) (client as PoolClient).release();
        expect(pool.totalCount).toBe(0);
      },
    );

    test('a connection that breaks between two queries is used no more', async () => {
      const call = errorOf(
        withTenant(pool, ACME, async ({ query }) => {
          const { rows } = await query('SELECT pg_backend_pid() AS pid');
          await database.run(`SELECT pg_terminate_backend(${Number(rows[0]!['pid'])})`);
          await until(async () => (await errorOf(query(ROWS))) !== undefined);
        }),
      );
      expect(await call).toBeInstanceOf(Error);
      expect(pool.totalCount).toBe(0);
    });

    /** Ends the statement that sleeps, once it does. */
    async function endSleep(by: string): Promise<void> {
      await until(async () => {
        const ended = await database.run(
          `SELECT ${by}(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(1000)%' AND state = 'active'`,
        );
        return ended.length > 0;
      });
    }

    test.each([
      ['COMMIT'],
      ['ROLLBACK'],
      ['COMMIT', 'BEGIN'],
      ['ROLLBACK', "SELECT set_config('user_groups.viewer', '{}', false)"],
    ])(
      'work that ends its transaction is told so, and its connection ends: %s %s',
      async (...texts) => {
        const call = withTenant(pool, ACME, async ({ query }) => {
          for (const text of texts) await query(text);
          return 'done';
        });
        expect(await errorOf(call)).toMatchObject({
          name: 'TenantError',
          code: 'transaction_ended',
        });
        expect(pool.totalCount).toBe(0);
        // A setting for the session is not one of this client; behind a pooler it belongs to nobody's session.
        await withTenant(pool, ACME, ({ query }) => query('SELECT 1'));
        if (texts.length > 1 && texts[1] !== 'BEGIN') await resetSessions();
      },
    );

    async function resetSessions(): Promise<void> {
      const clients = await Promise.all(Array.from({ length: POOL_SIZE }, () => pool.connect()));
      await Promise.all(clients.map((client) => client.query('BEGIN')));
      await Promise.all(clients.map((client) => client.query('RESET "user_groups.viewer"')));
      await Promise.all(clients.map((client) => client.query('COMMIT')));
      for (const client of clients) client.release();
    }

    test('nested use is refused, and the outer one goes on', async () => {
      const client = await pool.connect();
      const busy = { name: 'TenantError', code: 'connection_busy' };
      const found = await withTenant(client, ACME, async (tenant) => {
        const inner = (on: typeof client | typeof tenant) =>
          errorOf(withTenant(on, viewerIn('globex'), ({ query }) => query(ROWS)));
        expect([await inner(client), await inner(tenant)]).toMatchObject([busy, busy]);
        return regionsOf(await tenant.query(ROWS));
      });
      expect(found).toEqual(['acme']);
      const both = ['acme', 'globex'].map((region) =>
        withTenant(client, viewerIn(region), ({ query }) => query(ROWS)),
      );
      const [first, second] = await Promise.allSettled(both);
      expect([first!.status, second]).toMatchObject(['fulfilled', { reason: busy }]);
      client.release();
    });

    test('a transaction that is under way is left alone', async () => {
      const client = await pool.connect();
      await client.query('BEGIN');
      await client.query(`SELECT set_config('mine.mark', 'x', true)`);
      const call = withTenant(client, ACME, ({ query }) => query(ROWS));
      expect(await errorOf(call)).toMatchObject({ code: 'connection_busy' });
      const { rows } = await client.query<{ mark: string }>(
        "SELECT current_setting('mine.mark') AS mark",
      );
      expect(rows).toEqual([{ mark: 'x' }]);
      await client.query('ROLLBACK');
      client.release();
    });

    test('a connection of the pool on which a transaction was forgotten is not used again', async () => {
      const client = await pool.connect();
      await client.query('BEGIN');
      client.release();
      expect(await errorOf(withTenant(pool, ACME, ({ query }) => query(ROWS)))).toMatchObject({
        code: 'connection_busy',
      });
      expect(pool.totalCount).toBe(0);
    });

    test('work that is given up can query no more, and the connection is free after its statement', async () => {
      const holder = new Client({ connectionString: database.urls.direct });
      await holder.connect();
      await holder.query('SELECT pg_advisory_lock(1)');
      let late: Promise<unknown> | undefined;
      let proceed: () => void = () => undefined;
      const call = errorOf(
        withTenant(pool, ACME, async ({ query }) => {
          const waiting = query('SELECT pg_advisory_xact_lock(1)');
          late = new Promise<void>((resolve) => (proceed = resolve)).then(() => query(ROWS));
          await Promise.race([waiting, Promise.reject(new Error('given up'))]);
        }),
      );
      await holder.query('SELECT pg_advisory_unlock(1)');
      await holder.end();
      expect(await call).toMatchObject({ message: 'given up' });
      proceed();
      expect(await errorOf(late!)).toMatchObject({ code: 'transaction_ended' });
    });

    test('what nobody waits for is done before the end', async () => {
      await withTenant(pool, ACME, ({ query }) => {
        void query(INSERT);
      });
      expect(await productsOf('acme')).toEqual(['of acme', 'new']);
      await database.run("DELETE FROM sale WHERE product = 'new'");
    });

    test('a query is a text', async () => {
      const call = withTenant(pool, ACME, ({ query }) => query({ text: ROWS } as never));
      expect(await errorOf(call)).toBeInstanceOf(TypeError);
    });
  });
});
