import type { EntityManager } from 'typeorm';
import { toBytesText } from '../../src/platform/database/dialect.ts';
import { statement, type Step } from '../../src/platform/database/statement.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { Transactor } from '../../src/platform/database/transactor.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

const COLUMNS = {
  a_text: 'text',
  an_integer: 'integer',
  a_bigint: 'bigint',
  bytes: 'bytes',
} as const;

interface Read {
  text: string | null;
  integer: number | null;
  bigint: number | null;
  bytes: string | null;
  asText: string | null;
}

const readRecords = statement<{ records: readonly object[] }, Read>(
  'test.read-records',
  ({ recordsOf, toHex }) => `
    SELECT a_text AS text, an_integer AS integer, a_bigint AS bigint, ${toHex('bytes')} AS bytes,
      CAST(a_bigint AS text) AS "asText"
    FROM ${recordsOf(':records', COLUMNS)}`,
);

const findAmong = statement<
  { names: readonly string[]; ids: readonly number[]; text: string },
  { name: string; text: string }
>(
  'test.find-among',
  ({ isOneOf }) => `
    SELECT name, CAST(:text AS text) AS text FROM workspace
    WHERE ${isOneOf('name', ':names')} AND ${isOneOf('id', ':ids', 'integer')} ORDER BY name`,
);

const findEach = statement<{ names: readonly string[] }, { name: string }>(
  'test.find-each',
  (dialect) =>
    dialect.forEachKey(
      ':names',
      (key) => `SELECT w.name FROM workspace w WHERE ${key.is('w.name')} ORDER BY w.name`,
    ),
);

const addWorkspaces = statement<{ records: readonly object[] }>(
  'test.add-workspaces',
  ({ recordsOf }) => `
    INSERT INTO workspace (name, created_at, public_id)
    SELECT name, created_at, name FROM ${recordsOf(':records', { name: 'text', created_at: 'bigint' })}`,
);

interface Added {
  n: number;
  name: string;
  bytes: string;
  /** Whether the workspace was added; a name that is taken is left out. */
  isAdded: boolean | 0 | 1;
  added: number;
}

const THINGS = { n: 'integer', name: 'text', bytes: 'bytes' } as const;

const addThings = statement<{ things: readonly object[]; prefix: string }, Added>(
  'test.add-things',
  ({ toHex }): Step[] => [
    { name: 'things', columns: THINGS },
    { name: 'named', isView: true, sql: 'SELECT n, :prefix || name AS name, bytes FROM things' },
    {
      name: 'added',
      columns: { name: 'text' },
      sql: `
      INSERT INTO workspace (name, created_at, public_id) SELECT name, 1, 'ws ' || n || substr(name, 6, 14) FROM named WHERE n < 100
      ON CONFLICT (name) DO NOTHING RETURNING name`,
    },
    { name: 'counted', columns: { added: 'integer' }, sql: 'SELECT count(*) AS added FROM added' },
    {
      name: 'result',
      sql: `
      SELECT v.n, v.name, ${toHex('v.bytes')} AS bytes, a.name IS NOT NULL AS "isAdded",
        CAST(c.added AS integer) AS added
      FROM named v CROSS JOIN counted c LEFT JOIN added a ON a.name = v.name ORDER BY v.n`,
    },
  ],
);

/** Its second step fails: a change has a kind. */
const addAndFail = statement<{ records: readonly object[] }>('test.add-and-fail', (): Step[] => [
  { name: 'records', columns: { name: 'text' } },
  {
    name: 'added',
    columns: { id: 'integer' },
    sql: `
      INSERT INTO workspace (name, created_at, public_id)
      SELECT name, 1, 'ws ' || name FROM records RETURNING id`,
  },
  {
    name: 'logged',
    table: 'change_event',
    sql: `
      INSERT INTO change_event (transaction_id, public_id, occurred_at) SELECT 1, id, 1 FROM added`,
  },
  { name: 'result', sql: 'SELECT id FROM added' },
]);

onEachDatabase((kind) => {
  const service = withService(kind);
  let statements: Statements;
  let transactor: Transactor;

  beforeAll(() => {
    statements = service.app.get(Statements);
    transactor = service.app.get(Transactor);
  });

  const add = (manager: EntityManager, ...names: unknown[]) => {
    const records = names.map((name) => ({ name, created_at: 1 }));
    return statements.run(manager, addWorkspaces, { records });
  };

  const count = async (prefix: string) => {
    const rows = await service.query(`SELECT id FROM workspace WHERE name LIKE '${prefix}%'`);
    return rows.length;
  };

  const bytes = toBytesText(Buffer.from([0, 255, 39, 92]));
  const records = [
    ['of every type', { a_text: 'a', an_integer: 5, a_bigint: 1_700_000_000_000, bytes }],
    ['beyond 32 bits, and negative', { an_integer: -1, a_bigint: Number.MAX_SAFE_INTEGER }],
    ['with texts like SQL and JSON', { a_text: ':records.a_text $1 ? \'"\\ [1] null \u2028 😀' }],
    ['with digits as a text', { a_text: '007', a_bigint: 0 }],
    ['of nulls', { a_text: null, an_integer: null, a_bigint: null, bytes: null }],
    ['without a member', {}],
    ['with a member too many', { a_text: 'b', another: 'c' }],
  ] as const;

  test.each(records)('a record %s reads the same alone as among others', async (_, record) => {
    const [alone, ...none] = await statements.read(readRecords, { records: [record] });
    const among = await statements.read(readRecords, { records: [record, { a_text: 'other' }] });
    expect(none).toEqual([]);
    expect(among).toHaveLength(2);
    expect(alone).toEqual(among[0]);
    const { a_text = null, a_bigint = null } = record as { a_text?: string; a_bigint?: number };
    expect(alone).toMatchObject({
      text: a_text,
      bigint: a_bigint,
      asText: a_bigint === null ? null : String(a_bigint),
    });
  });

  test('no record is none', async () => {
    expect(await statements.read(readRecords, { records: [] })).toEqual([]);
  });

  test('keys are found alone, among others, and beside lists of other lengths', async () => {
    await transactor.run((manager) => add(manager, 'key a', 'key b'));
    const all = await service.query<{ id: number }>('SELECT id FROM workspace ORDER BY id');
    const ids = all.map(({ id }) => id);
    const [a, b] = [
      { name: 'key a', text: 'x' },
      { name: 'key b', text: 'x' },
    ];
    const find = (names: string[], among: number[]) =>
      statements.read(findAmong, { names, ids: among, text: 'x' });
    expect(await find(['key a'], ids)).toEqual([a]);
    expect(await find(['key b', 'key a'], ids)).toEqual([a, b]);
    expect(await find(['key b', 'key a'], [ids.at(-1)!])).toEqual([b]);
    expect(await find(['key b'], [ids.at(-1)!])).toEqual([b]);
    expect(await find(['key a'], [ids.at(-1)!])).toEqual([]);
    expect(await find([], ids)).toEqual([]);
    expect(await find(['key a'], [])).toEqual([]);
    expect(await statements.read(findEach, { names: ['key a'] })).toEqual([{ name: 'key a' }]);
    expect(await statements.read(findEach, { names: ['key b', 'none'] })).toEqual([
      { name: 'key b' },
    ]);
    expect(await statements.read(findEach, { names: ['none'] })).toEqual([]);
    expect(await statements.read(findEach, { names: [] })).toEqual([]);
  });

  describe('steps', () => {
    const ways = {
      'as a transaction': (things: readonly object[], prefix: string) =>
        transactor.apply(addThings, { things, prefix }),
      'within one': (things: readonly object[], prefix: string) =>
        transactor.run((manager) => statements.run(manager, addThings, { things, prefix })),
    };

    test.each(Object.entries(ways))(
      '%s read the rows of those before, of lists of any length',
      async (way, run) => {
        const prefix = `step ${way} `;
        const seen = (rows: Added[]) =>
          rows.map((row) => ({ ...row, isAdded: Boolean(row.isAdded) }));
        const one = { n: 1, name: `it's :name $1`, bytes };
        const of = (n: number, name: string, added: number) => ({
          n,
          name: prefix + name,
          bytes: '00ff275c',
          isAdded: added > 0,
          added,
        });
        expect(seen(await run([], prefix))).toEqual([]);
        expect(seen(await run([one], prefix))).toEqual([of(1, one.name, 1)]);
        // Its name is taken now.
        expect(seen(await run([one], prefix))).toEqual([of(1, one.name, 0)]);
        const many = Array.from({ length: 9 }, (_, n) => ({ n: n + 2, name: `many ${n}`, bytes }));
        expect(seen(await run([one, ...many, { n: 100, name: 'beyond', bytes }], prefix))).toEqual([
          { ...of(1, one.name, 0), added: 9 },
          ...many.map(({ n, name }) => of(n, name, 9)),
          { ...of(100, 'beyond', 0), added: 9 },
        ]);
        expect(await count(prefix.replaceAll("'", "''"))).toBe(10);
      },
    );

    test.each([1, 2])(
      'an error names the table of its step, and nothing of the others is stored: %d',
      async (length) => {
        const records = Array.from({ length }, (_, n) => ({ name: `failed ${n}` }));
        await expect(transactor.apply(addAndFail, { records })).rejects.toMatchObject({
          table: 'change_event',
        });
        const within = transactor.run((manager) =>
          statements.run(manager, addAndFail, { records }),
        );
        await expect(within).rejects.toMatchObject({ table: 'change_event' });
        expect(await count('failed')).toBe(0);
      },
    );

    test('a step that fails takes none of the statements with it that arrive together', async () => {
      const results = await Promise.allSettled([
        transactor.apply(addThings, { things: [{ n: 1, name: 'a' }], prefix: 'beside the one ' }),
        transactor.apply(addAndFail, { records: [{ name: 'beside failed' }] }),
        transactor.apply(addThings, { things: [{ n: 1, name: 'b' }], prefix: 'beside other ' }),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await count('beside ')).toBe(2);
    });
  });

  test.each([
    ['an object', { nested: 'object' }],
    ['an array', ['array']],
    ['no number', Number.NaN],
    ['no finite number', Infinity],
    ['a BigInt', 5n],
  ])(
    'what no driver can send, as %s, fails before anything is sent',
    async (kindOfValue, value) => {
      const work = transactor.run(async (manager) => {
        await add(manager, 'unsent 1');
        await add(manager, value);
      });
      await expect(work).rejects.toThrow(TypeError);
      expect(await count('unsent')).toBe(0);
      await transactor.run((manager) => add(manager, `after ${kindOfValue}`));
      expect(await count(`after ${kindOfValue}`)).toBe(1);
    },
  );
});

test('a name that PostgreSQL would cut off is refused', () => {
  expect(() => statement('a'.repeat(52), () => 'SELECT 1')).not.toThrow();
  expect(() => statement('a'.repeat(53), () => 'SELECT 1')).toThrow('too long');
});
