import type { Writable } from 'node:stream';
import type { DataSource, EntityManager } from 'typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import type { Pool, PoolClient } from 'pg';
import { DatabaseUnavailable } from '../common/errors.ts';
import { translateDatabaseError } from './database-errors.ts';
import { dialectOf } from './dialect.ts';
import {
  type BoundStatement,
  CompiledStatements,
  type SqlParameter,
  type SqlValue,
  type Statement,
} from './statement.ts';
import type { Work } from './transactor.ts';

/**
 * Waits for statements of one transaction that were sent together, each by one call of `run`.
 * @throws the error of the first that failed, once none of them is under way any more
 */
export async function settled(statements: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(statements)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

/** A statement that is left to the end of its transaction. */
interface LastStatement {
  bound: BoundStatement;
  /** What is thrown for what the database says. */
  toFailure: (error: unknown) => unknown;
}

/** What has been left to the end of each transaction whose work is running. */
const lastStatements = new WeakMap<EntityManager, LastStatement[]>();

/**
 * Runs the work of a transaction, then what it has left to the end, and commits. PostgreSQL gets the
 * last statements and COMMIT at once: after a statement that it has refused, COMMIT rolls back.
 * @throws what the work throws, or the failure of the first of the last statements that failed, once none is
 *   under way any more
 */
export async function runAndCommit<T>(
  manager: EntityManager,
  work: Work<T>,
  commit: () => Promise<void>,
): Promise<T> {
  const last: LastStatement[] = [];
  lastStatements.set(manager, last);
  let result: T;
  try {
    result = await work(manager);
  } finally {
    lastStatements.delete(manager);
  }
  const client = await clientOf(manager);
  const answers = last.map(({ bound, toFailure }) =>
    send(manager, client, bound).catch((error: unknown) => {
      throw toFailure(error);
    }),
  );
  // SQLite would commit what there is.
  if (!client) await settled(answers);
  await settled([...answers, commit()]);
  return result;
}

/**
 * Runs statements on one data source; each SQL text is compiled once, on its first use.
 * @param isPooled whether a pooler may have prepared a statement on another connection than the one
 *   that would run it: then PostgreSQL plans each statement anew
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
   * Runs one statement on its own, outside any transaction; it sees what is committed.
   * @throws DatabaseUnavailable
   */
  async read<P extends Record<keyof P, SqlParameter>, Row>(
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]> {
    const { name, text, values } = this.compiled.bind(statement, parameters)[0]!;
    const pool = poolOf(this.dataSource);
    try {
      if (!pool) return runOnSqlite<Row>(this.dataSource, text, values);
      return (await pool.query<Row & object>({ name, text, values })).rows;
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  /**
   * Runs one statement inside the transaction of `manager`; returns the rows it selects or returns, none
   * if it has several texts.
   * Statements run in the order of the calls, even if one call does not wait for the other.
   */
  async run<P extends Record<keyof P, SqlParameter>, Row>(
    manager: EntityManager,
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]> {
    const bound = this.compiled.bind(statement, parameters);
    if (bound.length === 1) return this.runBound<Row>(manager, bound[0]!);
    await settled(bound.map((text) => this.runBound(manager, text)));
    return [];
  }

  /**
   * Leaves a statement to the end of the transaction of `manager`, which it does not keep waiting: it
   * leaves together with the COMMIT, in the order of these calls, and not at all if the work fails before.
   * @param toFailure what the transaction throws if the database refuses the statement; else its error
   */
  runLast<P extends Record<keyof P, SqlParameter>>(
    manager: EntityManager,
    statement: Statement<P, unknown>,
    parameters: P,
    toFailure: LastStatement['toFailure'] = (error) => error,
  ): void {
    const last = lastStatements.get(manager);
    if (!last) throw new Error(`${statement.name} comes after the work of its transaction`);
    for (const bound of this.compiled.bind(statement, parameters)) last.push({ bound, toFailure });
  }

  private async runBound<Row>(manager: EntityManager, bound: BoundStatement): Promise<Row[]> {
    const client = poolOf(this.dataSource) && (await clientOf(manager));
    return send<Row>(manager, client, bound);
  }
}

/** The driver's own pool: it can name statements, as TypeORM cannot, which halves the work of PostgreSQL. */
export function poolOf(dataSource: DataSource): Pool | undefined {
  return (dataSource.driver as unknown as { master?: Pool }).master;
}

/** The connection of a transaction; undefined on SQLite. */
async function clientOf(manager: EntityManager): Promise<PoolClient | undefined> {
  if (!poolOf(manager.dataSource)) return undefined;
  return (await manager.queryRunner!.connect()) as PoolClient;
}

/** Is sent before this returns its promise. */
async function send<Row>(
  { dataSource }: EntityManager,
  client: PoolClient | undefined,
  { name, text, values }: BoundStatement,
): Promise<Row[]> {
  if (client) {
    sendTogether(client);
    return (await client.query<Row & object>({ name, text, values })).rows;
  }
  // SQLite itself ends the transaction of a statement that finds the disk full or failing; nothing
  // that was sent along with it may then be stored without it.
  if (!sqliteOf(dataSource).inTransaction) {
    throw new DatabaseUnavailable(new Error('SQLite has ended the transaction'));
  }
  return runOnSqlite<Row>(dataSource, text, values);
}

/** What is sent in this turn of the event loop leaves by one call of the operating system. */
function sendTogether(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
}

const prepared = new WeakMap<BetterSqlite3.Database, Map<string, BetterSqlite3.Statement>>();

/** On the connection itself: TypeORM's runner waits between a call and its statement, and not always as long. */
function runOnSqlite<Row>(dataSource: DataSource, text: string, values: SqlValue[]): Row[] {
  const connection = sqliteOf(dataSource);
  const known = prepared.get(connection) ?? new Map<string, BetterSqlite3.Statement>();
  prepared.set(connection, known);
  let statement = known.get(text);
  if (!statement) known.set(text, (statement = connection.prepare(text)));
  const bindable = values.map(toSqlite);
  if (statement.reader) return statement.all(...bindable) as Row[];
  statement.run(...bindable);
  return [];
}

/** The driver would bind every number as a floating one, which as a text has a fraction. */
function toSqlite(value: SqlValue): SqlValue | bigint {
  if (typeof value === 'boolean') return Number(value);
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

function sqliteOf({ driver }: DataSource): BetterSqlite3.Database {
  return (driver as unknown as { databaseConnection: BetterSqlite3.Database }).databaseConnection;
}
