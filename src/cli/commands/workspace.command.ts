import { type Command, InvalidArgumentError } from 'commander';
import type { Caller } from '../../common/access/caller.ts';
import { checkedDto } from '../../common/json/to-dto.ts';
import { toWireTime } from '../../common/time.ts';
import { UpdateWorkspaceRequest, type WorkspaceResponse } from '../../registry/settings/dto/workspace.dto.ts';
import { WorkspaceSettingsService } from '../../registry/settings/workspace-settings.service.ts';
import { WorkspaceService } from '../../workspace/workspace.service.ts';
import { printTable, toTerminalJson } from '../print-table.ts';
import { parseList, toBody, toCell } from '../resource-command.ts';
import { withServices, withWorkspace } from '../with-services.ts';

type Quota = number | 'none';

interface Settings {
  workspace: string;
  mappingPolicy?: string;
  requiredProperties?: string;
  requiredSchemas?: string;
  embedTokenIssuer?: string;
  embedTokenAudiences?: string;
}

export function defineWorkspace(workspace: Command): void {
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
    .command('quota')
    .description('limit how many user groups a workspace may have')
    .argument('<name>')
    .argument('<number>', 'how many, or "none" for any number', parseQuota)
    .action((name: string, quota: Quota) =>
      withWorkspace(name, async (app, caller) => {
        const wanted = quota === 'none' ? null : quota;
        await app.get(WorkspaceSettingsService).setUserGroupQuota(caller, wanted);
        console.error(`The workspace may have ${wanted ?? 'any number of'} user groups.`);
      }),
    );

  workspace
    .command('list')
    .description('list the workspaces')
    .action(() =>
      withServices(async (app) => {
        const rows = await app.get(WorkspaceService).list();
        printTable(
          ['ID', 'NAME', 'CREATED', 'PUBLIC ID', 'QUOTA', 'USER GROUPS'],
          rows.map(({ id, name, publicId, createdAt, userGroupQuota, userGroupCount }) => [
            id,
            name,
            toCell(toWireTime(createdAt)),
            publicId,
            userGroupQuota ?? 'none',
            userGroupCount ?? 'not counted',
          ]),
        );
      }),
    );

  workspace
    .command('show')
    .description('show the settings of a workspace')
    .option('--workspace <name>', 'whose settings', 'default')
    .action(({ workspace: name }: Settings) => withSettings(name, (settings, caller) => settings.get(caller)));

  workspace
    .command('set')
    .description('change the settings of a workspace; what is not given stays')
    .option('--workspace <name>', 'whose settings', 'default')
    .option('--mapping-policy <policy>', '"open" or "registered"')
    .option('--required-properties <list>', 'such as region:string,seats:number; "" for none')
    .option('--required-schemas <list>', 'provided ids such as sales,stock; "" for none')
    .option('--embed-token-issuer <issuer>', 'what its embed tokens name as their issuer, or "default"')
    .option('--embed-token-audiences <list>', 'whom embed tokens may be for; "" for anybody')
    .action((options: Settings) =>
      withSettings(options.workspace, (settings, caller) =>
        settings.update(caller, checkedDto(UpdateWorkspaceRequest, toWire(options))),
      ),
    );
}

function withSettings(
  name: string,
  work: (settings: WorkspaceSettingsService, caller: Caller) => Promise<WorkspaceResponse>,
): Promise<void> {
  return withWorkspace(name, async (app, caller) => {
    const { workspace } = await work(app.get(WorkspaceSettingsService), caller);
    console.log(toTerminalJson(workspace, 2));
  });
}

function toWire(options: Settings): object {
  const { mappingPolicy, requiredProperties, embedTokenIssuer } = options;
  return toBody({
    mapping_policy: mappingPolicy,
    required_properties: listOf(requiredProperties)?.map((entry) => {
      const [, name, type] = /^(.*):(\w+)$/.exec(entry) ?? [];
      return { name: name ?? entry, type };
    }),
    required_schemas: listOf(options.requiredSchemas),
    embed_token_issuer: embedTokenIssuer === 'default' ? null : embedTokenIssuer,
    embed_token_audiences: listOf(options.embedTokenAudiences),
  });
}

function listOf(list: string | undefined): string[] | undefined {
  return list ? parseList(list) : list === '' ? [] : undefined;
}

function parseQuota(text: string): Quota {
  if (text === 'none') return text;
  if (!/^(0|[1-9]\d{0,8})$/.test(text)) {
    throw new InvalidArgumentError('Use a number up to 999999999, or "none".');
  }
  return Number(text);
}
