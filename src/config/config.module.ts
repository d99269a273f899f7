import { type DynamicModule, type FactoryProvider, Global, Module, type Provider } from '@nestjs/common';
import { Config } from './config.ts';

/** Provides the one `Config` of the process to every module. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Config, useValue: config }], exports: [Config] };
  }

  /**
   * @param imports modules for the dependencies of the factory
   * @param providers further dependencies of the factory
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
