import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import type { Express, Request } from 'express';
import type { CommandDefinition } from './command.ts';
import type { ErrorSpec } from '../problem/problem.ts';
import type { OpenApiParts } from './openapi-parts.ts';
import { type PluginDefinition, requireParts } from './plugin.ts';

/** A command of a feature. */
export interface FeatureCommand extends CommandDefinition {
  /** Whether it is there without the routes of its feature, as the services are. */
  stays?: true;
}

/**
 * Manifest of a feature of the service: parts of that of a plugin, and those that only the service itself has.
 */
export interface FeatureDefinition<Name extends string = string> extends Omit<
  PluginDefinition,
  'name' | 'compatibility' | 'migrations' | 'ports' | 'commands' | 'actions'
> {
  name: Name;
  /** One sentence for the reference. */
  about: string;
  /** Its part of the one list of the service, which is in the order of the numbers at the end of their names. */
  migrations?: PluginDefinition['migrations'];
  /** Features without which it does not work; a start that leaves one of them out fails. */
  needs?: readonly string[];
  /** Other features whose services it uses; they are there in any case. It may import these and those that it needs. */
  uses?: readonly string[];
  /** The reason for which `FEATURES` cannot leave it out; of a feature above the core that has no routes. */
  always?: string;
  /** The property of its settings, and of `UserGroupRoutes`, that switches it on; `FEATURES` does not name it. */
  switchedBy?: 'console';
  /** Actions of its entries in the audit log; those that change nothing are no events. */
  actions?: Readonly<Record<'changing' | 'unchanging', readonly string[]>>;
  /** The module of its errors, by their names. */
  problems?: Readonly<Record<string, { spec: ErrorSpec }>>;
  /** Nest modules that are there whatever the routes; what they export can be injected everywhere. */
  services?: readonly Type[];
  /** Loads its parts of the OpenAPI document. */
  openapi?: () => Promise<OpenApiParts>;
  /** The rights of a role that only serves on each of its tables, such as `SELECT, INSERT`. */
  rights?: Readonly<Record<string, string>>;
  commands?: readonly FeatureCommand[];
  /** Values that its settings have in commands, while processes of the service do its work. */
  settingsOfCommands?: Readonly<Record<string, unknown>>;
  /**
   * Adds to an application what is no route of Nest, once its modules are there.
   * @param prefix the prefix of the service's paths, such as `/internal`
   */
  mount?: (modules: Pick<ModuleRef, 'get'>, express: Express, prefix: string) => Mounted;
  /** The routes that `mount` adds, without the prefix, and those whose requests its steps lead elsewhere. */
  mounted?: readonly MountedRoute[];
  /** The path of its page for people, such as `/console`, which a start logs. */
  page?: `/${string}`;
}

/** A route without a controller, such as `GET /docs`. */
export type MountedRoute = `${'GET' | 'ALL'} /${string}`;

/** The parts that a feature has added to an application. */
interface Mounted {
  /** Run in each request before any route. */
  steps: readonly ((request: Request) => void)[];
  /** The path of a page that `/` may lead to, relative to it. */
  home?: string | undefined;
}

/** The features whose routes the process serves. */
export class ServedFeatures {
  /** @param unusedScopes the scopes that only routes of other features ask for */
  constructor(
    private readonly names: ReadonlySet<string>,
    readonly unusedScopes: ReadonlySet<string>,
  ) {}

  has(name: string): boolean {
    return this.names.has(name);
  }

  list(): string[] {
    return [...this.names];
  }
}

const PARTS: Record<keyof FeatureDefinition, true> = {
  name: true,
  about: true,
  needs: true,
  uses: true,
  always: true,
  switchedBy: true,
  scopes: true,
  actions: true,
  problems: true,
  modules: true,
  services: true,
  openapi: true,
  entities: true,
  migrations: true,
  rights: true,
  settings: true,
  metrics: true,
  commands: true,
  settingsOfCommands: true,
  mount: true,
  mounted: true,
  page: true,
};

/**
 * Defines a feature of the service; `npm run docs` lists it in `src/server/app/declared`.
 * @throws OperatorError if its name or one of its members is invalid
 */
export function defineFeature<Name extends string>(
  definition: FeatureDefinition<Name>,
): FeatureDefinition<Name> {
  requireParts(`feature ${definition.name}`, definition, PARTS);
  return definition;
}
