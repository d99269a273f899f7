import { Logger } from '@nestjs/common';
import type BetterSqlite3 from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { DatabaseUnavailable } from '../../common/problem/errors.ts';
import { handled } from '../../common/concurrency/handled.ts';
import { logRepeated } from '../../common/repeated-failures.ts';
import { isSqliteBusy, translateDatabaseError } from '../database-errors.ts';
import type { SqlParameter, Statement } from '../statement.ts';
import { sqliteOf, type Statements } from '../statements.ts';
import { Transactor, type Work } from '../transactor.ts';

interface Job {
  work: Work<unknown>;
  /** Set if the work is one statement, which need not wait for anything. */
  apply?: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  /** End of the wait for a lock of another process, in milliseconds since 1970. */
  deadline: number;
}

const MAX_BATCH = 64;
/** A write fails before the caller's wave times out. */
const LOCK_WAIT_MS = 2000;
const LOCK_RETRY_MS = 10;

/**
 * The one writer of the process. Work that arrives during a commit shares the next transaction, each piece in a
 * savepoint of its own, so that one flush to disk serves them all; no call returns before that flush. It waits for the
 * write lock of another process without blocking the event loop.
 */
export class SqliteTransactor extends Transactor {
  private readonly logger = new Logger(SqliteTransactor.name);
  private readonly queue: Job[] = [];
  private draining: Promise<void> | undefined;

  constructor(
    private readonly writer: DataSource,
    private readonly statements: Statements,
  ) {
    super();
  }

  run<T>(work: Work<T>): Promise<T> {
    return this.enqueue<T>({ work });
  }

  private enqueue<T>(job: Pick<Job, 'work' | 'apply'>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deadline = performance.now() + LOCK_WAIT_MS;
      this.queue.push({ ...job, resolve: resolve as (value: unknown) => void, reject, deadline });
      this.draining ??= handled(this.drain());
    });
  }

  apply<P extends Record<keyof P, SqlParameter>, Row>(
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]> {
    return this.enqueue({
      work: (manager) => this.statements.run(manager, statement, parameters),
      apply: () => this.statements.runOnSqlite(this.writer, statement, parameters),
    });
  }

  async close(): Promise<void> {
    await this.draining;
    await this.writer.destroy();
  }

  /**
   * A number that changes with each commit of another process, and with none of this one.
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
    // Work that arrives in this turn of the event loop joins the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      try {
        await this.runBatch(this.queue.splice(0, MAX_BATCH));
      } catch (err) {
        // The queue goes on: one failure must not stop the writes behind it.
        logRepeated(this.logger, 'error', { msg: 'a transaction cannot be undone', err });
      }
    }
    this.draining = undefined;
  }

  private async runBatch(batch: readonly Job[]): Promise<void> {
    try {
      const isApplied = batch.every(({ apply }) => apply);
      const settle = await (isApplied ? this.applyAll(batch) : this.workAll(batch));
      for (const settleJob of settle) settleJob();
    } catch (thrown) {
      const error = translateDatabaseError(thrown);
      for (const job of batch) job.reject(error);
      this.startOver();
    }
  }

  /** Commits the work, and returns what settles its promises. */
  private async workAll(batch: readonly Job[]): Promise<(() => void)[]> {
    const runner = this.writer.createQueryRunner();
    await begin(() => runner.startTransaction(), batch[0]!.deadline);
    const settle: (() => void)[] = [];
    for (const job of batch) settle.push(await runInSavepoint(runner, job));
    await runner.commitTransaction();
    // No call returns while its write is still in a transaction, whatever TypeORM believes.
    if (this.connection.inTransaction) throw new Error('the transaction is still open');
    return settle;
  }

  /** Commits statements, as `workAll` does, without TypeORM, whose runner waits between them. */
  private async applyAll(batch: readonly Job[]): Promise<(() => void)[]> {
    const execute = (text: string) => this.connection.exec(text);
    await begin(() => execute('BEGIN IMMEDIATE'), batch[0]!.deadline);
    const settle = batch.map((job) => {
      // A failure ends a transaction of one statement in any case.
      if (batch.length > 1) execute('SAVEPOINT one');
      try {
        const rows = job.apply!();
        if (batch.length > 1) execute('RELEASE one');
        return () => job.resolve(rows);
      } catch (thrown) {
        const error = translateDatabaseError(thrown);
        if (error instanceof DatabaseUnavailable || batch.length === 1) throw error;
        execute('ROLLBACK TO one');
        execute('RELEASE one');
        return () => job.reject(error);
      }
    });
    execute('COMMIT');
    return settle;
  }

  /**
   * Resets the connection after a failure, by its actual state: SQLite ends some transactions by itself, and the
   * savepoints counted by TypeORM's runner may be wrong. A new runner counts from zero.
   */
  private startOver(): void {
    if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
    (this.writer.driver as unknown as WriterDriver).queryRunner = undefined;
  }

  private get connection(): BetterSqlite3.Database {
    return sqliteOf(this.writer);
  }
}

/** A member of TypeORM's driver for better-sqlite3: the runner it made last. */
interface WriterDriver {
  queryRunner?: QueryRunner;
}

/** Nested transactions that TypeORM's query runner has counted. */
interface Nested {
  transactionDepth: number;
}

async function begin(start: () => unknown, deadline: number): Promise<void> {
  for (;;) {
    try {
      await start();
      return;
    } catch (error) {
      if (!isSqliteBusy(error) || performance.now() > deadline) throw error;
      await sleep(LOCK_RETRY_MS * (0.5 + Math.random()));
    }
  }
}

/**
 * Runs one piece of work, and returns a function that settles its promise after the commit. A failing disk fails the
 * whole batch, because SQLite may have ended the transaction by itself.
 */
async function runInSavepoint(runner: QueryRunner, job: Job): Promise<() => void> {
  const { transactionDepth: depth } = runner as unknown as Nested;
  await runner.startTransaction();
  try {
    const result = await job.work(runner.manager);
    await runner.commitTransaction();
    return () => job.resolve(result);
  } catch (thrown) {
    const error = translateDatabaseError(thrown);
    if (error instanceof DatabaseUnavailable) throw error;
    // A failed extension may have left nested ones.
    while ((runner as unknown as Nested).transactionDepth > depth) {
      await runner.rollbackTransaction();
    }
    return () => job.reject(error);
  }
}
