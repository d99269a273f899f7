import type { DataSource, QueryRunner } from 'typeorm';
import { DatabaseUnavailable } from '../common/errors';
import { SET_LOCAL_LIMITS } from './data-source-options';
import { isAnsweredByPostgres, translateDatabaseError } from './database-errors';
import { Transactor, type Work } from './transactor';

/** One transaction for each piece of work, on a connection of the pool, READ COMMITTED. */
export class PostgresTransactor extends Transactor {
  /** @param isPooled whether each transaction has to say for itself how long it may take */
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
      const result = await work(runner.manager);
      await runner.commitTransaction();
      return result;
    } catch (thrown) {
      const error = translateDatabaseError(thrown);
      const isLost = error instanceof DatabaseUnavailable && !isAnsweredByPostgres(thrown);
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
 * Rolls back where the connection can still be used. One that was lost or timed out is closed: it
 * may still be busy with the old statement, and the pool must not hand it out again.
 */
async function undo(runner: QueryRunner, isLost: boolean, reason: unknown): Promise<void> {
  if (!isLost) {
    try {
      await runner.rollbackTransaction();
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
