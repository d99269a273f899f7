import { ChangeFeed } from '../change-feed';
import type { SqliteTransactor } from './sqlite-transactor';

/**
 * Finds other processes' commits by SQLite's data version, which is cheap enough to read before each
 * answer from a cache. SQLite sends no notifications.
 */
export class SqliteChangeFeed extends ChangeFeed {
  private lastVersion: number | undefined;

  constructor(private readonly transactor: SqliteTransactor) {
    super();
  }

  /** Ignores this process' own commits, which are announced. */
  override poll(): void {
    const version = this.transactor.dataVersion();
    if (version === this.lastVersion) return;
    this.lastVersion = version;
    this.invalidateAll();
  }
}
