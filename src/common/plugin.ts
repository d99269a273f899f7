import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import type { Command } from 'commander';
import type { MigrationInterface } from 'typeorm';
import { OperatorError } from './operator-error.ts';
import type { PortProvider } from './ports.ts';
import { isInRange, serviceVersion } from './version.ts';
import type { Watched } from './watched.ts';

/** Runs `work` on the services of the installation, on a database that is migrated; then closes them. */
export type WithServices = (work: (app: INestApplicationContext) => Promise<void>) => Promise<void>;

/** A command of a plugin, beside those of the service. */
export interface PluginCommand {
  name: string;
  /** One line for the help. */
  about: string;
  /** Gives the command its options, subcommands and action. */
  define: (command: Command, withServices: WithServices) => void;
}

/** What a plugin adds; everything but its name and the versions that it fits is optional. */
export interface PluginDefinition {
  /** Lower-case letters, digits and hyphens. Its tables begin with it, and an underscore. */
  name: string;
  /** The versions of the service that it was made for, such as `^0.1.0`; any other refuses to start with it. */
  compatibility: string;
  /** With their controllers, each handler of which declares who may call it. */
  modules?: readonly (Type | DynamicModule)[];
  /** Entities on the service's own connection, `USER_GROUP_DATA_SOURCE`; their repositories can be injected. */
  entities?: readonly Type[];
  /** Run after those of the service, in the order of the numbers at the end of their names. */
  migrations?: readonly Type<MigrationInterface>[];
  /** A class whose properties are read `FromEnv`; its instance can be injected. */
  settings?: Type<object>;
  /** What takes the place of standard implementations. */
  ports?: readonly PortProvider[];
  /** Values to export as Prometheus metrics. */
  metrics?: (app: INestApplicationContext) => readonly Watched[];
  commands?: readonly PluginCommand[];
}

/** Adds to the service without changing it; made by `definePlugin`. */
export class Plugin {
  /** What its tables begin with, and their record of migrations. */
  readonly prefix: string;
  /** Its name in messages, in the log and in metrics. */
  readonly title: string;

  /** @throws OperatorError if it cannot be used with this version, or says something impossible */
  constructor(readonly definition: Readonly<PluginDefinition>) {
    const { name } = definition;
    if (!/^[a-z][a-z0-9-]{0,29}$/.test(name)) {
      throw new OperatorError(
        `The plugin ${name} needs another name: a letter, then letters, digits and hyphens, all lower case, at most 30.`,
      );
    }
    this.requireCompatible();
    this.title = `plugin ${name}`;
    this.prefix = `${name.replaceAll('-', '_')}_`;
  }

  private requireCompatible(): void {
    const { name, compatibility } = this.definition;
    try {
      if (isInRange(serviceVersion, compatibility)) return;
    } catch {
      throw new OperatorError(
        `The plugin ${name} must say its compatibility as a range such as ^${serviceVersion}.`,
      );
    }
    throw new OperatorError(
      `The plugin ${name} is made for version ${compatibility} of the service, and this is ${serviceVersion}.`,
    );
  }
}

/**
 * Defines what a module named in `PLUGINS` exports as its default, or what `UserGroupModule.forRoot` takes
 * as one of its `plugins`.
 * @throws OperatorError if it cannot be used with this version, or says something impossible
 */
export function definePlugin(definition: PluginDefinition): Plugin {
  return new Plugin(definition);
}
