import { Command } from 'commander';
import type { Feature } from '../app/features.ts';
import { redactTokens } from '../../platform/common/secret/secrets.ts';
import { serviceVersion } from '../../platform/common/version.ts';
import { exitCodes } from './exit-code.ts';
import { ofFeature } from './of-feature.ts';
import { PROGRAM } from './subcommand.ts';

interface Entry {
  about: string;
  /** The feature without which there is nothing to do for it. */
  feature?: Feature;
  /** Loads the definition of the rest of the command: usually the whole application. */
  load: () => Promise<(command: Command) => void>;
}

const entries: Record<string, Entry> = {
  token: {
    about: 'administer the API tokens of a workspace',
    load: async () => (await import('./commands/token.command.ts')).defineToken,
  },
  workspace: {
    about: 'administer workspaces, which are the tenants of the service',
    load: async () => (await import('./commands/workspace.command.ts')).defineWorkspace,
  },
  schema: {
    about: 'administer the schemas that mappings refer to',
    feature: 'registry',
    load: async () => (await import('./commands/registry.command.ts')).defineSchema,
  },
  'data-source': {
    about: 'administer the data sources that mappings refer to',
    feature: 'registry',
    load: async () => (await import('./commands/registry.command.ts')).defineDataSource,
  },
  group: {
    about: 'administer, import and export the user groups of a workspace',
    load: async () => (await import('./commands/group.command.ts')).defineGroup,
  },
  introspect: {
    about: 'show what a token means, as the renderer of a dashboard learns it',
    feature: 'introspection',
    load: async () => (await import('./commands/introspect.command.ts')).defineIntrospect,
  },
  inspect: {
    about: 'explain what a token is, and why it is not accepted',
    feature: 'inspection',
    load: async () => (await import('./commands/introspect.command.ts')).defineInspect,
  },
  events: {
    about: 'list or follow the changes of a workspace, oldest first',
    feature: 'events',
    load: async () => (await import('./commands/events.command.ts')).defineEvents,
  },
  webhook: {
    about: 'administer the endpoints that receive the events of a workspace',
    feature: 'webhooks',
    load: async () => (await import('./commands/webhook.command.ts')).defineWebhook,
  },
  audit: {
    about: 'read the audit log',
    feature: 'audit-events',
    load: async () => (await import('./commands/audit.command.ts')).defineAudit,
  },
  keys: {
    about: 'administer the keys that encrypt user-group tokens at rest',
    load: async () => (await import('./commands/keys.command.ts')).defineKeys,
  },
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

/** The program with its commands. Only those for which `isWanted` are defined in full, which loads the application. */
export async function createProgram(isWanted: (name: string) => boolean): Promise<Command> {
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
  for (const [name, { about, feature, load }] of Object.entries(entries)) {
    const command = program.command(name).description(about);
    if (!isWanted(name)) continue;
    (await load())(command);
    if (feature) ofFeature(feature, command);
  }
  return program;
}

function exitCodeLines(): string[] {
  return Object.values(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`);
}
