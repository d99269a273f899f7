import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { Scope } from '../access/scopes.ts';
import { OperatorError } from '../problem/operator-error.ts';
import type { CommandDefinition } from './command.ts';
import type { PortProvider } from './ports.ts';
import { isInRange, serviceVersion } from '../version.ts';
import type { Metric } from './metric.ts';

/** The parts of a plugin; all but its name and compatibility are optional. */
export interface PluginDefinition {
  /** Lower-case letters, digits and hyphens. Names of its tables begin with it and an underscore. */
  name: string;
  /** The compatible versions of the service, such as `^0.1.0`; any other version refuses to start with the plugin. */
  compatibility: string;
  /** Nest modules with controllers; each handler must declare its access. */
  modules?: readonly (Type | DynamicModule)[];
  /** The results of `declareScope` that its handlers require, without those of another plugin. */
  scopes?: readonly Scope[];
  /** The results of `declareAction` that it records. */
  actions?: readonly string[];
  /** Entities on the service's own connection, `USER_GROUP_DATA_SOURCE`; their repositories can be injected. */
  entities?: readonly Type[];
  /** Run after the service's migrations, in the order of the numbers at the end of their names. */
  migrations?: readonly Type<MigrationInterface>[];
  /** A class whose properties are read `FromEnv`; its instance can be injected. */
  settings?: Type<object>;
  /** Replacements of standard implementations. */
  ports?: readonly PortProvider[];
  /** Returns values to export as Prometheus metrics. */
  metrics?: (app: INestApplicationContext) => readonly Metric[];
  commands?: readonly CommandDefinition[];
}

const PARTS: Record<keyof PluginDefinition, true> = {
  name: true,
  compatibility: true,
  modules: true,
  scopes: true,
  actions: true,
  entities: true,
  migrations: true,
  settings: true,
  ports: true,
  metrics: true,
  commands: true,
};

/**
 * Requires a name that tables and messages can have, and no member that nothing reads.
 * @param title such as `plugin seats`
 * @throws OperatorError naming the manifest, and the member
 */
export function requireParts(title: string, manifest: { name: string }, parts: object): void {
  if (!/^[a-z][a-z0-9-]{0,29}$/.test(manifest.name)) {
    throw new OperatorError(
      `The ${title} needs another name: a letter, then letters, digits and hyphens, all lower case, at most 30.`,
    );
  }
  const unknown = Object.keys(manifest).find((part) => !(part in parts));
  if (unknown !== undefined) {
    throw new OperatorError(
      `The ${title} has ${unknown}; it can have ${Object.keys(parts).join(', ')}.`,
    );
  }
}

/** Adds to the service without changing it; made by `definePlugin`. */
export class Plugin {
  /** Prefix of its tables and of their record of migrations. */
  readonly prefix: string;
  /** Name in messages, logs and metrics. */
  readonly title: string;

  /** @throws OperatorError if it does not fit this version, or its definition is invalid */
  constructor(readonly definition: Readonly<PluginDefinition>) {
    const { name } = definition;
    this.title = `plugin ${name}`;
    requireParts(this.title, definition, PARTS);
    this.requireCompatible();
    this.prefix = `${name.replaceAll('-', '_')}_`;
  }

  private requireCompatible(): void {
    const { name, compatibility } = this.definition;
    try {
      if (isInRange(serviceVersion, compatibility)) return;
    } catch {
      throw new OperatorError(
        `The plugin ${name} must declare its compatibility as a range such as ^${serviceVersion}.`,
      );
    }
    throw new OperatorError(
      `The plugin ${name} is made for version ${compatibility} of the service, and this is ${serviceVersion}.`,
    );
  }
}

/**
 * Defines a plugin: the default export of a module named in `PLUGINS`, or an element of `plugins` of
 * `UserGroupServiceModule.forRoot`.
 * @throws OperatorError if it does not fit this version, or its definition is invalid
 */
export function definePlugin(definition: PluginDefinition): Plugin {
  return new Plugin(definition);
}
