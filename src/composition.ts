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
import { MODULE_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { RouterModule } from '@nestjs/core';
import { AccessModule } from './api-token/access.module.ts';
import { ApiTokenModule } from './api-token/api-token.module.ts';
import { requireAccessOf } from './common/handler-access.ts';
import { OperatorError } from './common/operator-error.ts';
import type { Plugin } from './common/plugin.ts';
import { type PortProvider, PortsModule } from './common/ports.ts';
import type { UserGroupOptions } from './config/options.ts';
import { ConsoleModule } from './console/console.module.ts';
import { DatabaseModule } from './database/database.module.ts';
import { EncryptionKeyModule } from './encryption-key/encryption-key.module.ts';
import { EventCoreModule } from './event/event-core.module.ts';
import { type Feature, modulesOf } from './features.ts';
import { PluginModule } from './plugin.module.ts';
import { IntrospectionCoreModule } from './introspection/introspection-core.module.ts';
import { UserGroupCoreModule } from './user-group/user-group-core.module.ts';
import { WorkspaceModule } from './workspace/workspace.module.ts';

/** Which routes an application has, and where. */
export interface UserGroupRoutes {
  /** What stands before each path, such as `internal`: `/internal/api/user`. None by default. */
  prefix?: string;
  /** The parts of the interface that are served; all by default. */
  features?: readonly Feature[];
  /** Whether the console for operators is served below `console/`; it asks every feature for something. Off by default. */
  console?: boolean;
  /** Guards of the application's own that each call passes first; they cannot take the place of the API token. */
  guards?: readonly Type<CanActivate>[];
  /** Put on each controller, such as one that excepts it from a guard for the whole application. */
  decorators?: readonly ClassDecorator[];
}

/** The structure of a user group service inside of another application, known before anything is created. */
export interface UserGroupStructure {
  /** False for no routes at all: its services alone. */
  http?: false | UserGroupRoutes;
  /** The application's own implementations of ports: `{ provide: RateLimitStore, useClass: MyStore }`. */
  ports?: readonly PortProvider[];
  /** Plugins of the service that the application takes in, too. */
  plugins?: readonly Plugin[];
}

/** Makes the values of a user group service. */
export interface UserGroupOptionsFactory {
  /** Called once, at the start. */
  createUserGroupOptions(): UserGroupOptions | Promise<UserGroupOptions>;
}

/** As other modules of Nest have it: one of `useFactory`, `useClass` and `useExisting` makes the values. */
export interface UserGroupAsyncOptions extends UserGroupStructure {
  /** The modules of what is injected, and of what the ports need. */
  imports?: ModuleMetadata['imports'];
  inject?: FactoryProvider['inject'];
  /** Called once, at the start, with what is injected. */
  useFactory?: FactoryProvider<UserGroupOptions>['useFactory'];
  useClass?: Type<UserGroupOptionsFactory>;
  useExisting?: Type<UserGroupOptionsFactory>;
}

/** What offers services, whatever routes there are. */
const serviceModules = [
  ApiTokenModule,
  EncryptionKeyModule,
  EventCoreModule,
  IntrospectionCoreModule,
  UserGroupCoreModule,
  WorkspaceModule,
];

/** Lets the services be injected everywhere: in plugins, and in the application that has taken them in. */
@Global()
@Module({ imports: serviceModules, exports: serviceModules })
class ServicesModule {}

/**
 * The modules of a user group service on a configuration.
 * @param config provides the `Config`, to every module
 * @throws OperatorError if plugins cannot go together, or a handler of one does not declare who may call it
 */
export function compose(
  config: DynamicModule,
  {
    http = {},
    ports = [],
    plugins = [],
    imports,
  }: UserGroupStructure & Pick<ModuleMetadata, 'imports'>,
): NonNullable<ModuleMetadata['imports']> {
  const { guards, decorators = [] } = http || {};
  const pluginModules = modulesOfPlugins(plugins);
  // Also without routes of the service: Nest routes what is in a module.
  requireAccessOf(controllersIn(pluginModules));
  for (const controller of controllersOf({ http, plugins })) {
    for (const decorate of [...decorators, SetMetadata(VERSION_METADATA, VERSION_NEUTRAL)]) {
      decorate(controller);
    }
  }
  const ownModules = http ? modulesOfRoutes(http) : [];
  const modules = [...ownModules, ...plugins.flatMap(({ definition }) => definition.modules ?? [])];
  const routed = [...ownModules, ...pluginModules];
  const path = http ? prefixOf(http) : '';
  return [
    config,
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
    AccessModule.with(guards),
    ServicesModule,
    ...plugins.map((plugin) => PluginModule.with(plugin)),
    ...modules,
    ...(path === ''
      ? []
      : [RouterModule.register(routed.map((module) => ({ path, module: classOf(module) })))]),
  ];
}

/** The controllers of a structure: those of its features, and those of its plugins, of whatever module they import, too. */
export function controllersOf({ http = {}, plugins = [] }: UserGroupStructure): Type[] {
  if (!http) return [];
  return controllersIn([...modulesOfRoutes(http), ...modulesOfPlugins(plugins)]);
}

function controllersIn(modules: readonly AnyModule[]): Type[] {
  return modules.flatMap((module) => [
    ...('controllers' in module ? (module.controllers ?? []) : []),
    ...metadataOf<Type>(module, MODULE_METADATA.CONTROLLERS),
  ]);
}

type AnyModule = Type | DynamicModule;

/** The modules of plugins, and those that they import. @throws OperatorError for one that is there later */
function modulesOfPlugins(plugins: readonly Plugin[]): AnyModule[] {
  const found = new Set<AnyModule>();
  const add = (module: ImportedModule, title: string): void => {
    if (module instanceof Promise) {
      throw new OperatorError(
        `The ${title} imports a module by a promise, so that its routes are not known at the start; await it before.`,
      );
    }
    const known = 'forwardRef' in module ? (module as Forward).forwardRef() : module;
    if (found.has(known)) return;
    found.add(known);
    const own = 'imports' in known ? (known.imports ?? []) : [];
    for (const one of [...own, ...metadataOf<ImportedModule>(known, MODULE_METADATA.IMPORTS)]) {
      add(one, title);
    }
  };
  for (const { definition, title } of plugins) {
    for (const module of definition.modules ?? []) add(module, title);
  }
  return [...found];
}

interface Forward {
  forwardRef: () => AnyModule;
}

type ImportedModule = NonNullable<ModuleMetadata['imports']>[number];

function metadataOf<T>(module: AnyModule, key: string): T[] {
  return (Reflect.getMetadata(key, classOf(module)) ?? []) as T[];
}

function modulesOfRoutes({ features, console }: UserGroupRoutes): Type[] {
  return [...modulesOf(features), ...(console === true ? [ConsoleModule] : [])];
}

function classOf(module: Type | DynamicModule): Type {
  return 'module' in module ? module.module : module;
}

/** What stands before each path: nothing, or a path that begins with a slash. */
export function prefixOf({ prefix = '' }: UserGroupRoutes): string {
  return prefix.replace(/^\/*(?=.)/, '/').replace(/\/+$/, '');
}
