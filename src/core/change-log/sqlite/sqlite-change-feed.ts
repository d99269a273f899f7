import { ChangeFeed } from '../change-feed.ts';
import type { SqliteTransactor } from '../../../platform/database/sqlite/sqlite-transactor.ts';

/**
 * Finds other processes' commits by SQLite's data version, which is cheap enough to read in each turn of the event loop
 * that uses a cache. SQLite sends no notifications.
 */
export class SqliteChangeFeed extends ChangeFeed {
  private lastVersion: number | undefined;
  private isReadInThisTurn = false;

  constructor(private readonly transactor: SqliteTransactor) {
    super();
  }

  /**
   * True when commits of other processes are invalidated, if their version can be read; this process announces its own
   * commits.
   */
  override isCurrent(): boolean {
    if (this.isReadInThisTurn) return true;
    let version: number;
    try {
      version = this.transactor.dataVersion();
    } catch {
      return false;
    }
    if (version !== this.lastVersion) {
      this.lastVersion = version;
      this.invalidateAll();
    }
    this.isReadInThisTurn = true;
    setImmediate(() => {
      this.isReadInThisTurn = false;
    });
    return true;
  }
}
