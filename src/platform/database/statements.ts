import type { DataSource, EntityManager } from 'typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import type { Pool, PoolClient } from 'pg';
import { DatabaseUnavailable } from '../common/problem/errors.ts';
import { isUniqueViolation, translateDatabaseError } from './database-errors.ts';
import { dialectOf } from './dialect.ts';
import {
  type BoundStatement,
  CompiledStatements,
  type SqlParameter,
  type SqlValue,
  type Statement,
  valuesOf,
} from './statement.ts';

/**
 * Runs statements on one data source; the text of a named one is compiled once, on its first use.
 * @param isPooled whether a pooler may have prepared a statement on another connection than the one that would run it:
 *   then PostgreSQL plans each statement again
 */
export class Statements {
  private readonly compiled: CompiledStatements;

  constructor(
    private readonly dataSource: DataSource,
    isPooled: boolean,
  ) {
    this.compiled = new CompiledStatements(dialectOf(dataSource.options), isPooled);
  }

  /**
   * Runs one statement on its own, which then sees committed data, or inside the transaction of `manager`.
   * @throws DatabaseUnavailable
   */
  async read<P extends Record<keyof P, SqlParameter>, Row>(
    statement: Statement<P, Row>,
    parameters: P,
    manager?: EntityManager,
  ): Promise<Row[]> {
    if (manager) return this.run(manager, statement, parameters);
    const bound = this.compiled.bind(statement, parameters);
    const pool = poolOf(this.dataSource);
    try {
      if (!pool) return runInOrder<Row>(this.dataSource, bound);
      return await runOnPool<Row>(pool, bound);
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  /**
   * Runs one statement inside the transaction of `manager`; returns the rows it selects or returns.
   */
  async run<P extends Record<keyof P, SqlParameter>, Row>(
    manager: EntityManager,
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]> {
    const bound = this.compiled.bind(statement, parameters);
    if (poolOf(this.dataSource)) {
      const client = (await manager.queryRunner!.connect()) as PoolClient;
      return (await client.query<Row & object>(queryOf(bound))).rows;
    }
    // SQLite itself ends the transaction of a statement that finds the disk full or failing; later statements must not
    // be stored without it.
    if (!sqliteOf(manager.dataSource).inTransaction) {
      throw new DatabaseUnavailable(new Error('SQLite has ended the transaction'));
    }
    return runInOrder<Row>(manager.dataSource, bound);
  }

  /** Runs one statement in the transaction that the connection of `writer` has begun, without waiting. */
  runOnSqlite<P extends Record<keyof P, SqlParameter>, Row>(
    writer: DataSource,
    statement: Statement<P, Row>,
    parameters: P,
  ): Row[] {
    return runInOrder<Row>(writer, this.compiled.bind(statement, parameters));
  }

  /** Returns null on SQLite, which has no pool. */
  poolUsage(): PoolUsage | null {
    const pool = poolOf(this.dataSource);
    if (!pool) return null;
    const { totalCount, idleCount, waitingCount } = pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }
}

/** Connections to PostgreSQL that are busy or idle, and calls that wait for one. */
type PoolUsage = Record<'busy' | 'idle' | 'waiting', number>;

function queryOf({ name, texts: [compiled], values }: BoundStatement) {
  return { name, text: compiled!.text, values };
}

/**
 * Closes the connection of a statement that fails, except for one that callers can make fail as often as they like: they
 * would make the server open one connection after the other.
 */
async function runOnPool<Row>(pool: Pool, bound: BoundStatement): Promise<Row[]> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    return (await client.query<Row & object>(queryOf(bound))).rows;
  } catch (error) {
    isBroken = !isUniqueViolation(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** Returns the driver's own pool: it can name statements, unlike TypeORM, which halves the work of PostgreSQL. */
function poolOf(dataSource: DataSource): Pool | undefined {
  return (dataSource.driver as unknown as { master?: Pool }).master;
}

/** Prepared statements with a name. */
const preparedTexts = new WeakMap<BetterSqlite3.Database, Map<string, BetterSqlite3.Statement>>();

/** Uses the connection itself: TypeORM's runner waits between a call and its statement, and not always as long. */
function runInOrder<Row>(
  dataSource: DataSource,
  { name, texts, values, given }: BoundStatement,
): Row[] {
  const connection = sqliteOf(dataSource);
  const results = { ...given };
  let rows: Row[] = [];
  for (const [index, compiled] of texts.entries()) {
    const { text, step } = compiled;
    try {
      const prepared = name === undefined ? connection.prepare(text) : preparedOn(connection, text);
      rows = runPrepared<Row>(prepared, index === 0 ? values : valuesOf(compiled, results));
    } catch (error) {
      throw step?.table ? Object.assign(error as Error, { table: step.table }) : error;
    }
    if (step?.columns) results[step.name] = JSON.stringify(rows);
  }
  return rows;
}

function preparedOn(connection: BetterSqlite3.Database, text: string): BetterSqlite3.Statement {
  const known = preparedTexts.get(connection) ?? new Map<string, BetterSqlite3.Statement>();
  preparedTexts.set(connection, known);
  let statement = known.get(text);
  if (!statement) {
    statement = connection.prepare(text);
    known.set(text, statement);
  }
  return statement;
}

function runPrepared<Row>(statement: BetterSqlite3.Statement, values: SqlValue[]): Row[] {
  const bindable = values.map(toSqlite);
  if (statement.reader) return statement.all(...bindable) as Row[];
  statement.run(...bindable);
  return [];
}

/** better-sqlite3 binds numbers as REAL, which SQLite prints as "1.0". */
function toSqlite(value: SqlValue): SqlValue | bigint {
  if (typeof value === 'boolean') return Number(value);
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

/** Returns TypeORM's one connection to SQLite. */
export function sqliteOf({ driver }: DataSource): BetterSqlite3.Database {
  return (driver as unknown as { databaseConnection: BetterSqlite3.Database }).databaseConnection;
}
