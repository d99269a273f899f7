import type { EntityManager } from 'typeorm';
import type { SqlParameter, Statement } from './statement.ts';

/** The work of one transaction. */
export type Work<T> = (manager: EntityManager) => T | Promise<T>;

/**
 * Runs writes. The changes of `work` through its `manager` are atomic, and durable when the promise resolves. `work`
 * reaches the database through `manager` alone and awaits nothing else: on SQLite every other write waits for it.
 */
export abstract class Transactor {
  /** @throws DatabaseUnavailable if the database cannot be reached or stays locked */
  abstract run<T>(work: Work<T>): Promise<T>;
  /**
   * Runs one statement that is a transaction by itself.
   * @returns the rows that it selects
   * @throws DatabaseUnavailable if the database cannot be reached or stays locked
   * @internal
   */
  abstract apply<P extends Record<keyof P, SqlParameter>, Row>(
    statement: Statement<P, Row>,
    parameters: P,
  ): Promise<Row[]>;
  /** Ends the transactor's own connections, after pending writes. */
  abstract close(): Promise<void>;
}
