import type { EntityManager } from 'typeorm';
import { toBytesText } from '../../src/database/dialect.ts';
import { statement } from '../../src/database/statement.ts';
import { Statements } from '../../src/database/statements.ts';
import { Transactor } from '../../src/database/transactor.ts';
import { onEachDatabase } from '../support/databases.ts';
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
    statements.runLast(manager, addWorkspaces, { records });
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
    await transactor.run((manager) => {
      add(manager, 'key a', 'key b');
    });
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

  test.each([
    ['an object', { nested: 'object' }],
    ['an array', ['array']],
    ['no number', Number.NaN],
    ['no finite number', Infinity],
    ['a BigInt', 5n],
  ])(
    'what no driver can send, as %s, fails before anything is sent',
    async (kindOfValue, value) => {
      const work = transactor.run((manager) => {
        add(manager, 'unsent 1');
        add(manager, value);
        add(manager, 'unsent 2');
      });
      await expect(work).rejects.toThrow(TypeError);
      expect(await count('unsent')).toBe(0);
      await transactor.run((manager) => {
        add(manager, `after ${kindOfValue}`);
      });
      expect(await count(`after ${kindOfValue}`)).toBe(1);
    },
  );
});

test('a name that PostgreSQL would cut off is refused', () => {
  expect(() => statement('a'.repeat(57), () => 'SELECT 1')).not.toThrow();
  expect(() => statement('a'.repeat(58), () => 'SELECT 1')).toThrow('too long');
});
