import BetterSqlite3 from 'better-sqlite3';
import type { Pool, PoolClient } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { dialectOf } from '../../src/platform/database/dialect.ts';
import { CompiledStatements, statement } from '../../src/platform/database/statement.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { type TestService, withService } from '../support/test-service.ts';
import { groupStatuses } from '../../src/core/user-group/status/user-group-status.ts';
import { userGroupSorts } from '../../src/core/user-group/resource/user-group-order.ts';

type Query = Record<string, string>;

/** All statements with a name together are fewer. */
const MOST = 250;

const TIME = '2030-01-01T00:00:00Z';

const NO_FILTER: Query[] = [{}];
const groupFilters: Query[][] = [
  [{}, { name_prefix: 'g' }],
  [{}, { property_name: 'a' }, { property_name: 'a', property_value: 'b' }],
  [{}, { valid_until_after: TIME }],
  [{}, { in_overlap: 'true' }, { in_overlap: 'false' }],
  [{}, ...groupStatuses.map((status) => ({ status }))],
  [{}, { search: 'g' }],
];
const auditFilters: Query[][] = [
  [{}, { types: 'user_group.*' }],
  [{}, { object_type: 'user_group' }],
  [{}, { object_id: 'g0' }],
  [{}, { api_token_id: '1' }],
  [{}, { request_id: 'r' }],
  [{}, { from: '2020-01-01T00:00:00Z' }],
  [{}, { to: TIME }],
];

function combinationsOf(filters: Query[][]): Query[] {
  return filters.reduce(
    (all, choices) => all.flatMap((one) => choices.map((choice) => ({ ...one, ...choice }))),
    NO_FILTER,
  );
}

/** Asks for every combination of filters, and for every order, on first pages and on later ones. */
async function listAll({ api }: TestService): Promise<void> {
  const list = async (path: string, query: Query) => {
    const { status, body } = await api.call('GET', `${path}?${String(new URLSearchParams(query))}`);
    expect([path, query, status]).toEqual([path, query, 200]);
    return body.next_cursor;
  };
  const page = async (path: string, query: Query, cursor?: string) => {
    await list(path, { ...query, ...(cursor !== undefined && { cursor }) });
  };
  const cursors = new Map<string, string>();
  for (const sort of userGroupSorts) {
    cursors.set(sort, await list('/api/v1/user-groups', { sort, limit: '1' }));
  }
  for (const [index, query] of combinationsOf(groupFilters).entries()) {
    const sort = userGroupSorts[index % userGroupSorts.length]!;
    await page('/api/v1/user-groups', {
      ...query,
      sort,
      ...(index % 5 === 0 && { count: 'true' }),
    });
    await page('/api/v1/user-groups', { ...query, sort }, cursors.get(sort));
  }
  const cursor = await list('/api/v1/audit-events', { limit: '1' });
  for (const query of combinationsOf(auditFilters)) {
    await page('/api/v1/audit-events', query);
    await page('/api/v1/audit-events', query, cursor);
  }
}

/** Counts the prepared statements of the connection that has most of them. */
async function countOnConnection({ dataSource }: TestService): Promise<number> {
  const { master: pool } = dataSource.driver as unknown as { master: Pool };
  const clients: PoolClient[] = [];
  while (clients.length < pool.totalCount) clients.push(await pool.connect());
  const counts = await Promise.all(
    clients.map(async (client) => {
      const { rows } = await client.query<{ count: number }>(
        'SELECT count(*)::int FROM pg_prepared_statements',
      );
      return rows[0]!.count;
    }),
  );
  for (const client of clients) client.release();
  return Math.max(...counts);
}

interface Preparing {
  prepare: (sql: string) => object;
}

const { prototype } = BetterSqlite3 as unknown as { prototype: Preparing };

/** Counts the prepared statements of SQLite that the process still holds. */
function watchSqlite(): () => Promise<number> {
  const made: WeakRef<object>[] = [];
  // A mock of Jest would hold what it returns.
  const { prepare } = prototype;
  prototype.prepare = function (this: Preparing, sql) {
    const prepared = prepare.call(this, sql);
    made.push(new WeakRef(prepared));
    return prepared;
  };
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return async () => {
    // A reference holds its object until the turn of the event loop ends.
    await setImmediate();
    collect();
    return made.filter((one) => one.deref()).length;
  };
}

onEachDatabase((kind) => {
  const countSqlite = kind === 'sqlite' ? watchSqlite() : undefined;
  const service = withService(kind);

  test('lists with every combination of filters leave few statements prepared', async () => {
    for (const name of ['g0', 'g1', 'g2']) {
      await service.api.put({ user_group_id: name, name, properties: { a: 'b' } });
    }
    await listAll(service);
    expect(await (countSqlite ?? (() => countOnConnection(service)))()).toBeLessThan(MOST);
  });
});

test.each(['postgres', 'better-sqlite3'] as const)(
  'a statement of many lists is kept prepared in few forms, on %s',
  (type) => {
    const dialect = dialectOf({ type } as DataSourceOptions);
    const names = [...'abcdefg'];
    const many = statement<Record<string, readonly number[]>>(
      `test.many-lists-${dialect.kind}`,
      (_dialect, has) => names.map((name) => ({ name, sql: `SELECT ${has(name) ? 1 : 0}` })),
    );
    const compiled = new CompiledStatements(dialect, false);
    const used = Array.from({ length: 2 ** names.length }, (_, form) => {
      const lists = names.map((name, index) => [name, form & (1 << index) ? [1, 2] : []] as const);
      const bind = () => compiled.bind(many, Object.fromEntries(lists));
      const { name, texts } = bind();
      expect(bind()).toMatchObject({ name, texts });
      expect(texts.at(-1)!.text).toMatch(new RegExp(`SELECT ${form >> 6}$`));
      return name;
    });
    // The form without elements is as short as that of single ones, of which each call has few.
    expect(new Set(used.filter((name) => name !== undefined)).size).toBe(1 + 32);
    expect(used).toContain(undefined);
  },
);

test('a statement with a name is made once, so that no text of a request has one', () => {
  const make = () => statement('test.once', () => 'SELECT 1');
  make();
  expect(make).toThrow('there are two statements of the name test.once');
});
