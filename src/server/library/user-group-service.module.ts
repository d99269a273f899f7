import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Injectable,
  Module,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import type { Express } from 'express';
import { ApiTokenBootstrap } from '../../core/api-token/provisioning/api-token.bootstrap.ts';
import { requireHostVersions } from './host-versions.ts';
import { HostRoutes } from './host-routes.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import {
  compose,
  controllersOf,
  prefixOf,
  type UserGroupAsyncOptions,
  type UserGroupOptionsFactory,
  type UserGroupRoutes,
  type UserGroupStructure,
} from '../app/composition.ts';
import { Config } from '../../platform/config/config.ts';
import { ConfigModule } from '../../platform/config/config.module.ts';
import type { UserGroupOptions } from '../app/declared/options.ts';
import { configOf } from '../app/options.ts';
import { chooseFeatures } from '../app/features.ts';
import { prepareDatabase } from '../../platform/database/schema/migrate.ts';
import { EncryptionCount } from '../../core/encryption-key/encryption-count.ts';
import { KeyCheck } from '../../features/key-administration/key-check.ts';

const ROUTES = Symbol('routes of user groups');

type HostedStructure = UserGroupStructure & { http: UserGroupRoutes };

/** Makes the routes behave as in the service. */
@Injectable()
class RoutesMount implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: Config,
    private readonly modules: ModuleRef,
    private readonly application: ApplicationConfig,
    @Inject(ROUTES) private readonly routes: HostedStructure,
  ) {}

  /** Runs when the routes are registered. An application context has none. @throws OperatorError */
  onModuleInit(): void {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- an application context has no adapter
    const type = this.host.httpAdapter?.getType() as string | undefined;
    if (!type) return;
    if (type !== 'express') {
      throw new OperatorError(
        `The routes of user groups are made for @nestjs/platform-express, and the application is on ${type}; "http: false" leaves them out.`,
      );
    }
    const controllers = controllersOf(this.routes);
    const express = this.host.httpAdapter.getInstance<Express>();
    const prefix = this.mountedAt(express, controllers);
    const { bodyLimit } = this.config;
    const steps = chooseFeatures(this.routes.http).flatMap(
      ({ mount }) => mount?.(this.modules, express, prefix).steps ?? [],
    );
    HostRoutes.mount(express, { controllers, prefix, bodyLimit, steps });
  }

  /** A global prefix of the application precedes the module's own, unless it is excluded. @throws OperatorError */
  private mountedAt(express: Express, controllers: readonly Type[]): string {
    const own = prefixOf(this.routes.http);
    const global = prefixOf({ prefix: this.application.getGlobalPrefix() });
    return HostRoutes.findPrefix(express, controllers, [global + own, own]);
  }
}

/** Runs before the services can be used; an application that fails here does not start. */
const STARTED: Provider = {
  provide: Symbol('user groups have started'),
  inject: [KeyCheck, EncryptionCount, ApiTokenBootstrap, Config],
  useFactory: async (
    keys: KeyCheck,
    encryptions: EncryptionCount,
    apiTokens: ApiTokenBootstrap,
    { bootstrapApiToken }: Config,
  ) => {
    await keys.requireEveryKey();
    await encryptions.read();
    if (bootstrapApiToken !== undefined) await apiTokens.run();
  },
};

/**
 * The user group service inside of another application: its routes, its services, which can be injected everywhere, and
 * a database connection of its own under the name `USER_GROUP_DATA_SOURCE`. It binds no guard, filter or pipe for the
 * whole application, listens to no signal, and reads no environment. The structure is synchronous, and the options can
 * be made asynchronously.
 */
@Module({})
export class UserGroupServiceModule {
  /** @throws ConfigError for invalid options, when the application is created */
  static forRoot({
    http,
    ports,
    plugins,
    ...values
  }: UserGroupOptions & UserGroupStructure): DynamicModule {
    return hosted({ useFactory: () => values }, { http, ports, plugins });
  }

  /** @throws OperatorError unless exactly one way to make the options is given; ConfigError like `forRoot` */
  static forRootAsync(options: UserGroupAsyncOptions): DynamicModule {
    const { useClass, useExisting, useFactory, inject, imports = [], ...structure } = options;
    if ([useClass, useExisting, useFactory].filter(Boolean).length !== 1) {
      throw new OperatorError(
        'UserGroupServiceModule.forRootAsync needs exactly one of useFactory, useClass and useExisting.',
      );
    }
    const made = useFactory
      ? { inject, useFactory }
      : {
          inject: [(useClass ?? useExisting)!],
          useFactory: (factory: UserGroupOptionsFactory) => factory.createUserGroupOptions(),
        };
    return hosted(made, structure, imports, useClass ? [useClass] : []);
  }
}

function hosted(
  options: Pick<FactoryProvider<UserGroupOptions>, 'inject' | 'useFactory'>,
  structure: UserGroupStructure,
  imports: NonNullable<DynamicModule['imports']> = [],
  providers: Provider[] = [],
): DynamicModule {
  requireHostVersions();
  const { http = {} } = structure;
  const config = {
    inject: [ModulesContainer, ...(options.inject ?? [])],
    useFactory: async (modules: ModulesContainer, ...injected: unknown[]) => {
      requireOne(modules);
      const values = await options.useFactory(...(injected as never[]));
      return (await prepareDatabase(configOf(values, structure))).config;
    },
  };
  return {
    module: UserGroupServiceModule,
    imports: compose(ConfigModule.with(config, imports, providers), { ...structure, imports }),
    providers: [
      STARTED,
      ...(http ? [{ provide: ROUTES, useValue: { ...structure, http } }, RoutesMount] : []),
    ],
  };
}

/** Two modules would share the database of one of them. @throws OperatorError */
function requireOne(modules: ModulesContainer): void {
  const all = [...modules.values()].filter(({ metatype }) => metatype === UserGroupServiceModule);
  if (all.length > 1) {
    throw new OperatorError(
      'UserGroupServiceModule is imported twice with options; an application has one, whose services can be injected everywhere.',
    );
  }
}
