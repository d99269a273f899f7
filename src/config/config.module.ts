import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Config } from './config';

/** Hands the one `Config` of the process to every module. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}
