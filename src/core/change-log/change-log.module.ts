import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../platform/config/config.ts';
import { isPooled, sessionUrl } from '../../platform/database/data-source-options.ts';
import type { SqliteTransactor } from '../../platform/database/sqlite/sqlite-transactor.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { ChangeFeed } from './change-feed.ts';
import { ChangeReader } from './change-reader.ts';
import { ChangeRetention } from './change-retention.ts';
import { PostgresChangeFeed } from './postgres/postgres-change-feed.ts';
import { PostgresChangeReader } from './postgres/postgres-change-reader.ts';
import { SqliteChangeFeed } from './sqlite/sqlite-change-feed.ts';
import { SqliteChangeReader } from './sqlite/sqlite-change-reader.ts';

/**
 * Provides the `ChangeFeed`, which publishes changes, and the `ChangeReader`, which reads them later, to every module.
 */
@Global()
@Module({
  providers: [
    ChangeRetention,
    { provide: ChangeFeed, inject: [Config, Transactor], useFactory: createChangeFeed },
    { provide: ChangeReader, inject: [Config, Statements], useFactory: createChangeReader },
  ],
  exports: [ChangeFeed, ChangeReader, ChangeRetention],
})
export class ChangeLogModule implements OnApplicationShutdown {
  constructor(
    private readonly transactor: Transactor,
    private readonly changes: ChangeFeed,
  ) {}

  /** Closes in this order: the last writes still publish changes. */
  async onApplicationShutdown(): Promise<void> {
    await this.transactor.close();
    await this.changes.close();
  }
}

function createChangeFeed(config: Config, transactor: Transactor): ChangeFeed {
  const { databaseUrl: url } = config;
  return url === undefined
    ? new SqliteChangeFeed(transactor as SqliteTransactor)
    : new PostgresChangeFeed({ url, isPooled: isPooled(config), sessionUrl: sessionUrl(config) });
}

function createChangeReader(
  { databaseUrl, eventRetentionHours }: Config,
  statements: Statements,
): ChangeReader {
  const Reader = databaseUrl === undefined ? SqliteChangeReader : PostgresChangeReader;
  return new Reader(statements, eventRetentionHours);
}
