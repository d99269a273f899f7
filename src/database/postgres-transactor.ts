import type { DataSource, QueryRunner } from 'typeorm';
import { DatabaseUnavailable } from '../common/errors';
import { translateDatabaseError } from './database-errors';
import { Transactor, type Work } from './transactor';

/** One transaction for each piece of work, on a connection of the pool, READ COMMITTED. */
export class PostgresTransactor extends Transactor {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async run<T>(work: Work<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      const result = await work(runner.manager);
      await runner.commitTransaction();
      return result;
    } catch (thrown) {
      const error = translateDatabaseError(thrown);
      if (error instanceof DatabaseUnavailable) await discardConnection(runner, error);
      else
        await runner
          .rollbackTransaction()
          .catch((reason: unknown) => discardConnection(runner, reason));
      throw error;
    } finally {
      await runner.release();
    }
  }

  async close(): Promise<void> {
    // The pool belongs to the data source, which its module closes.
  }
}

/** A connection that failed or timed out may still be busy; the pool must not hand it out again. */
async function discardConnection(runner: QueryRunner, reason: unknown): Promise<void> {
  await (runner as PostgresQueryRunner).releasePostgresConnection(reason);
}

/** What TypeORM's query runner for PostgreSQL has beyond the interface. */
type PostgresQueryRunner = QueryRunner & {
  releasePostgresConnection: (reason: unknown) => Promise<void>;
};
