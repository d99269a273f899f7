import type { BindErrorCode } from './bind-error.js';
import type { SqlRules } from './sql-dialects.js';

/** The type of one value. */
export type Scalar = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'timestamp';

/** A value for a driver. */
export type BoundValue = string | number | bigint | boolean;

/** The rules of an engine for values. */
export type ValueRules = Pick<SqlRules, 'hasNoBooleans' | 'hasNoZones'>;

/** Makes the error of a variable. */
export type Refuse = (code: BindErrorCode, reason: string) => Error;

const MAX_INT64 = 2n ** 63n;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
/** The length of `2030-12-31` and of `2030-12-31T23:59:59`. */
const DATE_LENGTH = 10;
const SECONDS_LENGTH = 19;

/** Returns the value itself, if a driver can hand it on without a change. */
export function boundValueOf(
  value: unknown,
  scalar: Scalar,
  rules: ValueRules,
  refuse: Refuse,
): BoundValue {
  switch (typeof value) {
    case 'string': {
      const text = textOf(value, scalar, rules, refuse);
      if (text !== undefined) return text;
      break;
    }
    case 'boolean':
      if (scalar === 'boolean') return rules.hasNoBooleans ? Number(value) : value;
      break;
    case 'bigint':
      if (scalar !== 'integer' && scalar !== 'number') break;
      if (value < -MAX_INT64 || value >= MAX_INT64) {
        throw refuse('variable_digits', 'has more digits than 64 bits hold');
      }
      return value;
    case 'number': {
      if (scalar !== 'integer' && scalar !== 'number') break;
      const isWhole = Number.isInteger(value);
      if (!Number.isFinite(value) || (isWhole && !Number.isSafeInteger(value))) {
        throw refuse('variable_digits', 'has more digits than a number holds exactly');
      }
      if (isWhole || scalar === 'number') return value;
    }
  }
  throw refuse('variable_type', `has to be of type ${scalar}, and is of type ${typeof value}`);
}

/** The text as the type; undefined if it is of another type. */
function textOf(
  text: string,
  scalar: Scalar,
  { hasNoZones }: ValueRules,
  refuse: Refuse,
): string | undefined {
  if (scalar === 'date') return isDate(text) ? text : undefined;
  if (scalar === 'timestamp') return inUtc(text, hasNoZones);
  if (scalar !== 'string') return undefined;
  if (text.includes('\0') || !text.isWellFormed()) {
    throw refuse(
      'variable_text',
      'has a NUL character or half of a surrogate pair, which databases change or refuse',
    );
  }
  return text;
}

/** Whether it is a date of RFC 3339, which has the years 1 to 9999. `Date` alone would take 31 February for 3 March. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return (
    DATE.test(text) &&
    text >= '0001' &&
    !Number.isNaN(time) &&
    new Date(time).toISOString().startsWith(text)
  );
}

/** The same moment in UTC, with all the digits of its second; undefined if the text is no time of RFC 3339. */
function inUtc(text: string, hasNoZones = false): string | undefined {
  const [, date = '', time = '', fraction = '', offset = ''] = TIMESTAMP.exec(text) ?? [];
  if (!isDate(date)) return undefined;
  const utc = new Date((date + time + offset).toUpperCase()).toISOString();
  if (!isDate(utc.slice(0, DATE_LENGTH))) return undefined;
  const seconds = utc.slice(0, SECONDS_LENGTH);
  return hasNoZones ? seconds.replace('T', ' ') + fraction : `${seconds}${fraction}Z`;
}
