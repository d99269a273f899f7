import { ChangeFeed } from './change-feed';
import type { SqliteTransactor } from './sqlite-transactor';

/**
 * SQLite tells nobody of anything, but it counts what other connections commit: so little work that
 * it is asked for before each answer.
 */
export class SqliteChangeFeed extends ChangeFeed {
  private heardOf: number | undefined;

  constructor(private readonly transactor: SqliteTransactor) {
    super();
  }

  /** The process' own commits are announced, and not counted. */
  override hearOfOthers(): void {
    const version = this.transactor.versionOfOthers();
    if (version === this.heardOf) return;
    this.heardOf = version;
    this.tellMissed();
  }
}
