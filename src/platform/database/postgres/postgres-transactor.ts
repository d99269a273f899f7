import type { DataSource, QueryRunner } from 'typeorm';
import { DatabaseUnavailable, ExtensionUnavailable } from '../../common/problem/errors.ts';
import { SET_LOCAL_LIMITS } from '../data-source-options.ts';
import { isReportedByPostgres, translateDatabaseError } from '../database-errors.ts';
import type { SqlParameter, Statement } from '../statement.ts';
import type { Statements } from '../statements.ts';
import { Transactor, type Work } from '../transactor.ts';

/** Runs each piece of work in a transaction of its own, on a connection of the pool, READ COMMITTED. */
export class PostgresTransactor extends Transactor {
  /** @param isPooled whether each transaction has to set its own time limits */
  constructor(
    private readonly dataSource: DataSource,
    private readonly statements: Statements,
    private readonly isPooled: boolean,
  ) {
    super();
  }

  async run<T>(work: Work<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      if (this.isPooled) await runner.query(SET_LOCAL_LIMITS);
      const result = await work(runner.manager);
      await runner.commitTransaction();
      return result;
    } catch (thrown) {
      const error = translateDatabaseError(thrown);
      // A statement of an extension may still be running.
      const isLost =
        error instanceof ExtensionUnavailable ||
        (error instanceof DatabaseUnavailable && !isReportedByPostgres(thrown));
      await undo(runner, isLost, thrown);
      throw error;
    } finally {
      await runner.release();
    }
  }

  apply<P extends Record<keyof P, SqlParameter>, Row>(
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]> {
    // Behind a pooler the limits belong to a transaction.
    if (this.isPooled) {
      return this.run((manager) => this.statements.run(manager, statement, parameters));
    }
    return this.statements.read(statement, parameters);
  }

  async close(): Promise<void> {
    // The pool belongs to the data source, which its module closes.
  }
}

/**
 * Rolls back if the connection is still usable. A connection that was lost or timed out is closed: it may be busy with
 * the old statement, and must not return to the pool.
 */
async function undo(runner: QueryRunner, isLost: boolean, reason: unknown): Promise<void> {
  if (!isLost) {
    try {
      // Several nested ones are active if an extension has failed.
      while (runner.isTransactionActive) await runner.rollbackTransaction();
      return;
    } catch {
      // The connection was lost after all.
    }
  }
  await (runner as PostgresQueryRunner).releasePostgresConnection(reason);
}

/** Methods of TypeORM's query runner for PostgreSQL beyond the interface. */
type PostgresQueryRunner = QueryRunner & {
  releasePostgresConnection: (reason: unknown) => Promise<void>;
};
