import type { DataSource, EntityManager } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { translateDatabaseError } from './database-errors';
import { type Dialect, dialectOf } from './dialect';

export type SqlValue = string | number | boolean | Buffer | null;

/** A named SQL text with `:name` parameters, the same for both databases. */
export interface Statement<Parameters extends Record<keyof Parameters, SqlValue>, Row> {
  /** Unique in the process: PostgreSQL keeps one prepared plan for each name and connection. */
  readonly name: string;
  readonly sql: (dialect: Dialect) => string;
  /** Types only; never set. */
  readonly types?: { parameters: Parameters; row: Row };
}

/** PostgreSQL cuts what is longer. */
const LONGEST_NAME = 63;

export function statement<Parameters extends Record<keyof Parameters, SqlValue>, Row = never>(
  name: string,
  sql: (dialect: Dialect) => string,
): Statement<Parameters, Row> {
  if (name.length > LONGEST_NAME) throw new Error(`the name of the statement ${name} is too long`);
  return { name, sql };
}

interface Compiled {
  text: string;
  /** The parameter names in the order of their placeholders. */
  order: string[];
}

/** `:name`, but not the second colon of a `::cast`. */
const PARAMETER = /(?<!:):([a-z]\w*)/gi;

/**
 * Runs statements on one data source; each SQL text is compiled once, on its first use.
 * @param isPooled whether a pooler may have prepared a statement on another connection than the one
 *   that would run it: then PostgreSQL plans each statement anew
 */
export class Statements {
  private readonly dialect: Dialect;
  private readonly compiled = new Map<string, Compiled>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly isPooled: boolean,
  ) {
    this.dialect = dialectOf(dataSource.options);
  }

  /**
   * One statement on its own, outside any transaction; it sees what is committed.
   * @throws DatabaseUnavailable
   */
  async read<P extends Record<keyof P, SqlValue>, Row>(
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]> {
    const { name, text, values } = this.bind(statement, parameters);
    const pool = poolOf(this.dataSource);
    try {
      if (!pool) return await this.dataSource.query<Row[]>(text, values);
      return (await pool.query<Row & object>({ name, text, values })).rows;
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  /** One statement inside the transaction of `manager`; the rows are those it selects or returns. */
  async run<P extends Record<keyof P, SqlValue>, Row>(
    manager: EntityManager,
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]> {
    const { name, text, values } = this.bind(statement, parameters);
    if (!poolOf(this.dataSource)) return manager.query<Row[]>(text, values);
    const client = (await manager.queryRunner!.connect()) as PoolClient;
    return (await client.query<Row & object>({ name, text, values })).rows;
  }

  private bind<P extends Record<keyof P, SqlValue>>(
    statement: Statement<P, unknown>,
    parameters: P,
  ): { name: string | undefined; text: string; values: SqlValue[] } {
    let compiled = this.compiled.get(statement.name);
    if (!compiled) {
      compiled = compile(statement.sql(this.dialect), this.dialect);
      this.compiled.set(statement.name, compiled);
    }
    return {
      name: this.isPooled ? undefined : statement.name,
      text: compiled.text,
      values: compiled.order.map((name) => parameters[name as keyof P]),
    };
  }
}

function compile(sql: string, dialect: Dialect): Compiled {
  const order: string[] = [];
  const text = sql.replace(PARAMETER, (_match, name: string) =>
    dialect.placeholder(order.push(name)),
  );
  return { text, order };
}

/** TypeORM cannot name statements, which halves the work of PostgreSQL; the driver's own pool can. */
export function poolOf(dataSource: DataSource): Pool | undefined {
  return (dataSource.driver as unknown as { master?: Pool }).master;
}
