import type { Command } from 'commander';
import { toWireTime } from '../common/time';
import { WorkspaceService } from '../workspace/workspace.service';
import { printTable } from './print-table';
import { withServices } from './with-services';

/** Adds `workspace create` and `workspace list`. */
export function addWorkspaceCommand(program: Command): void {
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
          ['ID', 'NAME', 'CREATED', 'PUBLIC ID'],
          rows.map(({ id, name, publicId, createdAt }) => [
            id,
            name,
            toWireTime(createdAt).replace(/\.\d+Z$/, 'Z'),
            publicId,
          ]),
        );
      }),
    );
}
