import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Plugin } from './common/plugin.ts';
import { Config } from './config/config.ts';
import { USER_GROUP_DATA_SOURCE } from './database/data-source-name.ts';

/** What a plugin adds besides its modules: repositories of its entities, and its settings. */
@Module({})
export class PluginModule {
  static with({ definition: { entities = [], settings } }: Plugin): DynamicModule {
    const repositories = TypeOrmModule.forFeature([...entities], USER_GROUP_DATA_SOURCE);
    return {
      module: PluginModule,
      global: true,
      imports: [repositories],
      providers: settings
        ? [
            {
              provide: settings,
              inject: [Config],
              useFactory: ({ pluginSettings }: Config) =>
                pluginSettings.find((one) => one instanceof settings) ?? new settings(),
            },
          ]
        : [],
      exports: [repositories, ...(settings ? [settings] : [])],
    };
  }
}
