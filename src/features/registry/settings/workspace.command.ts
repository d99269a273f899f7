import { type Command, InvalidArgumentError } from 'commander';
import type { CommandServices } from '../../../platform/common/extension/command.ts';
import { checkedDto } from '../../../platform/common/json/to-dto.ts';
import { toWireTime } from '../../../platform/common/time.ts';
import { UpdateWorkspaceRequest } from './dto/workspace.dto.ts';
import { WorkspaceSettingsService } from './workspace-settings.service.ts';
import {
  type ListedWorkspace,
  WorkspaceService,
} from '../../../core/workspace/workspace.service.ts';
import {
  printDone,
  type Printing,
  printList,
  printOne,
} from '../../../platform/command-line/output.ts';
import {
  type GivenJson,
  parseJson,
  parseList,
  toBody,
  toCell,
} from '../../../platform/command-line/resource-command.ts';
import { subcommandOf } from '../../../platform/command-line/subcommand.ts';

type Quota = number | 'none';

interface Settings extends Printing {
  mappingPolicy?: string;
  variables?: GivenJson;
  requiredSchemas?: string;
  embedTokenIssuer?: string;
  embedTokenAudiences?: string;
  viewAs?: string;
  userGroupQuota?: Quota;
}

export function defineWorkspace(
  workspace: Command,
  { withServices, withWorkspace }: CommandServices,
): void {
  subcommandOf(workspace, 'create', 'create a workspace', 'acme')
    .argument('<name>', 'the name of the workspace')
    .action((name: string, options: Printing) =>
      withServices(
        async (app) => {
          const { id, publicId } = await app.get(WorkspaceService).create(name);
          const response = { success: 1, workspace: { id: publicId, number: id, name } };
          if (options.output === 'table') {
            printDone(options, `Workspace ${id} is created.`, response);
          } else printOne(options, response, 'workspace');
        },
        { mayMake: true },
      ),
    );

  subcommandOf(workspace, 'list', 'list the workspaces').action((options: Printing) =>
    withServices(async (app) => {
      const workspaces = (await app.get(WorkspaceService).list()).map(toView);
      printList<ReturnType<typeof toView>>(
        options,
        { success: 1, workspaces, has_more: false },
        'workspaces',
        {
          NUMBER: ({ number }) => number,
          NAME: ({ name }) => name,
          CREATED: ({ created_at }) => toCell(created_at),
          ID: ({ id }) => id,
          QUOTA: ({ user_group_quota }) => user_group_quota ?? 'none',
          'USER GROUPS': ({ user_group_count }) => user_group_count ?? 'not counted',
        },
      );
    }),
  );

  subcommandOf(workspace, 'show', 'show the settings of a workspace', 'acme')
    .argument('[name]', 'name of the workspace', 'default')
    .action((name: string, options: Printing) =>
      withWorkspace(name, async (app, caller) => {
        printOne(options, await app.get(WorkspaceSettingsService).get(caller), 'workspace');
      }),
    );

  subcommandOf(
    workspace,
    'update',
    'change the settings of a workspace; what is not given stays',
    'acme --user-group-quota 500',
  )
    .argument('[name]', 'name of the workspace', 'default')
    .option('--mapping-policy <policy>', '"open" or "registered"')
    .option(
      '--variables <json>',
      'such as [{"name":"region","type":"string","required":true}]; [] for none',
      parseJson,
    )
    .option('--required-schemas <list>', 'provided ids such as sales,stock; "" for none')
    .option('--embed-token-issuer <issuer>', 'issuer of its embed tokens, or "default"')
    .option('--embed-token-audiences <list>', 'audiences that embed tokens may have; "" for any')
    .option(
      '--view-as <setting>',
      '"allowed" or "forbidden": embed tokens for somebody who acts for a group',
    )
    .option(
      '--user-group-quota <number>',
      'maximum number of user groups, or "none" for no limit',
      parseQuota,
    )
    .action((name: string, options: Settings) =>
      withWorkspace(name, async (app, caller) => {
        const settings = app.get(WorkspaceSettingsService);
        // Can be refused, unlike the quota, and so comes first.
        const response = await settings.update(
          caller,
          checkedDto(UpdateWorkspaceRequest, toWire(options)),
        );
        if (options.userGroupQuota !== undefined) {
          const quota = options.userGroupQuota === 'none' ? null : options.userGroupQuota;
          await settings.setUserGroupQuota(caller, quota);
          response.workspace.user_group_quota = quota;
        }
        printOne(options, response, 'workspace');
      }),
    );
}

function toView({
  id,
  name,
  publicId,
  createdAt,
  userGroupQuota,
  userGroupCount,
}: ListedWorkspace) {
  return {
    id: publicId,
    number: id,
    name,
    created_at: toWireTime(createdAt),
    user_group_quota: userGroupQuota,
    user_group_count: userGroupCount,
  };
}

function toWire(options: Settings): object {
  const { mappingPolicy, variables, embedTokenIssuer } = options;
  return toBody({
    mapping_policy: mappingPolicy,
    variables: variables?.value,
    required_schemas: listOf(options.requiredSchemas),
    embed_token_issuer: embedTokenIssuer === 'default' ? null : embedTokenIssuer,
    embed_token_audiences: listOf(options.embedTokenAudiences),
    view_as: options.viewAs,
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
