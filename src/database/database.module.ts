import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Config } from '../config/config';
import { AppliedMigrations } from './schema/applied-migrations';
import { ChangeEvent } from './change-event.entity';
import { ChangeFeed } from './change-feed';
import { ChangeReader } from './change-reader';
import { ConnectionPool } from './connection-pool';
import { createDataSource } from './create-data-source';
import { isPooled, servingOptions, sessionUrl, sqliteWriterOptions } from './data-source-options';
import { PostgresChangeFeed } from './postgres/postgres-change-feed';
import { PostgresChangeReader } from './postgres/postgres-change-reader';
import { PostgresTransactor } from './postgres/postgres-transactor';
import { SqliteChangeFeed } from './sqlite/sqlite-change-feed';
import { SqliteChangeReader } from './sqlite/sqlite-change-reader';
import { SqliteTransactor } from './sqlite/sqlite-transactor';
import { Statements } from './statement';
import { Transactor } from './transactor';
import { ChangeRetention } from './upkeep/change-retention';

/**
 * Provides `Statements` to read with, the `Transactor` to write with, the `ChangeFeed` that makes changes
 * known, and the `AppliedMigrations` to every module.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Config],
      useFactory: (config: Config) => ({
        ...servingOptions(config),
        autoLoadEntities: true,
        retryAttempts: 0,
      }),
      dataSourceFactory: (options) => createDataSource(options!).initialize(),
    }),
    TypeOrmModule.forFeature([ChangeEvent]),
  ],
  providers: [
    ChangeRetention,
    {
      provide: Statements,
      inject: [DataSource, Config],
      useFactory: (dataSource: DataSource, config: Config) =>
        new Statements(dataSource, isPooled(config)),
    },
    AppliedMigrations,
    {
      provide: ConnectionPool,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => new ConnectionPool(dataSource),
    },
    { provide: Transactor, inject: [DataSource, Config], useFactory: createTransactor },
    { provide: ChangeFeed, inject: [Config, Transactor], useFactory: createChangeFeed },
    { provide: ChangeReader, inject: [Config, Statements], useFactory: createChangeReader },
  ],
  exports: [
    AppliedMigrations,
    ChangeFeed,
    ChangeReader,
    ChangeRetention,
    ConnectionPool,
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
