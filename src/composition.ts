import type {
  CanActivate,
  DynamicModule,
  FactoryProvider,
  ModuleMetadata,
  Type,
} from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { AccessModule } from './api-token/access.module.ts';
import { ApiTokenModule } from './api-token/api-token.module.ts';
import { type PortProvider, PortsModule } from './common/ports.ts';
import type { UserGroupOptions } from './config/options.ts';
import { DatabaseModule } from './database/database.module.ts';
import { EncryptionKeyModule } from './encryption-key/encryption-key.module.ts';
import { EventCoreModule } from './event/event-core.module.ts';
import { controllersOf, type Feature, features as allFeatures, modulesOf } from './features.ts';
import { IntrospectionCoreModule } from './introspection/introspection-core.module.ts';
import { UserGroupCoreModule } from './user-group/user-group-core.module.ts';
import { WorkspaceModule } from './workspace/workspace.module.ts';

/** Which routes an application has, and where. */
export interface UserGroupRoutes {
  /** What stands before each path, such as `internal`: `/internal/api/user`. None by default. */
  prefix?: string;
  /** The parts of the interface that are served; all by default. */
  features?: readonly Feature[];
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
}

/** Makes the values of a user group service. */
export interface UserGroupOptionsFactory {
  createUserGroupOptions(): UserGroupOptions | Promise<UserGroupOptions>;
}

/** As other modules of Nest have it: one of `useFactory`, `useClass` and `useExisting` makes the values. */
export interface UserGroupAsyncOptions extends UserGroupStructure {
  /** The modules of what is injected, and of what the ports need. */
  imports?: ModuleMetadata['imports'];
  inject?: FactoryProvider['inject'];
  useFactory?: FactoryProvider<UserGroupOptions>['useFactory'];
  useClass?: Type<UserGroupOptionsFactory>;
  useExisting?: Type<UserGroupOptionsFactory>;
}

/** The modules that offer services, whatever routes there are. */
export const serviceModules = [
  ApiTokenModule,
  EncryptionKeyModule,
  EventCoreModule,
  IntrospectionCoreModule,
  UserGroupCoreModule,
  WorkspaceModule,
];

/**
 * The modules of a user group service on a configuration.
 * @param config provides the `Config`, to every module
 */
export function compose(
  config: DynamicModule,
  { http = {}, ports, imports }: UserGroupStructure & Pick<ModuleMetadata, 'imports'>,
): NonNullable<ModuleMetadata['imports']> {
  const { features = allFeatures, guards, decorators = [] } = http || { features: [] };
  const modules = modulesOf(features);
  for (const controller of controllersOf(modules)) {
    for (const decorate of decorators) decorate(controller);
  }
  const path = http ? prefixOf(http) : '';
  return [
    config,
    PortsModule.with(ports, imports),
    DatabaseModule,
    AccessModule.with(guards),
    ...serviceModules,
    ...modules,
    ...(path === '' ? [] : [RouterModule.register(modules.map((module) => ({ path, module })))]),
  ];
}

/** What stands before each path: nothing, or a path that begins with a slash. */
export function prefixOf({ prefix = '' }: UserGroupRoutes): string {
  return prefix.replace(/^\/*(?=.)/, '/').replace(/\/+$/, '');
}
