import { membersOf } from '../../../json-text.ts';
import type { Schemas } from '../../../own-types.ts';

export type ValueType = 'string' | 'number' | 'boolean' | 'json';

/** A member of an object as a row of an editor; `text` is what its control has. */
export interface Row {
  key: number | string;
  name: string;
  type: ValueType;
  text: string;
  /** The type that the workspace asks for; undefined if it asks for nothing. */
  required?: string;
  /** Whether it is only offered: nobody has given it a value. */
  isOffered?: boolean;
  /** Set once its name was typed: a row must not be locked while a name is written that only begins with a required one. */
  isNamed?: boolean;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

let lastKey = 0;

export function newRow(fields: Partial<Row> = {}): Row {
  lastKey += 1;
  return { key: lastKey, name: '', type: 'string', text: '', ...fields };
}

/** The rows of a JSON object. A number stays as it is written. */
export function rowsOf(json: string): Row[] {
  return [...membersOf(json)].map(([name, value]) => {
    if (value.startsWith('"')) return newRow({ name, text: JSON.parse(value) as string });
    const type = NUMBER.test(value)
      ? 'number'
      : value === 'true' || value === 'false'
        ? 'boolean'
        : 'json';
    return newRow({ name, type, text: value });
  });
}

function isBlank({ name, text, isOffered }: Row): boolean {
  return isOffered === true || (name === '' && text === '');
}

/** The JSON object of the rows, in their order. */
export function jsonOf(rows: Row[]): string {
  const members = rows
    .filter((row) => !isBlank(row))
    .map(
      ({ name, type, text }) =>
        `${JSON.stringify(name)}:${type === 'string' ? JSON.stringify(text) : text.trim()}`,
    );
  return `{${members.join(',')}}`;
}

/** Returns an error of the name of a row that is known before anything is sent. */
export function nameComplaintOf(row: Row, rows: Row[]): string | undefined {
  if (isBlank(row)) return undefined;
  if (row.name === '') return 'Give it a name.';
  return rows.some((one) => one !== row && !isBlank(one) && one.name === row.name)
    ? 'Another row has this name.'
    : undefined;
}

/** Returns an error of a row that is known before anything is sent. */
export function complaintOf(row: Row, rows: Row[]): string | undefined {
  if (isBlank(row)) return undefined;
  const ofName = nameComplaintOf(row, rows);
  if (ofName) return ofName;
  if (row.type === 'number' && !NUMBER.test(row.text.trim())) {
    return 'Write a number, such as 25 or -0.5.';
  }
  if (row.type !== 'json') return undefined;
  try {
    JSON.parse(row.text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The value of a row for a control of another type. */
export function withType(row: Row, type: ValueType): Row {
  const { text } = row;
  if (type === 'boolean') {
    return { ...row, type, text: text === 'true' ? 'true' : 'false', isOffered: false };
  }
  return {
    ...row,
    type,
    text: type === 'json' && row.type === 'string' ? JSON.stringify(text) : text,
  };
}

function controlOf(type: string): ValueType {
  if (type === 'integer') return 'number';
  if (type === 'date' || type === 'timestamp') return 'string';
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'json';
}

/**
 * Marks the rows that the workspace requires, except for those whose name was typed; adds those that it declares and that
 * are not there. Variables in nested properties have no row.
 */
export function withDeclared(
  rows: Row[],
  declared: Pick<Schemas['DeclaredVariable'], 'name' | 'type' | 'required'>[],
): Row[] {
  const types = new Map(
    declared.filter(({ required }) => required).map(({ name, type }) => [name, type]),
  );
  const marked = rows.map((row) =>
    !row.isNamed && types.has(row.name) ? { ...row, required: types.get(row.name)! } : row,
  );
  const names = new Set(rows.map(({ name }) => name));
  const offered = declared
    .filter(({ name }) => !names.has(name) && !name.includes('.'))
    .map(({ name, type, required }) =>
      newRow({
        key: `offered ${name}`,
        name,
        type: controlOf(type),
        isOffered: true,
        ...(required && { required: type }),
      }),
    );
  return [...marked, ...offered];
}
