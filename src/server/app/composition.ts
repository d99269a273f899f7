import {
  type CanActivate,
  type DynamicModule,
  type FactoryProvider,
  Global,
  Module,
  type ModuleMetadata,
  SetMetadata,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { VERSION_METADATA } from '@nestjs/common/constants.js';
import { RouterModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../../core/api-token/authentication/access.module.ts';
import { requireAccessOf, scopesNamedIn } from '../../platform/common/access/handler-access.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import {
  type FeatureDefinition,
  type MountedRoute,
  ServedFeatures,
} from '../../platform/common/extension/feature.ts';
import { Plugin } from '../../platform/common/extension/plugin.ts';
import { type PortProvider, PortsModule } from '../../platform/common/extension/ports.ts';
import type { UserGroupOptions } from './declared/options.ts';
import { ChangeLogModule } from '../../core/change-log/change-log.module.ts';
import { USER_GROUP_DATA_SOURCE } from '../../platform/database/data-source-name.ts';
import { DatabaseModule } from '../../platform/database/database.module.ts';
import { chooseFeatures, entities, type FeatureChoice, features } from './features.ts';
import {
  partsOfFeature,
  partsOfPlugin,
  partsOfService,
  requireConsistent,
  requireKnownFeatures,
  requireListedScopes,
} from './consistency/consistency.ts';
import type { Feature } from './declared/features.ts';
import { Config } from '../../platform/config/config.ts';
import { type AnyModule, classOf, controllersIn, modulesOfPlugins } from './module-controllers.ts';
import { settingsFrom } from '../../platform/config/settings.ts';

/** Provides the repositories of a plugin's entities. */
@Module({})
class PluginModule {
  static with({ definition: { entities = [] } }: Plugin): DynamicModule {
    const repositories = TypeOrmModule.forFeature([...entities], USER_GROUP_DATA_SOURCE);
    return {
      module: PluginModule,
      global: true,
      imports: [repositories],
      exports: [repositories],
    };
  }
}

/** Provides the settings of the features and the plugins. */
@Module({})
class SettingsModule {
  static with(plugins: readonly Plugin[]): DynamicModule {
    const classes = [...features, ...plugins.map(({ definition }) => definition)].flatMap(
      ({ settings = [] }) => settings,
    );
    return {
      module: SettingsModule,
      global: true,
      providers: classes.map((type) => ({
        provide: type,
        inject: [Config],
        useFactory: (config: Config) => settingsFrom(config, type),
      })),
      exports: classes,
    };
  }
}

/** The routes of an application, and their place. */
export interface UserGroupRoutes {
  /** Prefix of each path, such as `internal`: `/internal/api/user`. None by default. */
  prefix?: string;
  /** The parts of the interface that are served; `core` and `all` stand for several. All by default. */
  features?: readonly (Feature | 'all' | 'core')[];
  /** Whether the console for operators is served below `console/`. Off by default. */
  console?: boolean;
  /** Guards of the application that run before each call; they do not replace the API token. */
  guards?: readonly Type<CanActivate>[];
  /** Put on each controller, for example one that exempts it from a guard of the whole application. */
  decorators?: readonly ClassDecorator[];
}

/** The structure of a user group service inside of another application, known before anything is created. */
export interface UserGroupStructure {
  /** False for no routes, only its services. */
  http?: false | UserGroupRoutes;
  /** The application's own implementations of ports: `{ provide: RateLimitStore, useClass: MyStore }`. */
  ports?: readonly PortProvider[];
  /** Plugins of the service to load. */
  plugins?: readonly Plugin[];
}

/** Makes the options of a user group service. */
export interface UserGroupOptionsFactory {
  /** Called once, at the start. */
  createUserGroupOptions(): UserGroupOptions | Promise<UserGroupOptions>;
}

/** Exactly one of `useFactory`, `useClass` and `useExisting` makes the options, as in other Nest modules. */
export interface UserGroupAsyncOptions extends UserGroupStructure {
  /** Modules for injected dependencies, also of the ports. */
  imports?: ModuleMetadata['imports'];
  inject?: FactoryProvider['inject'];
  /** Called once, at the start, with the injected dependencies. */
  useFactory?: FactoryProvider<UserGroupOptions>['useFactory'];
  useClass?: Type<UserGroupOptionsFactory>;
  useExisting?: Type<UserGroupOptionsFactory>;
}

requireKnownFeatures(features);
requireConsistent([
  partsOfService(),
  ...features.map((feature) =>
    partsOfFeature(feature, controllersIn(feature.modules ?? []), feature.mounted),
  ),
]);

const services = features.flatMap(({ services: own = [] }) => own);

/** Makes the services injectable everywhere: in plugins, and in the application. */
@Global()
@Module({ imports: services, exports: services })
class ServicesModule {}

/** Routes of the process itself. */
interface ProcessRoutes {
  modules?: readonly Type[];
  /** Served without a controller. */
  mounted?: readonly MountedRoute[];
}

/**
 * Returns the modules of a user group service for a configuration.
 * @param config provides the `Config`, to every module
 * @param process the routes of the process that no feature has
 * @throws OperatorError if plugins are incompatible, a handler of one does not declare its access, or one has a part of
 *   the name of another
 */
export function compose(
  config: DynamicModule,
  {
    http = {},
    ports = [],
    plugins = [],
    imports,
  }: UserGroupStructure & Pick<ModuleMetadata, 'imports'>,
  process: ProcessRoutes = {},
): NonNullable<ModuleMetadata['imports']> {
  const { guards, decorators = [] } = http || {};
  if (!plugins.every((plugin) => plugin instanceof Plugin)) {
    throw new OperatorError('Each of the plugins must be made by definePlugin.');
  }
  const pluginModules = modulesOfPlugins(plugins);
  // Checked also without routes of the service: Nest routes the controllers of any module.
  requireAccessOf(controllersIn(pluginModules));
  for (const controller of controllersOf({ http, plugins })) {
    for (const decorate of [...decorators, SetMetadata(VERSION_METADATA, VERSION_NEUTRAL)]) {
      decorate(controller);
    }
  }
  const ownModules = http ? modulesOfRoutes(http) : [];
  requirePluginsFit(plugins, http ? chooseFeatures(http) : [], process);
  const modules = [...ownModules, ...plugins.flatMap(({ definition }) => definition.modules ?? [])];
  const routed = [...ownModules, ...pluginModules];
  const path = http ? prefixOf(http) : '';
  return [
    config,
    SettingsModule.with(plugins),
    PortsModule.with(
      [
        ...plugins.map((plugin) => ({
          extension: plugin.title,
          ports: plugin.definition.ports ?? [],
        })),
        { extension: 'application', ports },
      ],
      imports,
    ),
    DatabaseModule,
    TypeOrmModule.forFeature(entities, USER_GROUP_DATA_SOURCE),
    ChangeLogModule,
    AccessModule.with(guards),
    ServicesModule,
    servedModule({ http, plugins }),
    ...plugins.map((plugin) => PluginModule.with(plugin)),
    ...modules,
    ...(path === ''
      ? []
      : [RouterModule.register(routed.map((module) => ({ path, module: classOf(module) })))]),
  ];
}

/** The routes of features that are not served are free. @throws OperatorError naming the plugin, and the part */
function requirePluginsFit(
  plugins: readonly Plugin[],
  served: readonly FeatureDefinition[],
  { modules = [], mounted = [] }: ProcessRoutes,
): void {
  if (plugins.length === 0) return;
  const extensions = [...features, ...plugins.map(({ definition }) => definition)];
  const listed = extensions.flatMap(({ scopes = [] }) => scopes);
  const declared = plugins.map((plugin) => {
    const controllers = controllersIn(modulesOfPlugins([plugin]));
    requireListedScopes(plugin, controllers, listed);
    return partsOfPlugin(plugin, controllers);
  });
  requireConsistent([
    partsOfService(controllersIn(modules), mounted),
    ...features.map((feature) =>
      served.includes(feature)
        ? partsOfFeature(feature, controllersIn(feature.modules ?? []), feature.mounted)
        : partsOfFeature(feature, []),
    ),
    ...declared,
  ]);
}

@Module({})
class ServedModule {}

/** Provides what is served, and what is not. */
function servedModule(structure: UserGroupStructure): DynamicModule {
  const served = structure.http === false ? [] : chooseFeatures(structure.http ?? {});
  const used = scopesNamedIn(controllersOf(structure));
  const unused = scopesNamedIn(controllersIn(modulesOfRoutes({}))).filter(
    (scope) => !used.includes(scope),
  );
  const useValue = new ServedFeatures(new Set(served.map(({ name }) => name)), new Set(unused));
  return {
    module: ServedModule,
    global: true,
    providers: [{ provide: ServedFeatures, useValue }],
    exports: [ServedFeatures],
  };
}

/** Returns the controllers of the features and of the plugins, with those of imported modules. */
export function controllersOf({ http = {}, plugins = [] }: UserGroupStructure): Type[] {
  if (!http) return [];
  return controllersIn([...modulesOfRoutes(http), ...modulesOfPlugins(plugins)]);
}

/** @throws OperatorError for an unknown feature, and for one that needs another one */
function modulesOfRoutes(choice: FeatureChoice): AnyModule[] {
  return chooseFeatures(choice).flatMap(({ modules = [] }) => modules);
}

/** Returns nothing, or a path that begins with a slash. */
export function prefixOf({ prefix = '' }: UserGroupRoutes): string {
  return prefix.replace(/^\/*(?=.)/, '/').replace(/\/+$/, '');
}
