import {
  type CanActivate,
  type DynamicModule,
  type FactoryProvider,
  Global,
  Module,
  type ModuleMetadata,
  type Type,
} from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { RouterModule } from '@nestjs/core';
import { AccessModule } from './api-token/access.module.ts';
import { ApiTokenModule } from './api-token/api-token.module.ts';
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
  for (const controller of controllersOf({ http, plugins })) {
    for (const decorate of decorators) decorate(controller);
  }
  const ownModules = http ? modulesOfRoutes(http) : [];
  const modules = [...ownModules, ...plugins.flatMap(({ definition }) => definition.modules ?? [])];
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
      : [RouterModule.register(modules.map((module) => ({ path, module: classOf(module) })))]),
  ];
}

/**
 * The controllers of a structure: those of its features, and those that its plugins' modules have themselves.
 */
export function controllersOf({ http = {}, plugins = [] }: UserGroupStructure): Type[] {
  if (!http) return [];
  const modules = plugins.flatMap(({ definition }) => definition.modules ?? []);
  return [...modulesOfRoutes(http), ...modules].flatMap((module) => [
    ...('controllers' in module ? (module.controllers ?? []) : []),
    ...((Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, classOf(module)) ?? []) as Type[]),
  ]);
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
