import { type Dialect, oneRecordDialect, type RecordType } from './dialect.ts';

export type SqlValue = string | number | boolean | Buffer | null;

/** Keys, or records with a member for each column. */
type SqlList = readonly (string | number)[] | readonly object[];

export type SqlParameter = SqlValue | SqlList;

/** A part of a statement, whose rows the later steps read by its name, as from a table. */
export interface Step {
  name: string;
  /** The columns of its rows, if a later step reads any. */
  columns?: Record<string, RecordType>;
  /** Without SQL its rows are the records of the list parameter of its name. */
  sql?: string;
  /** Whether it combines the rows of other steps, and reads no table: SQLite need not run it by itself. */
  isView?: boolean;
  /** Whether SQLite computes its rows where a step reads them, and only the columns that the step names: outermost in a join. */
  isInline?: boolean;
  /** The table that an error of the step names, as errors of PostgreSQL name theirs. */
  table?: string;
}

/** Whether a list parameter has any elements: if it has none, the steps for them can be left out. */
export type Has = (list: string) => boolean;

/**
 * An SQL text with `:name` parameters, the same for both databases. A list is for the functions of `Dialect` that
 * read JSON arrays, or for a step. Steps are one statement on PostgreSQL; on SQLite each runs after the one before it. A
 * step learns what an earlier one has changed through its rows alone: on PostgreSQL the tables show nothing of it yet.
 */
export interface Statement<Parameters extends Record<keyof Parameters, SqlParameter>, Row> {
  /** The databases keep a prepared plan for each name and connection; undefined for a text of many forms. */
  readonly name: string | undefined;
  readonly sql: (dialect: Dialect, has: Has) => string | readonly Step[];
  /** Types only; never set. */
  readonly types?: { parameters: Parameters; row: Row };
}

/** PostgreSQL cuts a name off after 63 characters; a dot and a sign for each list follow this one. */
const MAX_NAME_LENGTH = 52;

const made = new Map<string, Pick<Statement<never, unknown>, 'sql'>>();

/** Every statement that has been made, by its name. */
export const statementsByName: ReadonlyMap<string, Pick<Statement<never, unknown>, 'sql'>> = made;

/**
 * Makes a statement whose text is fixed. Databases keep it prepared, so it is made once, when its file is loaded.
 * @throws Error for a name that another statement of the process has
 */
export function statement<Parameters extends Record<keyof Parameters, SqlParameter>, Row = never>(
  name: string,
  sql: Statement<Parameters, Row>['sql'],
): Statement<Parameters, Row> & { name: string } {
  if (name.length > MAX_NAME_LENGTH) {
    throw new Error(`the name of the statement ${name} is too long`);
  }
  if (made.has(name)) throw new Error(`there are two statements of the name ${name}`);
  made.set(name, { sql });
  return { name, sql };
}

/**
 * Makes a statement that nothing keeps prepared, such as one whose text depends on what a request asks for: callers can
 * ask for thousands of texts, and PostgreSQL would keep each of them on each connection.
 */
export function unnamedStatement<Parameters extends Record<keyof Parameters, SqlParameter>, Row>(
  sql: Statement<Parameters, Row>['sql'],
): Statement<Parameters, Row> & { name: undefined } {
  return { name: undefined, sql };
}

interface Compiled {
  text: string;
  /** The parameters in the order of their placeholders; those of a single record name its member. */
  order: { name: string; member: string | undefined }[];
  /** The step that the text runs. */
  step?: Step;
}

/** A statement with its values: one text, or on SQLite one for each step. */
export interface BoundStatement {
  /** The name under which the connection keeps it prepared, if it does. */
  name: string | undefined;
  texts: readonly Compiled[];
  /** Values of the first text. */
  values: SqlValue[];
  /** Parameters, and on SQLite the rows of earlier steps, by name; lists of several elements as JSON. */
  given: Record<string, unknown>;
}

/** Forms of one statement with longer lists that are kept prepared: waves of different writes have a hundred. */
const MAX_FORMS = 32;

/** Matches `:name` or `:name.member`, but not the second colon of a `::cast`. */
const PARAMETER = /(?<!:):([a-z]\w*)(?:\.(\w+))?/gi;

/** The SQL texts of statements in one dialect, each compiled on its first use. */
export class CompiledStatements {
  /** Texts of named statements, keyed by the name and the forms of the lists. */
  private readonly texts = new Map<string, readonly Compiled[]>();
  /** Numbers of forms in `texts` by the name of the statement. */
  private readonly forms = new Map<string, number>();

  constructor(
    private readonly dialect: Dialect,
    private readonly isPooled: boolean,
  ) {}

  /**
   * Lists become JSON, in one text for any length. If none has more than one element, their elements are ordinary
   * values, in a text of its own; so has each set of empty lists.
   * @throws TypeError for a value that no driver can send: it would be found when others have been sent
   */
  bind<P extends Record<keyof P, SqlParameter>>(
    statement: Statement<P, unknown>,
    parameters: P,
  ): BoundStatement {
    const given: Record<string, unknown> = { ...parameters };
    const lists = listsOf(parameters);
    const one = lists.some(([, { length }]) => length > 1) ? 'n' : '1';
    const forms = new Map(lists.map(([name, { length }]) => [name, length === 0 ? '0' : one]));
    for (const [name, list] of lists) {
      given[name] = forms.get(name) === '1' ? list[0] : JSON.stringify(list);
    }
    const { name } = statement;
    const key =
      name !== undefined && forms.size > 0 ? `${name}.${[...forms.values()].join('')}` : name;
    let texts = key === undefined ? undefined : this.texts.get(key);
    let isKept = texts !== undefined;
    if (!texts) {
      texts = this.toTexts(statement, forms);
      isKept = name !== undefined && (one === '1' || this.takeForm(name));
      if (isKept) this.texts.set(key!, texts);
    }
    return {
      name: this.isPooled || !isKept ? undefined : key,
      texts,
      values: valuesOf(texts[0]!, given),
      given,
    };
  }

  /** Returns false if a statement has many forms already. */
  private takeForm(name: string): boolean {
    const count = this.forms.get(name) ?? 0;
    this.forms.set(name, count + 1);
    return count < MAX_FORMS;
  }

  private toTexts<P extends Record<keyof P, SqlParameter>>(
    statement: Statement<P, unknown>,
    forms: ReadonlyMap<string, string>,
  ): Compiled[] {
    const dialect = oneRecordDialect(
      this.dialect,
      (parameter) => forms.get(parameter.slice(1)) === '1',
    );
    const sql = statement.sql(dialect, (list) => forms.get(list) !== '0');
    if (typeof sql === 'string') return [toCompiled(sql, dialect)];
    if (dialect.kind === 'postgres') return [toCompiled(inOne(sql, dialect), dialect)];
    return sql.flatMap((step, index) => {
      if (step.sql === undefined || step.isView) return [];
      const text = withRows(step.sql, sql.slice(0, index), dialect);
      return { ...toCompiled(text, dialect), step };
    });
  }
}

function listsOf(parameters: object): [name: string, list: SqlList][] {
  return Object.entries(parameters).filter((entry): entry is [string, SqlList] =>
    Array.isArray(entry[1]),
  );
}

/** @throws TypeError for a value that no driver can send */
export function valuesOf({ order }: Compiled, given: BoundStatement['given']): SqlValue[] {
  return order.map(({ name, member }) => {
    // A missing member of a record is null, as in JSON.
    const value =
      member === undefined
        ? given[name]
        : ((given[name] as Record<string, unknown>)[member] ?? null);
    if (!isSqlValue(value)) throw new TypeError(`${member ?? 'a parameter'} is no value`);
    return value;
  });
}

/** Makes one statement of steps, the last of which returns its rows. */
function inOne(steps: readonly Step[], dialect: Dialect): string {
  const others = steps
    .slice(0, -1)
    .map((step) => `${step.name} AS MATERIALIZED (${step.sql ?? rowsOf(step, dialect)})`);
  return `WITH ${others.join(',\n')} ${steps.at(-1)!.sql}`;
}

/** Lets a step read the rows of those of the earlier ones that it names, itself or through a view. */
function withRows(sql: string, earlier: readonly Step[], dialect: Dialect): string {
  let text = sql;
  const read: string[] = [];
  for (const step of earlier.toReversed()) {
    const { name, columns, isView, isInline } = step;
    if ((!columns && !isView) || !text.split(/\W+/).includes(name)) continue;
    const rows = isView ? step.sql! : rowsOf(step, dialect);
    // Materialised rows get an index for each join; otherwise SQLite reads the JSON again for each row.
    read.unshift(`${name} AS ${isInline ? 'NOT' : ''} MATERIALIZED (${rows})`);
    text += rows;
  }
  return read.length === 0 ? sql : `WITH ${read.join(', ')} ${sql}`;
}

/** Selects the records of a list, or on SQLite the rows of a step that has run. */
function rowsOf({ name, columns }: Step, dialect: Dialect): string {
  return `SELECT * FROM ${dialect.recordsOf(`:${name}`, columns!)}`;
}

function toCompiled(sql: string, dialect: Dialect): Compiled {
  const order: Compiled['order'] = [];
  const text = sql.replace(PARAMETER, (_match, name: string, member: string | undefined) =>
    dialect.placeholder(order.push({ name, member })),
  );
  return { text, order };
}

function isSqlValue(value: unknown): value is SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  return Number.isFinite(value) || value instanceof Buffer;
}
