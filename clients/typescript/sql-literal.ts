import { boundValueOf, type Scalar } from './bound-values.js';
import { SQL_DIALECTS, type SqlDialect } from './sql-dialects.js';

/** The expression of a text in each dialect, by the digits of its UTF-8, or of UTF-16 where a database has no UTF-8 by itself. */
const TEXTS: Readonly<Record<SqlDialect, (text: string) => string>> = {
  postgresql: (text) => `convert_from(decode('${hexOf(text)}', 'hex'), 'UTF8')`,
  // A literal takes the collation of the column that it is compared with, unlike the result of a function.
  mysql: (text) => `_utf8mb4 x'${hexOf(text)}'`,
  mariadb: (text) => `_utf8mb4 x'${hexOf(text)}'`,
  sqlite: (text) => `CAST(x'${hexOf(text)}' AS TEXT)`,
  duckdb: (text) => `decode(unhex('${hexOf(text)}'))`,
  sqlserver: (text) => `CONVERT(nvarchar(max), 0x${Buffer.from(text, 'utf16le').toString('hex')})`,
  bigquery: (text) => `CAST(FROM_HEX('${hexOf(text)}') AS STRING)`,
  snowflake: (text) => `HEX_DECODE_STRING('${hexOf(text)}')`,
  clickhouse: (text) => `unhex('${hexOf(text)}')`,
  redshift: (text) => `from_varbyte(from_hex('${hexOf(text)}'), 'utf8')`,
  databricks: (text) => `decode(unhex('${hexOf(text)}'), 'UTF-8')`,
};

/**
 * Returns an SQL expression of a value, for a tool that takes SQL as text, such as the row filter of a guest token. Use
 * `bindVariables` wherever values can be bound. The expression of a text has letters, digits and `_ ' ( ) , -` alone: no
 * template engine, driver or setting of the session reads anything else in it, and no text ends it.
 * @param value a text, a finite number, a whole number of 64 bits, or a boolean
 * @throws TypeError for another value, such as null or a list, or if the dialect is unknown
 * @throws RangeError for a text that databases change or refuse, or a number that is not exact: a filter never disappears
 */
export function sqlLiteral(value: string | number | bigint | boolean, dialect: SqlDialect): string {
  if (!Object.hasOwn(SQL_DIALECTS, dialect)) throw new TypeError(`no dialect is named ${dialect}`);
  const rules = SQL_DIALECTS[dialect];
  const scalar = scalarOf(value);
  const exact = boundValueOf(value, scalar, rules, (code, reason) =>
    code === 'variable_type'
      ? new TypeError(`The value ${reason}.`)
      : new RangeError(`The value ${reason}.`),
  );
  if (typeof exact === 'string') return TEXTS[dialect](exact);
  if (typeof exact === 'boolean') {
    return dialect === 'sqlserver' ? String(Number(exact)) : String(exact).toUpperCase();
  }
  // A minus could begin a comment after another one.
  return exact < 0 ? `(${exact})` : String(exact);
}

function scalarOf(value: unknown): Scalar {
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'number';
}

function hexOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex');
}
