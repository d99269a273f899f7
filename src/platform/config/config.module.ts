import {
  type DynamicModule,
  type FactoryProvider,
  Global,
  Module,
  type Provider,
} from '@nestjs/common';
import { Config } from './config.ts';

/** Provides the one `Config` of the process to every module. */
@Global()
@Module({})
export class ConfigModule {
  /**
   * @param imports modules for the dependencies of a factory
   * @param providers further dependencies of a factory
   */
  static with(
    config: { useValue: Config } | Pick<FactoryProvider<Config>, 'inject' | 'useFactory'>,
    imports: DynamicModule['imports'] = [],
    providers: Provider[] = [],
  ): DynamicModule {
    return {
      module: ConfigModule,
      imports,
      providers: [...providers, { provide: Config, ...config }],
      exports: [Config],
    };
  }
}
