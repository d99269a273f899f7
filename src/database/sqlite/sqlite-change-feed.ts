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

  /** True once what others have committed is invalidated, if that can be read; this process' own commits are announced. */
  override isCurrent(): boolean {
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
    return true;
  }
}
