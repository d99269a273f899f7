import { Command } from 'commander';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import type { Plugin } from '../../platform/common/extension/plugin.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { redactTokens } from '../../platform/common/secret/secrets.ts';
import { serviceVersion } from '../../platform/common/version.ts';
// Has the scopes that CONSOLE_OIDC_GRANTS may name.
import '../app/catalogues.ts';
import { configure } from '../../platform/command-line/configure.ts';
import { loadConfig } from '../../platform/config/load-config.ts';
import { PROGRAM } from '../../platform/command-line/subcommand.ts';
import { exitCodes } from './exit-code.ts';
import { listCommands, type ListedCommand } from './list-commands.ts';

interface Entry {
  /** Such as `plugin seats`. */
  owner: string;
  name: string;
  about: string;
  /** Whether the help leaves it out. */
  hidden?: boolean;
  /** Loads and defines the rest of the command. */
  define: (command: Command) => Promise<void>;
}

const DEFINE_LIMIT_MS = 30_000;

/** The commands that administer the installation as a whole. */
const own: Record<string, { about: string; load: () => Promise<(command: Command) => void> }> = {
  migration: {
    about: 'run, show and undo the migrations of the database',
    load: async () => (await import('./commands/migration.command.ts')).defineMigration,
  },
  'migrate-data': {
    about: 'copy everything from the embedded database into the empty PostgreSQL of DATABASE_URL',
    load: async () => (await import('./commands/migrate-data.command.ts')).defineMigrateData,
  },
  config: {
    about: 'check the configuration',
    load: async () => (await import('./commands/config.command.ts')).defineConfig,
  },
  openapi: {
    about: 'print the OpenAPI document; needs no database',
    load: async () => (await import('./commands/openapi.command.ts')).defineOpenApi,
  },
};

/** Loads the application when a command begins its work. */
const services: CommandServices = {
  withServices: async (...given) => (await import('./with-services.ts')).withServices(...given),
  withWorkspace: async (...given) => (await import('./with-services.ts')).withWorkspace(...given),
  workspaceNames: async (app) => (await import('./with-services.ts')).workspaceNames(app),
};

/**
 * The program with the commands of the features, of the service and of plugins. Only those for which `isWanted` are
 * defined in full, which loads the application.
 * @throws OperatorError if a plugin has a command that cannot be added, or `FEATURES` cannot be read
 */
export async function createProgram(
  isWanted: (name: string) => boolean,
  plugins: readonly Plugin[] = [],
): Promise<Command> {
  const program = new Command(PROGRAM)
    .description(
      'Administers the user group service on its database; works while the service runs.',
    )
    .version(serviceVersion)
    .addHelpText('after', `\nExit codes:\n${exitCodeLines().join('\n')}`)
    // Every subcommand inherits both.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.usage[0]))
    .configureOutput({
      // The message names the faulty argument, which may be a misplaced token.
      outputError: (text, write) => {
        write(redactTokens(text));
      },
    });
  /** Has the owner of each command, such as `plugin seats`. */
  const owners = new Map<string, string>();
  const { features } = loadConfig({ FEATURES: process.env['FEATURES'] });
  const ofFeatures = (await listCommands()).map((command) => ofFeature(command, features));
  for (const { owner, name, about, hidden, define } of [
    ...ofFeatures,
    ...Object.entries(own).map(ofService),
    ...plugins.flatMap(ofPlugin),
  ]) {
    const path = name.split(' ');
    const last = path.pop()!;
    const isNamed = isWanted(path[0] ?? last);
    // A command that is not wanted has no subcommands.
    if (path.length > 0 && !isNamed) continue;
    const parent = path.reduce<Command | undefined>(childOf, program);
    if (!parent) {
      throw new OperatorError(
        `The command ${name} of the ${owner} is below one that is not there.`,
      );
    }
    const other = last === 'help' ? 'program' : owners.get(name);
    if (other !== undefined) {
      throw new OperatorError(
        `The ${owner} cannot have the command ${name}: the ${other} has it already. Choose another name.`,
      );
    }
    owners.set(name, owner);
    const command = parent.command(last, { hidden }).description(about);
    if (isNamed) await define(command);
  }
  return program;
}

function childOf(parent: Command | undefined, name: string): Command | undefined {
  return parent?.commands.find((command) => command.name() === name);
}

/** The help leaves out what `FEATURES` does; called by its name it says so. */
function ofFeature(
  { name, about, feature, names }: ListedCommand,
  given: readonly string[],
): Entry {
  return {
    owner: `feature ${feature}`,
    name,
    about,
    hidden: names && !given.some((one) => names.includes(one)),
    define: async (command) => {
      const { featureCommands } = await import('../app/features.ts');
      await featureCommands.find((one) => one.name === name)!.define(command, services);
      if (names) refuseWithout(feature, command);
    },
  };
}

/** Refuses the command, and those below it, where `FEATURES` leaves out its feature. */
function refuseWithout(feature: string, command: Command): void {
  command.hook('preAction', async () => {
    const config = await configure({ needsKeys: false });
    const { chooseFeatures, servedChoice } = await import('../app/features.ts');
    if (chooseFeatures(servedChoice(config)).some(({ name }) => name === feature)) return;
    throw new OperatorError(
      `The command ${command.name()} belongs to the feature ${feature}, which FEATURES leaves out.`,
    );
  });
}

function ofService([name, { about, load }]: [string, (typeof own)[string]]): Entry {
  return {
    owner: 'service',
    name,
    about,
    define: async (command) => {
      (await load())(command);
    },
  };
}

/** A command that cannot be defined leaves the others usable. */
function ofPlugin({ definition, title }: Plugin): Entry[] {
  return (definition.commands ?? []).map(({ name, about, define }) => ({
    owner: title,
    name,
    about,
    define: async (command) => {
      const { ANYTHING, Extensions } =
        await import('../../platform/common/extension/extensions.ts');
      await new Extensions()
        .named(title)
        .within(`the command ${name}`, DEFINE_LIMIT_MS, () => define(command, services), ANYTHING);
    },
  }));
}

function exitCodeLines(): string[] {
  return Object.values(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`);
}
