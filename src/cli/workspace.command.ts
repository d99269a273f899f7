import { type Command, InvalidArgumentError } from 'commander';
import { type Caller, operator } from '../common/caller.ts';
import { checkedDto } from '../common/json/to-dto.ts';
import { toWireTime } from '../common/time.ts';
import {
  UpdateWorkspaceDto,
  type WorkspaceAnswer,
} from '../registry/settings/dto/workspace.dto.ts';
import { WorkspaceSettingsService } from '../registry/settings/workspace-settings.service.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import { printTable } from './print-table.ts';
import { withServices } from './with-services.ts';

type Quota = number | 'none';

interface Settings {
  workspace: string;
  mappingPolicy?: string;
  requiredProperties?: string;
  requiredSchemas?: string;
  embedTokenIssuer?: string;
  embedTokenAudiences?: string;
}

/** Defines `workspace create`, `quota`, `list`, `show` and `set`. */
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
      withServices(async (app) => {
        const { id } = await app.get(WorkspaceService).getByName(name);
        const wanted = quota === 'none' ? null : quota;
        await app.get(WorkspaceSettingsService).setUserGroupQuota(operator(id), wanted);
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
            toWireTime(createdAt).replace(/\.\d+Z$/, 'Z'),
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
    .action(({ workspace: name }: Settings) =>
      withSettings(name, (settings, caller) => settings.get(caller)),
    );

  workspace
    .command('set')
    .description('change the settings of a workspace; what is not given stays')
    .option('--workspace <name>', 'whose settings', 'default')
    .option('--mapping-policy <policy>', '"open" or "registered"')
    .option('--required-properties <list>', 'such as region:string,seats:number; "" for none')
    .option('--required-schemas <list>', 'provided ids such as sales,stock; "" for none')
    .option(
      '--embed-token-issuer <issuer>',
      'what its embed tokens name as their issuer, or "default"',
    )
    .option('--embed-token-audiences <list>', 'whom embed tokens may be for; "" for anybody')
    .action((options: Settings) =>
      withSettings(options.workspace, (settings, caller) =>
        settings.update(caller, checkedDto(UpdateWorkspaceDto, toWire(options))),
      ),
    );
}

function withSettings(
  name: string,
  work: (settings: WorkspaceSettingsService, caller: Caller) => Promise<WorkspaceAnswer>,
): Promise<void> {
  return withServices(async (app) => {
    const { id } = await app.get(WorkspaceService).getByName(name);
    const { workspace } = await work(app.get(WorkspaceSettingsService), operator(id));
    console.log(JSON.stringify(workspace, null, 2));
  });
}

/** Builds the body of the API call; options that are not given are absent. */
function toWire(options: Settings): object {
  const { mappingPolicy, requiredProperties, embedTokenIssuer } = options;
  const fields = {
    mapping_policy: mappingPolicy,
    required_properties: parseList(requiredProperties)?.map((entry) => {
      const [, name, type] = /^(.*):(\w+)$/.exec(entry) ?? [];
      return { name: name ?? entry, type };
    }),
    required_schemas: parseList(options.requiredSchemas),
    embed_token_issuer: embedTokenIssuer === 'default' ? null : embedTokenIssuer,
    embed_token_audiences: parseList(options.embedTokenAudiences),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function parseList(list: string | undefined): string[] | undefined {
  return list === '' ? [] : list?.split(',').map((entry) => entry.trim());
}

function parseQuota(text: string): Quota {
  if (text === 'none') return text;
  if (!/^(0|[1-9]\d{0,8})$/.test(text)) {
    throw new InvalidArgumentError('Use a number up to 999999999, or "none".');
  }
  return Number(text);
}
