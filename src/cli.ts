import './common/early-signals.ts';
import { Command } from 'commander';
import { exitWith } from './common/problem/exit-with.ts';
import type { WithServices } from './common/extension/plugin.ts';
import { OperatorError } from './common/problem/operator-error.ts';
import { redactTokens } from './common/secret/secrets.ts';
import { serviceVersion } from './common/version.ts';
import { loadDotEnv } from './config/load-config.ts';
import { loadPlugins } from './config/load-plugins.ts';

interface Entry {
  name: string;
  about: string;
  /** Loads the definition of the rest of the command: usually the whole application. */
  load: () => Promise<(command: Command) => void>;
}

const entries: Entry[] = [
  {
    name: 'token',
    about: 'API tokens',
    load: async () => (await import('./cli/commands/token.command.ts')).defineToken,
  },
  {
    name: 'workspace',
    about: 'tenants',
    load: async () => (await import('./cli/commands/workspace.command.ts')).defineWorkspace,
  },
  {
    name: 'schema',
    about: 'the schemas that mappings refer to',
    load: async () => (await import('./cli/commands/registry.command.ts')).defineSchema,
  },
  {
    name: 'data-source',
    about: 'the data sources that mappings refer to',
    load: async () => (await import('./cli/commands/registry.command.ts')).defineDataSource,
  },
  {
    name: 'group',
    about: 'user groups, all of a workspace at once',
    load: async () => (await import('./cli/commands/group.command.ts')).defineGroup,
  },
  {
    name: 'webhook',
    about: 'endpoints that receive the events of a workspace',
    load: async () => (await import('./cli/commands/webhook.command.ts')).defineWebhook,
  },
  {
    name: 'audit',
    about: 'the audit log',
    load: async () => (await import('./cli/commands/audit.command.ts')).defineAudit,
  },
  {
    name: 'keys',
    about: 'the keys that encrypt user-group tokens at rest',
    load: async () => (await import('./cli/commands/keys.command.ts')).defineKeys,
  },
  {
    name: 'migration',
    about: 'the database schema',
    load: async () => (await import('./cli/commands/migration.command.ts')).defineMigration,
  },
  {
    name: 'migrate-data',
    about: 'copy everything from the embedded database into the empty PostgreSQL of DATABASE_URL',
    load: async () => (await import('./cli/commands/migrate-data.command.ts')).defineMigrateData,
  },
  {
    name: 'config',
    about: 'the environment',
    load: async () => (await import('./cli/commands/config.command.ts')).defineConfig,
  },
  {
    name: 'openapi',
    about: 'print the OpenAPI document; needs no database',
    load: async () => (await import('./cli/commands/openapi.command.ts')).defineOpenApi,
  },
];

async function main(): Promise<void> {
  const program = new Command('user-group-service')
    .description('Administers the user group service; works beside a running server.')
    .version(serviceVersion)
    // The message names the faulty argument, which may be a misplaced token.
    .configureOutput({
      outputError: (text, write) => {
        write(redactTokens(text));
      },
    });
  for (const { name, about, load } of entries) {
    const command = program.command(name).description(about);
    // A name anywhere, as in "help token", excludes all other commands.
    if (process.argv.includes(name)) (await load())(command);
  }
  await addCommandsOfPlugins(program);
  await program.parseAsync();
}

async function addCommandsOfPlugins(program: Command): Promise<void> {
  loadDotEnv();
  for (const { definition, title } of await loadPlugins(process.env)) {
    for (const { name, about, define } of definition.commands ?? []) {
      const taken = program.commands.some((command) => command.name() === name);
      if (taken || name === 'help') {
        throw new OperatorError(`The command ${name} of the ${title} exists already.`);
      }
      const command = program.command(name).description(about);
      // A command that cannot be loaded leaves the others usable.
      if (!process.argv.includes(name)) continue;
      const { ANYTHING, Extensions } = await import('./common/extension/extensions.ts');
      const withServices: WithServices = async (work) => {
        await (await import('./cli/with-services.ts')).withServices(work);
      };
      const run = () => {
        define(command, withServices);
      };
      new Extensions().named(title).now(`the command ${name}`, run, ANYTHING);
    }
  }
}

// The reader of the output, such as `head`, may have closed it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

let isDone = false;
// The event loop is empty, but the command still waits.
process.once('beforeExit', () => {
  if (!isDone) exitWith(new OperatorError('The command has stopped before its end.'));
});
main().then(() => (isDone = true), exitWith);
