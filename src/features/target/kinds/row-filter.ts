import { toPointer } from '../../../platform/common/json-pointer.ts';
import type { JsonValue } from '../../../platform/common/json/strict-json.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { isDate } from '../../../platform/common/time.ts';
import {
  choiceOf,
  listOf,
  objectOf,
  textThat,
  wholeNumber,
} from '../../../platform/common/fields.ts';
import { templateViolations } from '../definition/claims.ts';
import { isReference } from '../definition/references.ts';
import {
  filterOperators,
  type LiteralType,
  literalTypes,
  type RowFilter,
} from '../definition/target-definition.ts';

const MAX_FILTERS = 50;
const MAX_VALUES = 100;
const MAX_WORDS = 200;
const MAX_DATASET = 2_147_483_647;
const COLUMN = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
/** Are expressions of SQL, with a value of their own. */
const NO_COLUMN =
  /^(true|false|null|not|unknown|default|user|session_user|system_user|localtime|localtimestamp|current_\w+)$/i;
const WORD = /^[A-Za-z0-9_.-]{1,64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Write the only texts that become SQL: digits, letters, `_`, `.` and `-`, in quotes where they are texts. */
const literals: Record<LiteralType, (value: JsonValue, filter: RowFilter) => string | undefined> = {
  integer: (value) => (Number.isSafeInteger(value) ? `${Number(value)}` : undefined),
  boolean: (value) => (typeof value === 'boolean' ? `${value}`.toUpperCase() : undefined),
  date: (value) => (typeof value === 'string' && isDate(value) ? `'${value}'` : undefined),
  uuid: (value) => (typeof value === 'string' && UUID.test(value) ? `'${value}'` : undefined),
  word: (value, { allowed = [] }) =>
    typeof value === 'string' && WORD.test(value) && allowed.includes(value)
      ? `'${value}'`
      : undefined,
};

const shape = listOf(
  objectOf(
    {
      dataset: wholeNumber(1, MAX_DATASET),
      column: textThat(
        (text) => COLUMN.test(text) && !NO_COLUMN.test(text),
        'The column must be a name of letters, digits and "_", and no word that SQL reads as a value.',
      ),
      op: choiceOf(filterOperators),
      type: choiceOf(literalTypes),
      allowed: listOf(
        textThat(
          (text) => WORD.test(text),
          'A word must be 1–64 letters, digits, "_", "." and "-".',
        ),
        { least: 1, most: MAX_WORDS },
      ),
      value: (value, pointer) => templateViolations(value as JsonValue, pointer),
    },
    ['allowed'],
  ),
  { most: MAX_FILTERS, canRepeat: true },
);

/** Accepts filters whose clauses can be written, with literals of their types. */
export function rowFiltersViolations(value: unknown, pointer: string): Violation[] {
  const violations = shape(value, pointer);
  if (violations.length > 0) return violations;
  return (value as RowFilter[]).flatMap((filter, index): Violation[] => {
    const place = `${pointer}/${index}`;
    if ((filter.type === 'word') !== (filter.allowed !== undefined)) {
      const detail = 'The type word has a list of allowed words, and no other type has one.';
      return [{ pointer: `${place}/allowed`, code: 'not_acceptable', detail }];
    }
    if (!['=', 'in'].includes(filter.op) && !['integer', 'date'].includes(filter.type)) {
      const detail = 'Integers and dates alone have an order.';
      return [{ pointer: `${place}/op`, code: 'not_acceptable', detail }];
    }
    return isReference(filter.value)
      ? []
      : literalViolations(filter, filter.value, `${place}/value`);
  });
}

/** Lists the reasons why a value cannot become a part of the clause. @param pointer its place */
export function literalViolations(
  filter: RowFilter,
  value: JsonValue,
  pointer: string,
): Violation[] {
  const { op, type } = filter;
  if (op === 'in' && !Array.isArray(value)) {
    return [{ pointer, code: 'type', detail: 'The operator in needs a list.' }];
  }
  const values = op === 'in' ? (value as JsonValue[]) : [value];
  if (values.length === 0) {
    const detail = 'The list must not be empty: it could be read as no filter.';
    return [{ pointer, code: 'empty', detail }];
  }
  if (values.length > MAX_VALUES) {
    const detail = `The list must have at most ${MAX_VALUES} entries.`;
    return [{ pointer, code: 'too_many', detail }];
  }
  return values.flatMap((one, index): Violation[] => {
    if (literals[type](one, filter) !== undefined) return [];
    const place = op === 'in' ? pointer + toPointer([index]) : pointer;
    const detail =
      type === 'word'
        ? 'The value must be one of the allowed words.'
        : `The value must be of the type ${type}.`;
    return [{ pointer: place, code: 'not_acceptable', detail }];
  });
}

/**
 * Writes the clause of a filter, in SQL that has one meaning to Jinja, to `sqlalchemy.text`, which both read it before the
 * engine does, and to the engine.
 * @param value without violations
 */
export function clauseOf(filter: RowFilter, value: JsonValue): string {
  const { column, op, type } = filter;
  const written = (Array.isArray(value) ? value : [value]).map((one) => {
    const literal = literals[type](one, filter);
    if (literal === undefined) throw new TypeError('the value of a row filter was not checked');
    return literal;
  });
  return op === 'in' ? `${column} IN (${written.join(', ')})` : `${column} ${op} ${written[0]!}`;
}
