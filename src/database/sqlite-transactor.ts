import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { DatabaseUnavailable } from '../common/errors';
import { translateDatabaseError } from './database-errors';
import { Transactor, type Work } from './transactor';

interface Job {
  work: Work<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 64;
const LOCK_WAIT_MS = 4000;
const LOCK_RETRY_MS = 10;

/**
 * The one writer of the process. Work that arrives while a commit is under way shares the next
 * transaction, each piece in a savepoint of its own, so that one flush to disk serves them all;
 * nobody is answered before that flush. Another process that holds the write lock is waited for
 * without blocking the event loop.
 */
export class SqliteTransactor extends Transactor {
  private readonly queue: Job[] = [];
  private draining: Promise<void> | undefined;

  constructor(private readonly writer: DataSource) {
    super();
  }

  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.draining ??= this.drain();
    });
  }

  async close(): Promise<void> {
    await this.draining;
    await this.writer.destroy();
  }

  private async drain(): Promise<void> {
    // Everything that arrives in this turn of the event loop joins the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) await this.runBatch(this.queue.splice(0, MAX_BATCH));
    this.draining = undefined;
  }

  private async runBatch(batch: Job[]): Promise<void> {
    const runner = this.writer.createQueryRunner();
    try {
      await begin(runner);
      const settle: (() => void)[] = [];
      for (const job of batch) settle.push(await runInSavepoint(runner, job));
      await runner.commitTransaction();
      for (const answer of settle) answer();
    } catch (thrown) {
      await runner.rollbackTransaction().catch(() => undefined);
      const error = translateDatabaseError(thrown);
      for (const job of batch) job.reject(error);
    }
  }
}

async function begin(runner: QueryRunner): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      await runner.startTransaction();
      return;
    } catch (error) {
      if (!isLocked(error) || Date.now() > deadline) throw error;
      await sleep(LOCK_RETRY_MS * (0.5 + Math.random()));
    }
  }
}

/**
 * Runs one piece of work; gives what is to be told to its caller after the commit. A failing disk
 * fails the whole batch, because SQLite may have ended the transaction by itself.
 */
async function runInSavepoint(runner: QueryRunner, job: Job): Promise<() => void> {
  await runner.startTransaction();
  try {
    const result = await job.work(runner.manager);
    await runner.commitTransaction();
    return () => {
      job.resolve(result);
    };
  } catch (thrown) {
    const error = translateDatabaseError(thrown);
    if (error instanceof DatabaseUnavailable) throw error;
    await runner.rollbackTransaction();
    return () => {
      job.reject(error);
    };
  }
}

function isLocked(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith('SQLITE_BUSY') ?? false;
}
