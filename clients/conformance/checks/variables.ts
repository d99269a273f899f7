import { readFileSync } from 'node:fs';
import { valueAt, type Variable, withValue } from '../config.ts';
import { each } from '../each.ts';
import { type Check, Failed, isAway, isSuccess, type Kit, NotJudged, Skipped } from '../kit.ts';
import type { Rendering } from '../renderer.ts';
import { type Group, ServiceError } from '../service.ts';

const AT_ONCE = 6;
const SERVER_ERROR = 500;

/** Texts that are harmless as values, and change a statement in which they are text. */
const HOSTILE_TEXTS = [
  "'",
  '"',
  '`',
  '\\',
  "\\'",
  "''",
  "' OR '1'='1",
  "' OR 1=1 -- ",
  "' OR 1=1 #",
  "' OR 1=1 /*",
  '" OR "1"="1',
  '` OR 1=1 -- ',
  "\\' OR 1=1 -- ",
  "') OR ('1'='1",
  "')) OR (('1'='1",
  "x' OR region LIKE '%",
  "' || '",
  '$$ OR 1=1 --',
  '1 OR 1=1',
  '1) OR (1=1',
  '%',
  '_%',
  '*',
  '.*',
  ':region',
  '$1',
  '?',
  '{{region}}',
  '{token}',
  'ʼ OR 1=1 --',
  '＇ OR 1=1 --',
  "\u{1F4A1}'",
  "x'\n OR 1=1 --\n",
];

/** Texts that are no numbers of JSON, and that an engine reads as part of a statement. */
const NUMBER_TEXTS = [
  '1 OR 1=1',
  '1) OR (1=1',
  '5 -- ',
  '5 /*',
  '(SELECT 5)',
  '0x05',
  '5e0',
  '5',
  ' 5 ',
  '',
  'NaN',
];

const ERRORS = [
  /SQLITE_(?:ERROR|MISMATCH|CONSTRAINT)/,
  /SQLSTATE/,
  /syntax error at or near/i,
  /near ".{0,40}": syntax error/,
  /unrecognized token/,
  /You have an error in your SQL syntax/i,
  /\bORA-\d{5}\b/,
  /Incorrect syntax near/i,
  /Unclosed quotation mark/i,
  /unterminated quoted string/i,
  /(?:sqlite3|psycopg\d?|pymysql|duckdb)\.\w*(?:Error|Exception)/i,
];
const STATEMENT = /\bSELECT\b[^]{1,400}\bFROM\b[^]{1,400}\bWHERE\b/i;

/** Values of a variable neither change a statement nor remove a filter. */
export const variableChecks: Check[] = [
  {
    id: 'variable-missing',
    title: 'a group that lacks a variable, or has null, is refused',
    means:
      'The filter disappears, or compares with nothing: the query shows all rows or none, and nobody sees an error.',
    run: async (kit) => {
      await eachValue(
        kit,
        required(kit),
        () => [undefined, null],
        (rendering, what) => {
          kit.mustRefuse(rendering, what);
        },
      );
    },
  },
  {
    id: 'variable-type',
    title: 'a variable of another type is refused',
    means:
      'A value that is not checked gets into the query: as text that is read as SQL, or as something that matches other rows.',
    run: async (kit) => {
      await eachValue(kit, kit.variables, wrongValues, (rendering, what) => {
        kit.mustRefuse(rendering, what);
      });
    },
  },
  {
    id: 'variable-empty',
    title: 'an empty text and an empty list match nothing',
    means:
      'An empty value is taken for a missing one, and the filter is left out: the query shows all rows.',
    run: async (kit) => {
      const emptyOf = ({ type, isList }: Variable) =>
        isList ? [[]] : type === 'string' ? [''] : [];
      await eachValue(kit, kit.variables, emptyOf, (rendering, what) => {
        kit.mustNotLeak(rendering, 0, what);
        mustNotBreak(rendering, what);
      });
    },
  },
  {
    id: 'variable-hostile',
    title: 'a value with quotes, comments, wildcards or placeholders is only a value',
    means:
      'A value is part of the text of the statement, or a pattern. Anybody who may set a property can read the rows of others.',
    run: async (kit) => {
      await eachValue(kit, kit.variables, hostileValues, (rendering, what) => {
        kit.mustNotLeak(rendering, 0, what);
        mustNotBreak(rendering, what);
      });
    },
  },
  {
    id: 'variable-writes',
    title: 'no value changes the data',
    means:
      'A value ends the statement and begins another one. The data source is open for writing, too.',
    runs: 'last',
    run: async (kit) => {
      const tables = kit.config.tables;
      if (tables.length === 0) {
        throw new Skipped('needs "tables", the names of tables with the rows');
      }
      const writes = tables.flatMap((table) =>
        ["'", '"', '1', "')", "\\'"].flatMap((end) => [
          `${end}; DELETE FROM ${table}; -- `,
          `${end}; DROP TABLE ${table}; -- `,
        ]),
      );
      const valuesOf = ({ type, isList }: Variable) => {
        if (type === 'string' || !isList) return isList ? writes.map((text) => [text]) : writes;
        return [writes];
      };
      const [first, second] = [await kit.group(0), await kit.group(1)];
      await eachValue(kit, kit.variables, valuesOf, () => undefined);
      await kit.shows(first.token, 0, 'tenant 1, after values with DELETE and DROP');
      await kit.shows(second.token, 1, 'tenant 2, after values with DELETE and DROP');
    },
  },
  {
    id: 'error-text',
    title: 'no response has SQL or an error of the database in it',
    means:
      'Error texts tell a viewer the tables, the filters and the values of the query, and whether an attack comes closer.',
    run: async (kit) => {
      const valuesOf = ({ type, isList }: Variable) => {
        const quotes = ["'", '"', '1 OR', '(', ';'];
        return [
          undefined,
          null,
          {},
          ...(type === 'string' && isList ? quotes.map((text) => [text]) : quotes),
        ];
      };
      // A response that has the statement on purpose is searched for errors alone.
      const words = kit.config.sql?.field === undefined ? [...ERRORS, STATEMENT] : ERRORS;
      await eachValue(kit, kit.variables, valuesOf, ({ text }, what) => {
        const found = words.map((one) => one.exec(text)?.[0]).find((one) => one !== undefined);
        if (found !== undefined) {
          throw new Failed(
            `${what}: the response has ${JSON.stringify(found.slice(0, 100))} in it`,
          );
        }
      });
    },
  },
  {
    id: 'sql-text',
    title: 'the text of the statement is the same for each value',
    means:
      'Values are written into the statement. With placeholders the database has read the statement before it gets a value.',
    runs: 'alone',
    run: async (kit) => {
      if (!kit.config.sql) throw new Skipped('needs "sql", where the statement can be read');
      const texts = kit.variables.filter(({ type }) => type === 'string');
      if (texts.length === 0) throw new Skipped('no variable is a text');
      for (const variable of texts) {
        const mark = `conformance${Math.random().toString(36).slice(2)}`;
        const value = variable.isList ? [mark] : mark;
        const group = await groupWith(kit, variable, value);
        if (!group) continue;
        const statement = statementOf(kit, await kit.renderAtHand(group.token));
        if (statement.includes(mark)) {
          throw new Failed(`the value of ${variable.name} is in the text of the statement`);
        }
      }
    },
  },
];

function required(kit: Kit): Variable[] {
  return kit.variables.filter(({ isOptional }) => !isOptional);
}

/** @param valuesOf `undefined` among them leaves the variable out */
async function eachValue(
  kit: Kit,
  variables: Variable[],
  valuesOf: (variable: Variable) => unknown[],
  look: (rendering: Rendering, what: string) => void,
): Promise<void> {
  const cases = variables.flatMap((variable) =>
    valuesOf(variable).map((value) => ({ variable, value })),
  );
  if (cases.length === 0) throw new Skipped('no variable in "variables" can have such a value');
  let tried = 0;
  await each(cases, AT_ONCE, async ({ variable, value }) => {
    const group = await groupWith(kit, variable, value);
    if (!group) return;
    tried++;
    const what = `with ${variable.name} ${value === undefined ? 'left out' : `= ${JSON.stringify(value)}`}`;
    look(await kit.renderAtHand(group.token), what);
  });
  if (tried === 0) throw new Skipped('the workspace refuses groups with such values');
}

/** A group of the first tenant with this value; undefined if the rules of the workspace refuse it. */
export async function groupWith(
  kit: Kit,
  { name }: Variable,
  value: unknown,
): Promise<Group | undefined> {
  try {
    return await kit.group(0, { properties: withValue(kit.tenants[0].properties, name, value) });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 422) return undefined;
    throw error;
  }
}

function isDate(type: Variable['type']): boolean {
  return type === 'date' || type === 'timestamp';
}

function wrongValues({ type, isList }: Variable): unknown[] {
  const anyway: unknown[] = [{}, { $ne: null }, { toString: 'x' }];
  if (isList) return [...anyway, type === 'string' ? [1] : ['1) OR (1=1'], [null], [[]]];
  const lists = [[], [[]]];
  if (isDate(type)) return [...anyway, ...lists, 1, '', ...HOSTILE_TEXTS];
  if (type === 'string') return [...anyway, ...lists, ['EMEA'], 1, true];
  if (type === 'boolean') return [...anyway, ...lists, 1, 'true', '1 OR 1=1'];
  return [...anyway, ...lists, true, ...NUMBER_TEXTS, ...(type === 'integer' ? [1.5] : [])];
}

function hostileValues({ type, isList }: Variable): unknown[] {
  // A text that is no date is one of another type.
  if (type === 'boolean' || isDate(type)) return [];
  if (type === 'string') {
    return isList ? [...HOSTILE_TEXTS.map((text) => [text]), HOSTILE_TEXTS] : HOSTILE_TEXTS;
  }
  const numbers = [
    -1,
    0,
    1,
    2_147_483_648,
    -9_007_199_254_740_991,
    ...(type === 'number' ? [0.1, 1e308] : []),
  ];
  return isList ? numbers.map((number) => [number]) : numbers;
}

function mustNotBreak(rendering: Rendering, what: string): void {
  const { status, failure } = rendering;
  if (status === undefined) throw new Failed(`${what}: there was no whole response: ${failure}`);
  if (isAway(rendering)) {
    throw new NotJudged(`${what}: the renderer was away each time it was asked (${status})`);
  }
  if (status >= SERVER_ERROR && !isSuccess(status)) {
    throw new Failed(`${what}: the response is ${status}, as if the statement were broken`);
  }
}

function statementOf({ config: { sql } }: Kit, { headers, text }: Rendering): string {
  if (sql?.header !== undefined) return headers.get(sql.header) ?? '';
  if (sql?.file !== undefined) return readFileSync(sql.file, 'utf8');
  try {
    return String(valueAt(JSON.parse(text) as Record<string, unknown>, sql?.field ?? ''));
  } catch {
    return '';
  }
}
