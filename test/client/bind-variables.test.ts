import Sqlite from 'better-sqlite3';
import {
  BindError,
  type BindOptions,
  bindVariables,
  type BoundStatement,
  type SqlDialect,
} from '../../clients/typescript/index.ts';
import shared from '../../clients/python/tests/bind_variables.json' with { type: 'json' };
import { mutatedTexts } from '../system/bind-variables/mutated-texts.mjs';

// The Python client runs the same cases in clients/python/tests/test_bind_variables.py.
type Case = Pick<BindOptions, 'placeholder'> & { dialect: SqlDialect; sql: string };
const dialects = Object.keys(shared.spans) as SqlDialect[];
const variables = read(shared.variables) as Record<string, unknown>;

/** A value as JSON says it; `$integer` and `$infinity` are what it cannot say. */
function read(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(read);
  if (typeof value !== 'object' || value === null) return value;
  if ('$integer' in value) return BigInt(value.$integer as string);
  if ('$infinity' in value) return Infinity;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, read(one)]));
}

function bind({ dialect, sql, placeholder }: Case) {
  const { declarations, identifiers } = shared as unknown as BindOptions;
  return bindVariables(sql, variables, {
    dialect,
    declarations,
    identifiers,
    ...(placeholder && { placeholder }),
  });
}

function refusal(attempt: () => BoundStatement) {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    const { code, position } = error;
    return { code, position };
  }
}

/** The sign ¦ is where the error is. */
function expectRefusal({ sql, ...more }: Case, code: string): void {
  const found = refusal(() => bind({ sql: sql.replace('¦', ''), ...more }));
  expect(found).toEqual({ code, position: sql.indexOf('¦') });
}

test.each(shared.cases as unknown as (Case & { text: string; values: unknown[] })[])(
  '$dialect: $sql',
  ({ text, values, ...one }) => {
    expect(bind(one)).toEqual({ text, values: read(values) });
  },
);

test.each(shared.refused as unknown as (Case & { code: string })[])(
  '$dialect refuses $sql',
  ({ code, ...one }) => {
    expectRefusal(one, code);
  },
);

describe.each(dialects)('%s', (dialect) => {
  test.each(shared.refusedEverywhere as [string, string][])('refuses %j', (sql, code) => {
    expectRefusal({ dialect, sql }, code);
  });

  // The sign ¤ is where a placeholder is refused.
  test.each(shared.spans[dialect as 'sqlite'])('knows where %j ends', (span) => {
    const { text: bound } = bind({ dialect, sql: '{{region}}' });
    const sql = `SELECT ${span.replace('¤', '')} , {{region}} AS x`;
    expect(bind({ dialect, sql })).toEqual({
      text: sql.replace('{{region}}', bound),
      values: ['EMEA'],
    });
    if (!span.includes('¤')) return;
    const inside = `SELECT ${span.replace('¤', '¦{{region}}')} , {{region}} AS x`;
    expectRefusal({ dialect, sql: inside }, 'placeholder_quoted');
  });
});

test('an error names the variable and the place, and shows no value', () => {
  const options: BindOptions = { dialect: 'mysql', declarations: { a: 'integer' } };
  const bound = () => bindVariables('SELECT\n {{a}}', { a: 's3cret' }, options);
  expect(bound).toThrow(BindError);
  expect(bound).toThrow(
    '{{a}} has to be of type integer, and is of type string (line 2, column 2)',
  );
  expect(bound).toThrow(
    expect.objectContaining({ code: 'variable_type', position: 8, variable: 'a' }) as Error,
  );
});

test('without properties every variable is missing', () => {
  const options: BindOptions = { dialect: 'mysql', declarations: { a: 'string' } };
  for (const none of [undefined, null, {}]) {
    const bound = () => bindVariables('{{a}}', none, options);
    expect(bound).toThrow(expect.objectContaining({ code: 'variable_missing' }) as Error);
    const nothing = '{{a}} cannot be bound: the variables of the call are ';
    expect(bound).toThrow(
      none ? '{{a}} is missing or null' : `${nothing}${none === null ? 'null' : 'undefined'}`,
    );
  }
});

test.each([
  { dialect: 'oracle', declarations: { a: 'string' } },
  { dialect: 'mysql', declarations: { a: 'text' } },
  { dialect: 'mysql', declarations: { a: 'string' }, placeholder: ':1' },
  { dialect: 'mysql', declarations: {}, identifiers: { a: ['x`y'] } },
  { dialect: 'mysql', declarations: { a: 'string' }, identifiers: { a: ['x'] } },
])('wrong options are a TypeError: %j', (options) => {
  expect(() =>
    bindVariables('SELECT {{a}}', { a: 'x' }, options as unknown as BindOptions),
  ).toThrow(TypeError);
});

test('more statements than are remembered are bound alike', () => {
  const options: BindOptions = { dialect: 'postgresql', declarations: { a: 'integer' } };
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 1200; number++) {
      const bound = bindVariables(`SELECT ${number} = {{a}}`, { a: round }, options);
      expect(bound).toEqual({ text: `SELECT ${number} = $1`, values: [round] });
    }
  }
});

// `npm run test:bind-variables` does the same on four engines, with more texts.
test('SQLite finds as many parameters in a mutated text as there are values', () => {
  const database = new Sqlite(':memory:').exec('CREATE TABLE canary (name text)');
  const options: BindOptions = { dialect: 'sqlite', declarations: { value: 'string' } };
  let agreed = 0;
  for (const sql of mutatedTexts('sqlite', 5000, 7)) {
    const bound = refusal(() => bindVariables(sql, { value: 'x' }, options));
    if (!('text' in bound)) continue;
    try {
      database.prepare(bound.text).all(bound.values);
      agreed += 1;
    } catch (error) {
      // The driver compares the numbers of both; anything else is an error of syntax.
      expect([sql, (error as Error).message]).toEqual([
        sql,
        expect.not.stringMatching(/parameter/),
      ]);
    }
  }
  expect(agreed).toBeGreaterThan(100);
  database.close();
});
