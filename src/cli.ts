import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command, InvalidArgumentError } from 'commander';
import packageJson from '../package.json';
import { ApiTokenService } from './api-token/api-token.service';
import { AppModule } from './app.module';
import { type Scope, scopes } from './common/caller';
import { exitWith } from './common/exit-with';
import { createLog, NestLog } from './common/log';
import type { Config } from './config/config';
import { loadConfig, loadDotEnv } from './config/load-config';
import { listMigrations, prepareDatabase, revertMigration } from './database/migrate';
import { describeOpenApi } from './docs/openapi';
import { WorkspaceService } from './workspace/workspace.service';

/** What a host application needs on `/api/user`. */
const HOST_SCOPES: Scope[] = ['user-groups:read', 'user-groups:write', 'tokens:rotate'];

const program = new Command('user-group-service')
  .description('Administers the user group service; works beside a running server.')
  .version(packageJson.version);

const token = program.command('token').description('API tokens');

token
  .command('create')
  .description('issue an API token and print it; it cannot be shown again')
  .requiredOption('--name <name>', 'what the token is for')
  .option('--scopes <list>', `"all", or a list of ${scopes.join(', ')}`, parseScopes, HOST_SCOPES)
  .option('--expires <time>', 'end of its life, such as 2030-12-31T00:00:00Z', parseTime)
  .option('--workspace <name>', 'whose token it is', 'default')
  .action((options: { name: string; scopes: Scope[]; expires?: number; workspace: string }) =>
    withServices(async (app) => {
      const { id: workspaceId } = await app.get(WorkspaceService).getByName(options.workspace);
      const { name, scopes, expires: expiresAt } = options;
      const issued = await app.get(ApiTokenService).issue({ workspaceId, name, scopes, expiresAt });
      console.error(`API token ${issued.id} of the workspace "${options.workspace}":`);
      console.log(issued.token);
    }),
  );

token
  .command('list')
  .description('list the API tokens of a workspace')
  .option('--workspace <name>', 'whose tokens', 'default')
  .action((options: { workspace: string }) =>
    withServices(async (app) => {
      const workspace = await app.get(WorkspaceService).getByName(options.workspace);
      const tokens = await app.get(ApiTokenService).list(workspace.id);
      printTable(
        ['ID', 'NAME', 'ENDS IN', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES', 'REVOKED'],
        tokens.map((row) => [
          row.id,
          row.name,
          row.lastFour,
          row.scopes.replaceAll(' ', ','),
          ...[row.createdAt, row.lastUsedAt, row.expiresAt, row.revokedAt].map(formatTime),
        ]),
      );
    }),
  );

token
  .command('revoke')
  .description('end an API token; every replica refuses it within a second')
  .argument('<id>', 'see "token list"', parseId)
  .option('--workspace <name>', 'whose token it is', 'default')
  .action((id: number, options: { workspace: string }) =>
    withServices(async (app) => {
      const workspace = await app.get(WorkspaceService).getByName(options.workspace);
      await app.get(ApiTokenService).revoke(workspace.id, id);
      console.error(`API token ${id} is revoked.`);
    }),
  );

const workspace = program.command('workspace').description('tenants');

workspace
  .command('create')
  .description('create a workspace')
  .argument('<name>')
  .action((name: string) =>
    withServices(async (app) => {
      const { id } = await app.get(WorkspaceService).create(name);
      console.error(`Workspace ${id} is created.`);
    }),
  );

workspace
  .command('list')
  .description('list the workspaces')
  .action(() =>
    withServices(async (app) => {
      const rows = await app.get(WorkspaceService).list();
      printTable(
        ['ID', 'NAME', 'CREATED'],
        rows.map(({ id, name, createdAt }) => [id, name, formatTime(createdAt)]),
      );
    }),
  );

const migration = program.command('migration').description('the database schema');

migration
  .command('run')
  .description('run the pending migrations; the server does so at its start')
  .action(() => prepareDatabase(configure()));

migration
  .command('revert')
  .description('undo the latest migration, with the data its tables hold')
  .action(() => revertMigration(configure()));

migration
  .command('show')
  .description('list the migrations')
  .action(async () => {
    const rows = await listMigrations(configure());
    printTable(
      ['MIGRATION', 'APPLIED'],
      rows.map(({ name, applied }) => [name, applied ? 'yes' : 'no']),
    );
  });

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

function configure(): Config {
  loadDotEnv();
  return loadConfig(process.env);
}

/** Runs `work` on the services of the application, on a database that is ready. */
async function withServices(work: (app: INestApplicationContext) => Promise<void>): Promise<void> {
  const config = configure();
  await prepareDatabase(config);
  const log = createLog({ ...config, logLevel: 'warn' }, 2);
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    abortOnError: false,
    logger: new NestLog(log),
  });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

function parseScopes(list: string): Scope[] {
  return list === 'all' ? [...scopes] : (list.split(',').map((scope) => scope.trim()) as Scope[]);
}

function parseTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new InvalidArgumentError('Use a time such as 2030-12-31T00:00:00Z.');
  return time;
}

function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Use the number of a token.');
  return Number(text);
}

function formatTime(time: number | null): string {
  return time === null ? '-' : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

function printTable(head: string[], rows: (string | number)[][]): void {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  }
}

program.parseAsync().catch(exitWith);
