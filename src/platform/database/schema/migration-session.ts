import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Config } from '../../config/config.ts';
import { createDataSource } from '../create-data-source.ts';
import { migratingOptions, NO_LIMITS, sessionUrl } from '../data-source-options.ts';
import { isSqliteBusy } from '../database-errors.ts';
import type { MigrationSet } from './migration-sets.ts';
import { type Notify, waitForMigrationLock } from './migration-lock-wait.ts';
import { toOperatorError } from './reach-database.ts';
import { requireFirstMigration } from './first-migration.ts';

/** Lock of a transaction that reads or changes the schema; a number that no other program uses. */
const SCHEMA_LOCK = 7_245_310_118;
/**
 * Lock of a session from its first migration to its last. While it is held, a process that has nothing to migrate
 * acquires the other one and starts.
 */
const SESSION_LOCK = 7_245_310_119;

/**
 * The one connection of a process that runs one set of migrations, without time limits: past a pooler, or through it if
 * there is no other way. Through a pooler it has no session of its own, and its locks belong to a transaction.
 */
export class MigrationSession {
  readonly executor: MigrationExecutor;
  readonly runner: QueryRunner;
  /** Whether the session is the process's own. */
  readonly isOwn: boolean;
  private readonly isPostgres: boolean;
  /** Whether one transaction for the whole work is open. */
  private isWhole = false;

  private constructor(
    private readonly config: Config,
    private readonly notify: Notify,
    private readonly set: MigrationSet,
    dataSource: DataSource,
  ) {
    this.isPostgres = dataSource.options.type === 'postgres';
    this.isOwn = !this.isPostgres || sessionUrl(config) !== undefined;
    this.runner = dataSource.createQueryRunner();
    this.executor = new MigrationExecutor(dataSource, this.runner);
    this.executor.transaction = 'none';
  }

  /** @throws OperatorError, whatever fails */
  static async use<T>(
    config: Config,
    notify: Notify,
    set: MigrationSet,
    work: (session: MigrationSession) => Promise<T>,
  ): Promise<T> {
    const options = {
      ...migratingOptions(config),
      migrations: [...set.migrations],
      migrationsTableName: set.table,
    };
    let dataSource: DataSource | undefined;
    try {
      await waitForMigrationLock(config, notify, async () => {
        dataSource = await ifFree(() => createDataSource(options).initialize());
        return dataSource !== undefined;
      });
      const session = new MigrationSession(config, notify, set, dataSource!);
      if (session.isPostgres && session.isOwn) await session.runner.query(NO_LIMITS.inSession);
      return await work(session).finally(() => session.runner.release());
    } catch (error) {
      throw toOperatorError(config, error);
    } finally {
      await dataSource?.destroy();
    }
  }

  /**
   * Lists the set's migrations in order, each with whether the database has it.
   * @throws OperatorError if the service of a version before its first migration has made the database
   */
  async listStates(): Promise<{ name: string; applied: boolean }[]> {
    // TypeORM would create a missing table before it reads it.
    const executed = await this.transact(async ({ executor, runner, set }) =>
      (await runner.hasTable(set.table)) ? executor.getExecutedMigrations() : [],
    );
    const names = executed.map(({ name }) => name);
    if (this.set.plugin === undefined) requireFirstMigration(names);
    return this.runner.dataSource.migrations
      .map(({ name, constructor }) => name ?? constructor.name)
      .map((name) => ({ name, applied: names.includes(name) }));
  }

  /**
   * Runs `work` in a transaction, which no other process has at the same time. On SQLite the transaction itself ensures
   * that.
   */
  async transact<T>(work: (session: this) => Promise<T>): Promise<T> {
    return this.isWhole ? work(this) : this.transactUnder([SCHEMA_LOCK], work);
  }

  /**
   * Runs `work`, which is several transactions, while no other process runs such work. The lock belongs to the session,
   * so it lasts until PostgreSQL has finished the session's statements, even if the process is killed meanwhile.
   * Without a session it is one transaction.
   */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isPostgres) return work();
    if (!this.isOwn) {
      return this.transactUnder([SESSION_LOCK, SCHEMA_LOCK], () => {
        this.isWhole = true;
        return work().finally(() => (this.isWhole = false));
      });
    }
    await waitForMigrationLock(this.config, this.notify, () =>
      this.tryLock('pg_try_advisory_lock', SESSION_LOCK),
    );
    return work();
  }

  /**
   * Whether running outside a transaction gains nothing: the database has not been used yet, or is SQLite, where a
   * writer locks out the others anyway.
   */
  async servesNobody(): Promise<boolean> {
    return !this.isPostgres || (await this.executor.getExecutedMigrations()).length === 0;
  }

  private async transactUnder<T>(
    locks: readonly number[],
    work: (session: this) => Promise<T>,
  ): Promise<T> {
    const { runner } = this;
    try {
      await waitForMigrationLock(this.config, this.notify, () => this.begin(locks));
      const result = await work(this);
      await runner.commitTransaction();
      return result;
    } catch (error) {
      await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  }

  /** @param locks acquired in this order, so that two processes never wait for each other */
  private async begin(locks: readonly number[]): Promise<boolean> {
    const { runner } = this;
    if (!this.isPostgres) {
      return (await ifFree(() => runner.startTransaction().then(() => true))) ?? false;
    }
    if (!runner.isTransactionActive) {
      await runner.startTransaction();
      if (!this.isOwn) await runner.query(NO_LIMITS.inTransaction);
    }
    for (const lock of locks) {
      if (await this.tryLock('pg_try_advisory_xact_lock', lock)) continue;
      // Waiting inside a transaction would keep a connection of the pooler from others.
      if (!this.isOwn) await runner.rollbackTransaction();
      return false;
    }
    return true;
  }

  private async tryLock(attempt: string, lock: number): Promise<boolean> {
    const [row] = (await this.runner.query(`SELECT ${attempt}(${lock}) AS "isOurs"`)) as {
      isOurs: boolean;
    }[];
    return row!.isOurs;
  }
}

/** Runs `work`, unless another process is using the SQLite database; undefined then. */
async function ifFree<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isSqliteBusy(error)) return undefined;
    throw error;
  }
}
