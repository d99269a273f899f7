import type { DataSource, QueryRunner } from 'typeorm';
import { DatabaseUnavailable, ExtensionUnavailable } from '../../common/errors.ts';
import { SET_LOCAL_LIMITS } from '../data-source-options.ts';
import { isAnsweredByPostgres, translateDatabaseError } from '../database-errors.ts';
import { runAndCommit } from '../statements.ts';
import { Transactor, type Work } from '../transactor.ts';

/** Runs each piece of work in a transaction of its own, on a connection of the pool, READ COMMITTED. */
export class PostgresTransactor extends Transactor {
  /** @param isPooled whether each transaction has to set its own time limits */
  constructor(
    private readonly dataSource: DataSource,
    private readonly isPooled: boolean,
  ) {
    super();
  }

  async run<T>(work: Work<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      if (this.isPooled) await runner.query(SET_LOCAL_LIMITS);
      return await runAndCommit(runner.manager, work, () => runner.commitTransaction());
    } catch (thrown) {
      const error = translateDatabaseError(thrown);
      // What an extension has begun may still be under way.
      const isLost =
        error instanceof ExtensionUnavailable ||
        (error instanceof DatabaseUnavailable && !isAnsweredByPostgres(thrown));
      await undo(runner, isLost, thrown);
      throw error;
    } finally {
      await runner.release();
    }
  }

  async close(): Promise<void> {
    // The pool belongs to the data source, which its module closes.
  }
}

/**
 * Rolls back if the connection is still usable. One that was lost or timed out is closed: it may be
 * busy with the old statement, and the pool must not hand it out again.
 */
async function undo(runner: QueryRunner, isLost: boolean, reason: unknown): Promise<void> {
  if (!isLost) {
    try {
      // None is active where COMMIT was sent along with a statement that has failed; several are, one inside of
      // another, where an extension has failed.
      while (runner.isTransactionActive) await runner.rollbackTransaction();
      return;
    } catch {
      // It was lost after all.
    }
  }
  await (runner as PostgresQueryRunner).releasePostgresConnection(reason);
}

/** What TypeORM's query runner for PostgreSQL has beyond the interface. */
type PostgresQueryRunner = QueryRunner & {
  releasePostgresConnection: (reason: unknown) => Promise<void>;
};
