import { Logger } from '@nestjs/common';
import type BetterSqlite3 from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { DatabaseUnavailable } from '../../common/errors.ts';
import { handled } from '../../common/handled.ts';
import { logRepeated } from '../../common/repeated-failures.ts';
import { isSqliteBusy, translateDatabaseError } from '../database-errors.ts';
import { runAndCommit } from '../statements.ts';
import { Transactor, type Work } from '../transactor.ts';

interface Job {
  work: Work<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  /** Until when to wait for a lock of another process, in milliseconds since 1970. */
  deadline: number;
}

const MAX_BATCH = 64;
/** A write gives up before the caller of its wave is told so. */
const LOCK_WAIT_MS = 2000;
const LOCK_RETRY_MS = 10;

/**
 * The one writer of the process. Work that arrives while a commit is under way shares the next
 * transaction, each piece in a savepoint of its own, so that one flush to disk serves them all; no
 * call is answered before that flush. It waits for the write lock of another process without
 * blocking the event loop.
 */
export class SqliteTransactor extends Transactor {
  private readonly logger = new Logger(SqliteTransactor.name);
  private readonly queue: Job[] = [];
  private draining: Promise<void> | undefined;

  constructor(private readonly writer: DataSource) {
    super();
  }

  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deadline = Date.now() + LOCK_WAIT_MS;
      this.queue.push({ work, resolve: resolve as (value: unknown) => void, reject, deadline });
      this.draining ??= handled(this.drain());
    });
  }

  async close(): Promise<void> {
    await this.draining;
    await this.writer.destroy();
  }

  /**
   * A number that changes whenever another process commits; this one's own commits leave it unchanged.
   * @throws DatabaseUnavailable
   */
  dataVersion(): number {
    try {
      return this.connection.pragma('data_version', { simple: true }) as number;
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  private async drain(): Promise<void> {
    // Everything that arrives in this turn of the event loop joins the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      try {
        await this.runBatch(this.queue.splice(0, MAX_BATCH));
      } catch (err) {
        // The writes behind it are tried all the same.
        logRepeated(this.logger, 'error', { msg: 'a transaction cannot be undone', err });
      }
    }
    this.draining = undefined;
  }

  private async runBatch(batch: Job[]): Promise<void> {
    const runner = this.writer.createQueryRunner();
    try {
      await begin(runner, batch[0]!.deadline);
      const settle: (() => void)[] = [];
      for (const job of batch) settle.push(await runInSavepoint(runner, job));
      await runner.commitTransaction();
      // No call is answered while its write is still in a transaction, whatever TypeORM believes.
      if (this.connection.inTransaction) throw new Error('the transaction is still open');
      for (const answer of settle) answer();
    } catch (thrown) {
      const error = translateDatabaseError(thrown);
      for (const job of batch) job.reject(error);
      this.startOver();
    }
  }

  /**
   * Resets the connection after a failure, by its actual state: SQLite ends some transactions by
   * itself, and the savepoints counted by TypeORM's runner may be wrong. A new runner counts from
   * zero.
   */
  private startOver(): void {
    if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
    this.driver.queryRunner = undefined;
  }

  private get connection(): BetterSqlite3.Database {
    return this.driver.databaseConnection;
  }

  private get driver(): WriterDriver {
    return this.writer.driver as unknown as WriterDriver;
  }
}

/** What TypeORM's driver for better-sqlite3 has: its one connection, and the runner it made last. */
interface WriterDriver {
  databaseConnection: BetterSqlite3.Database;
  queryRunner?: QueryRunner;
}

/** What TypeORM's query runner counts: transactions, one inside of another. */
interface Nested {
  transactionDepth: number;
}

async function begin(runner: QueryRunner, deadline: number): Promise<void> {
  for (;;) {
    try {
      await runner.startTransaction();
      return;
    } catch (error) {
      if (!isSqliteBusy(error) || Date.now() > deadline) throw error;
      await sleep(LOCK_RETRY_MS * (0.5 + Math.random()));
    }
  }
}

/**
 * Runs one piece of work, and returns what settles its promise after the commit. A failing disk
 * fails the whole batch, because SQLite may have ended the transaction by itself.
 */
async function runInSavepoint(runner: QueryRunner, job: Job): Promise<() => void> {
  const { transactionDepth: depth } = runner as unknown as Nested;
  await runner.startTransaction();
  try {
    const result = await runAndCommit(runner.manager, job.work, () => runner.commitTransaction());
    return () => {
      job.resolve(result);
    };
  } catch (thrown) {
    const error = translateDatabaseError(thrown);
    if (error instanceof DatabaseUnavailable) throw error;
    // An extension that has failed may have left others inside of it.
    while ((runner as unknown as Nested).transactionDepth > depth) {
      await runner.rollbackTransaction();
    }
    return () => {
      job.reject(error);
    };
  }
}
