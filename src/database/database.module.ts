import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Config } from '../config/config';
import { AppliedMigrations } from './schema/applied-migrations';
import { ChangeEvent } from './change-event.entity';
import { ChangeFeed } from './change-feed';
import { ChangeLog } from './change-log';
import { ConnectionPool } from './connection-pool';
import { createDataSource } from './create-data-source';
import { isPooled, servingOptions, sqliteWriterOptions } from './data-source-options';
import { PostgresChangeFeed } from './postgres/postgres-change-feed';
import { PostgresTransactor } from './postgres/postgres-transactor';
import { SqliteChangeFeed } from './sqlite/sqlite-change-feed';
import { SqliteTransactor } from './sqlite/sqlite-transactor';
import { Statements } from './statement';
import { Transactor } from './transactor';
import { ChangeRetention } from './upkeep/change-retention';

/**
 * Provides `Statements` to read with, the `Transactor` to write with, the `ChangeLog` that records
 * changes, the `ChangeFeed` that makes them known, and the `AppliedMigrations` to every module.
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
    ChangeLog,
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
  ],
  exports: [AppliedMigrations, ChangeFeed, ChangeLog, ConnectionPool, Statements, Transactor],
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

function createChangeFeed(
  { databaseUrl, databaseDirectUrl }: Config,
  transactor: Transactor,
): ChangeFeed {
  return databaseUrl === undefined
    ? new SqliteChangeFeed(transactor as SqliteTransactor)
    : new PostgresChangeFeed({ url: databaseUrl, directUrl: databaseDirectUrl });
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
