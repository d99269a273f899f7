import { type Dialect, loneDialectOf } from './dialect.ts';

export type SqlValue = string | number | boolean | Buffer | null;

/** Keys, or records with a member for each column. */
type SqlList = readonly (string | number)[] | readonly object[];

/** What a parameter can be. */
export type SqlParameter = SqlValue | SqlList;

/**
 * A named SQL text with `:name` parameters, the same for both databases; several run one after the other.
 * A list is for the functions of `Dialect` that read JSON arrays.
 */
export interface Statement<Parameters extends Record<keyof Parameters, SqlParameter>, Row> {
  /** Unique in the process: PostgreSQL keeps one prepared plan for each name and connection. */
  readonly name: string;
  readonly sql: (dialect: Dialect) => string | readonly string[];
  /** Types only; never set. */
  readonly types?: { parameters: Parameters; row: Row };
}

/** PostgreSQL cuts a name off after 63 characters; `LONE` and the number of a text may follow this one. */
const LONGEST_NAME = 57;

export function statement<Parameters extends Record<keyof Parameters, SqlParameter>, Row = never>(
  name: string,
  sql: Statement<Parameters, Row>['sql'],
): Statement<Parameters, Row> {
  if (name.length > LONGEST_NAME) throw new Error(`the name of the statement ${name} is too long`);
  return { name, sql };
}

/** A statement with its values in the order of their placeholders. */
export interface BoundStatement {
  name: string | undefined;
  text: string;
  values: SqlValue[];
}

interface Compiled {
  text: string;
  /** The parameters in the order of their placeholders, each with the member of its one record, if it is a list. */
  order: { name: string; member: string | undefined }[];
}

/** `:name` or `:name.member`, but not the second colon of a `::cast`. */
const PARAMETER = /(?<!:):([a-z]\w*)(?:\.(\w+))?/gi;

/** Follows the name of a statement whose every list has one element: its text is another. */
const LONE = '.lone';

/** The SQL texts of statements in one dialect, each compiled on its first use. */
export class CompiledStatements {
  private readonly loneDialect: Dialect;
  /** By the name of the statement, with what may follow it. */
  private readonly texts = new Map<string, Compiled[]>();

  constructor(
    private readonly dialect: Dialect,
    private readonly isPooled: boolean,
  ) {
    this.loneDialect = loneDialectOf(dialect);
  }

  /**
   * Lists of one element each take a text of their own; any others become JSON, in one text for any lengths.
   * @returns a statement for each of its texts
   * @throws TypeError for what no driver can send: it would be found when others have been sent
   */
  bind<P extends Record<keyof P, SqlParameter>>(
    statement: Statement<P, unknown>,
    parameters: P,
  ): BoundStatement[] {
    const lists = listsOf(parameters);
    const isLone = lists.length > 0 && lists.every(([, { length }]) => length === 1);
    const key = isLone ? `${statement.name}${LONE}` : statement.name;
    let texts = this.texts.get(key);
    if (!texts) {
      const dialect = isLone ? this.loneDialect : this.dialect;
      texts = [statement.sql(dialect)].flat().map((sql) => compile(sql, dialect));
      this.texts.set(key, texts);
    }
    const given: Record<string, unknown> = { ...parameters };
    for (const [name, list] of lists) given[name] = isLone ? list[0] : JSON.stringify(list);
    return texts.map(({ text, order }, index) => ({
      name: this.isPooled ? undefined : `${key}${index || ''}`,
      text,
      values: order.map(({ name, member }) => valueOf(given[name], member)),
    }));
  }
}

function listsOf(parameters: object): [name: string, list: SqlList][] {
  return Object.entries(parameters).filter((entry): entry is [string, SqlList] =>
    Array.isArray(entry[1]),
  );
}

function compile(sql: string, dialect: Dialect): Compiled {
  const order: Compiled['order'] = [];
  const text = sql.replace(PARAMETER, (_match, name: string, member: string | undefined) =>
    dialect.placeholder(order.push({ name, member })),
  );
  return { text, order };
}

/** A member that a record does not have is null, as in JSON. */
function valueOf(given: unknown, member: string | undefined): SqlValue {
  const value = member === undefined ? given : ((given as Record<string, unknown>)[member] ?? null);
  if (!isSqlValue(value)) throw new TypeError(`${member ?? 'a parameter'} is no value`);
  return value;
}

function isSqlValue(value: unknown): value is SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  return Number.isFinite(value) || value instanceof Buffer;
}
