import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from './data-source-name.ts';
import type { DataSource } from 'typeorm';
import { Gate } from '../common/gate.ts';
import { Config } from '../config/config.ts';
import { AppliedMigrations } from './schema/applied-migrations.ts';
import { ChangeEvent } from './change-event.entity.ts';
import { ChangeFeed } from './change-feed.ts';
import { ChangeReader } from './change-reader.ts';
import { ConnectionPool } from './connection-pool.ts';
import { createDataSource } from './create-data-source.ts';
import {
  isPooled,
  servingOptions,
  sessionUrl,
  sqliteWriterOptions,
} from './data-source-options.ts';
import { PostgresChangeFeed } from './postgres/postgres-change-feed.ts';
import { PostgresChangeReader } from './postgres/postgres-change-reader.ts';
import { PostgresTransactor } from './postgres/postgres-transactor.ts';
import { SqliteChangeFeed } from './sqlite/sqlite-change-feed.ts';
import { SqliteChangeReader } from './sqlite/sqlite-change-reader.ts';
import { SqliteTransactor } from './sqlite/sqlite-transactor.ts';
import { Statements } from './statements.ts';
import { Transactor } from './transactor.ts';
import { ChangeRetention } from './upkeep/change-retention.ts';
import { LastWorkModule } from './upkeep/last-work.ts';

const DATA_SOURCE = getDataSourceToken(USER_GROUP_DATA_SOURCE);

/**
 * Provides `Statements` to read with, the `Transactor` to write with, the `ChangeFeed` that makes changes
 * known, the `Gate` and the `AppliedMigrations` to every module.
 */
@Global()
@Module({
  imports: [
    LastWorkModule,
    TypeOrmModule.forRootAsync({
      name: USER_GROUP_DATA_SOURCE,
      inject: [Config],
      useFactory: (config: Config) => ({
        ...servingOptions(config),
        name: USER_GROUP_DATA_SOURCE,
        autoLoadEntities: true,
        retryAttempts: 0,
      }),
      dataSourceFactory: (options) => createDataSource(options!).initialize(),
    }),
    TypeOrmModule.forFeature([ChangeEvent], USER_GROUP_DATA_SOURCE),
  ],
  providers: [
    ChangeRetention,
    Gate,
    {
      provide: Statements,
      inject: [DATA_SOURCE, Config],
      useFactory: (dataSource: DataSource, config: Config) =>
        new Statements(dataSource, isPooled(config)),
    },
    AppliedMigrations,
    {
      provide: ConnectionPool,
      inject: [DATA_SOURCE],
      useFactory: (dataSource: DataSource) => new ConnectionPool(dataSource),
    },
    { provide: Transactor, inject: [DATA_SOURCE, Config], useFactory: createTransactor },
    { provide: ChangeFeed, inject: [Config, Transactor], useFactory: createChangeFeed },
    { provide: ChangeReader, inject: [Config, Statements], useFactory: createChangeReader },
  ],
  exports: [
    AppliedMigrations,
    ChangeFeed,
    ChangeReader,
    ChangeRetention,
    ConnectionPool,
    Gate,
    Statements,
    Transactor,
  ],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(Transactor) private readonly transactor: Transactor,
    private readonly changes: ChangeFeed,
  ) {}

  /** Closes in this order: the last writes have changes to announce. */
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

async function createTransactor(dataSource: DataSource, config: Config): Promise<Transactor> {
  if (dataSource.options.type === 'postgres') {
    return new PostgresTransactor(dataSource, isPooled(config));
  }
  const writer = await createDataSource(sqliteWriterOptions(dataSource.options)).initialize();
  // SQLite would block the process while it waits; from here on the transactor waits instead.
  await writer.query('PRAGMA busy_timeout = 0');
  return new SqliteTransactor(writer);
}
