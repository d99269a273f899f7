import './common/early-signals';
import { Command } from 'commander';
import packageJson from '../package.json';
import { addAuditCommand } from './cli/audit.command';
import { addGroupCommand } from './cli/group.command';
import { addKeysCommand } from './cli/keys.command';
import { addMigrateDataCommand } from './cli/migrate-data.command';
import { addMigrationCommand } from './cli/migration.command';
import { addRegistryCommands } from './cli/registry.command';
import { addTokenCommand } from './cli/token.command';
import { configure } from './cli/with-services';
import { addWorkspaceCommand } from './cli/workspace.command';
import { exitWith } from './common/exit-with';
import { describeOpenApi } from './docs/openapi';

const program = new Command('user-group-service')
  .description('Administers the user group service; works beside a running server.')
  .version(packageJson.version);

addTokenCommand(program);
addWorkspaceCommand(program);
addRegistryCommands(program);
addGroupCommand(program);
addAuditCommand(program);
addKeysCommand(program);
addMigrationCommand(program);
addMigrateDataCommand(program);

program
  .command('config')
  .description('the environment')
  .command('check')
  .description('check the environment without touching the database')
  .action(() => {
    const { databaseUrl, dataDir } = configure();
    const database = databaseUrl === undefined ? `SQLite in ${dataDir}` : 'PostgreSQL';
    console.log(`The configuration is valid. Database: ${database}.`);
  });

program
  .command('openapi')
  .description('print the OpenAPI document; needs no database')
  .action(async () => {
    console.log(JSON.stringify(await describeOpenApi(), null, 2));
  });

// Whoever reads the output, `head` for one, may have read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

program.parseAsync().catch(exitWith);
