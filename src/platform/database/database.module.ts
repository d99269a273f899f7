import { Global, Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from './data-source-name.ts';
import type { DataSource } from 'typeorm';
import { Gate } from '../common/concurrency/gate.ts';
import { DatabaseUnavailable } from '../common/problem/errors.ts';
import { Config } from '../config/config.ts';
import { AppliedMigrations } from './schema/applied-migrations.ts';
import { createDataSource } from './create-data-source.ts';
import { translateDatabaseError } from './database-errors.ts';
import { isPooled, servingOptions, sqliteWriterOptions } from './data-source-options.ts';
import { PostgresTransactor } from './postgres/postgres-transactor.ts';
import { SqliteTransactor } from './sqlite/sqlite-transactor.ts';
import { Statements } from './statements.ts';
import { Transactor } from './transactor.ts';
import { DatabaseClock } from './upkeep/database-clock.ts';
import { SweepTime } from './upkeep/sweep-time.ts';
import { ShutdownPhasesModule } from './upkeep/shutdown-phases.ts';

const DATA_SOURCE = getDataSourceToken(USER_GROUP_DATA_SOURCE);

/**
 * Provides `Statements` for reads, the `Transactor` for writes, the `Gate` and the `AppliedMigrations` to every module.
 */
@Global()
@Module({
  imports: [
    ShutdownPhasesModule,
    TypeOrmModule.forRootAsync({
      name: USER_GROUP_DATA_SOURCE,
      inject: [Config],
      useFactory: (config: Config) => ({
        ...servingOptions(config),
        name: USER_GROUP_DATA_SOURCE,
        autoLoadEntities: true,
        // On a busy machine the first connection can take longer than its limit.
        retryAttempts: 6,
        retryDelay: 500,
        toRetry: (error) => translateDatabaseError(error) instanceof DatabaseUnavailable,
      }),
      dataSourceFactory: (options) => createDataSource(options!).initialize(),
    }),
  ],
  providers: [
    Gate,
    {
      provide: Statements,
      inject: [DATA_SOURCE, Config],
      useFactory: (dataSource: DataSource, config: Config) =>
        new Statements(dataSource, isPooled(config)),
    },
    AppliedMigrations,
    DatabaseClock,
    SweepTime,
    {
      provide: Transactor,
      inject: [DATA_SOURCE, Statements, Config],
      useFactory: createTransactor,
    },
  ],
  exports: [AppliedMigrations, Gate, SweepTime, Statements, Transactor],
})
export class DatabaseModule {}

async function createTransactor(
  dataSource: DataSource,
  statements: Statements,
  config: Config,
): Promise<Transactor> {
  if (dataSource.options.type === 'postgres') {
    return new PostgresTransactor(dataSource, statements, isPooled(config));
  }
  const writer = await createDataSource(sqliteWriterOptions(dataSource.options)).initialize();
  // SQLite would block the process while it waits; from now on the transactor waits instead.
  await writer.query('PRAGMA busy_timeout = 0');
  return new SqliteTransactor(writer, statements);
}
