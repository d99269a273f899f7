import type { EntityManager } from 'typeorm';

/** What happens in one transaction. */
export type Work<T> = (manager: EntityManager) => T | Promise<T>;

/**
 * Runs writes. What `work` does through its `manager` happens as a whole or not at all, and is
 * durable when the promise resolves. `work` reaches the database through `manager` alone and awaits
 * nothing else: on SQLite every other write waits for it.
 */
export abstract class Transactor {
  /** @throws DatabaseUnavailable if the database cannot be reached or stays locked */
  abstract run<T>(work: Work<T>): Promise<T>;
  /** Ends the transactor's own connections, after the writes under way. */
  abstract close(): Promise<void>;
}
