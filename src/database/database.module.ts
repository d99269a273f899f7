import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Config } from '../config/config';
import { createDataSource } from './create-data-source';
import { servingOptions, sqliteWriterOptions } from './data-source-options';
import { PostgresTransactor } from './postgres-transactor';
import { SqliteTransactor } from './sqlite-transactor';
import { Statements } from './statement';
import { Transactor } from './transactor';

/** Gives every module `Statements` to read with and the `Transactor` to write with. */
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
  ],
  providers: [
    {
      provide: Statements,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => new Statements(dataSource),
    },
    { provide: Transactor, inject: [DataSource], useFactory: createTransactor },
  ],
  exports: [Statements, Transactor],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(Transactor) private readonly transactor: Transactor) {}

  async onApplicationShutdown(): Promise<void> {
    await this.transactor.close();
  }
}

async function createTransactor(dataSource: DataSource): Promise<Transactor> {
  if (dataSource.options.type === 'postgres') return new PostgresTransactor(dataSource);
  const writer = createDataSource(sqliteWriterOptions(dataSource.options));
  return new SqliteTransactor(await writer.initialize());
}
