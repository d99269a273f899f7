import { type SqlDialect, sqlLiteral } from '../../clients/typescript/index.ts';
import { SQL_DIALECTS } from '../../clients/typescript/sql-dialects.ts';
import shared from '../../clients/python/tests/sql_literals.json' with { type: 'json' };

// The Python client runs the same cases in clients/python/tests/test_sql_literal.py.

const dialects = Object.keys(SQL_DIALECTS) as SqlDialect[];

test.each(shared.dialects)('a value of each type for $dialect', (one) => {
  const dialect = one.dialect as SqlDialect;
  const [text, literal] = one.text;
  expect(sqlLiteral(text!, dialect)).toBe(literal);
  expect([sqlLiteral(true, dialect), sqlLiteral(false, dialect)]).toEqual([one.true, one.false]);
});

test('every dialect has its case', () => {
  expect(shared.dialects.map(({ dialect }) => dialect).toSorted()).toEqual(dialects.toSorted());
});

test('numbers keep each digit', () => {
  for (const [number, literal] of shared.numbers) {
    expect(sqlLiteral(number as number, 'postgresql')).toBe(literal);
  }
  expect(sqlLiteral(2n ** 63n - 1n, 'postgresql')).toBe('9223372036854775807');
  expect(sqlLiteral(-(2n ** 63n), 'postgresql')).toBe('(-9223372036854775808)');
});

test('a text leaves nothing for a template engine, a driver or a comment to read', () => {
  const every = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code + 1)).join('');
  for (const dialect of dialects) {
    const outside = sqlLiteral(every, dialect).replace(/(?<=['x])[0-9a-f]{100,}/, '');
    expect(outside).toBe(sqlLiteral('', dialect));
    expect(outside).toMatch(/^[\w'(), -]+$/);
    expect(outside).not.toMatch(/--/);
  }
});

test.each([
  ...[null, undefined, [], ['a'], {}, Symbol('a')].map((value) => [value, TypeError] as const),
  ...['a\0b', '\ud800', 2n ** 63n, 2 ** 53, Infinity, NaN].map(
    (value) => [value, RangeError] as const,
  ),
])('a value that no literal can have is refused, %#', (value, type) => {
  for (const dialect of dialects) {
    expect(() => sqlLiteral(value as string, dialect)).toThrow(type);
  }
});

test.each(['oracle', 'toString', '__proto__', undefined])('the dialect %p is refused', (name) => {
  expect(() => sqlLiteral('a', name as SqlDialect)).toThrow(TypeError);
});
