import {
  type DynamicModule,
  type FactoryProvider,
  Global,
  Module,
  type Provider,
} from '@nestjs/common';
import { Config } from './config.ts';

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

  /**
   * @param imports the modules of what the factory injects
   * @param providers of what it injects besides
   */
  static forRootAsync(
    { inject = [], useFactory }: Pick<FactoryProvider<Config>, 'inject' | 'useFactory'>,
    imports: DynamicModule['imports'] = [],
    providers: Provider[] = [],
  ): DynamicModule {
    return {
      module: ConfigModule,
      imports,
      providers: [...providers, { provide: Config, inject, useFactory }],
      exports: [Config],
    };
  }
}
