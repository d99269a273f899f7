import { type Command, InvalidArgumentError } from 'commander';
import { checkedDto } from '../../../platform/common/json/to-dto.ts';
import { toWireTime } from '../../../platform/common/time.ts';
import { EndTokensRequest } from '../../../features/revocation/dto/end-tokens.dto.ts';
import { EndTokensService } from '../../../features/revocation/end-tokens.service.ts';
import { UpdateWorkspaceRequest } from '../../../features/registry/settings/dto/workspace.dto.ts';
import { WorkspaceSettingsService } from '../../../features/registry/settings/workspace-settings.service.ts';
import {
  type ListedWorkspace,
  WorkspaceService,
} from '../../../core/workspace/workspace.service.ts';
import { printDone, type Printing, printList, printOne } from '../output.ts';
import { type GivenJson, parseJson, parseList, toBody, toCell } from '../resource-command.ts';
import { ofFeature } from '../of-feature.ts';
import { subcommandOf } from '../subcommand.ts';
import { withServices, withWorkspace } from '../with-services.ts';

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

interface Ending extends Printing {
  kinds: string;
  reason: string;
  before?: string;
  dryRun?: true;
}

export function defineWorkspace(workspace: Command): void {
  subcommandOf(workspace, 'create', 'create a workspace', 'acme')
    .argument('<name>', 'the name of the workspace')
    .action((name: string, options: Printing) =>
      withServices(async (app) => {
        const { id, publicId } = await app.get(WorkspaceService).create(name);
        const response = { success: 1, workspace: { id: publicId, number: id, name } };
        if (options.output === 'table') printDone(options, `Workspace ${id} is created.`, response);
        else printOne(options, response, 'workspace');
      }, true),
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
    .argument('[name]', 'whose settings', 'default')
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
    .argument('[name]', 'whose settings', 'default')
    .option('--mapping-policy <policy>', '"open" or "registered"')
    .option(
      '--variables <json>',
      'such as [{"name":"region","type":"string","required":true}]; [] for none',
      parseJson,
    )
    .option('--required-schemas <list>', 'provided ids such as sales,stock; "" for none')
    .option(
      '--embed-token-issuer <issuer>',
      'what its embed tokens name as their issuer, or "default"',
    )
    .option('--embed-token-audiences <list>', 'whom embed tokens may be for; "" for anybody')
    .option(
      '--view-as <setting>',
      '"allowed" or "forbidden": embed tokens for somebody who acts for a group',
    )
    .option(
      '--user-group-quota <number>',
      'how many user groups it may have, or "none" for any number',
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

  const endTokens = subcommandOf(
    workspace,
    'end-tokens',
    'end all tokens issued before a moment; GET or PUT of a group issues a fresh one',
    'acme --kinds user_group_token --reason leaked',
  );
  ofFeature('revocation', endTokens)
    .argument('[name]', 'whose tokens', 'default')
    .requiredOption('--kinds <list>', 'user_group_token, embed_token, or both')
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--before <time>', 'a moment in RFC 3339; now if not given')
    .option('--dry-run', 'say how many tokens would end, and end none')
    .action((name: string, { kinds, reason, before, dryRun, ...options }: Ending) =>
      withWorkspace(name, async (app, caller) => {
        const body = checkedDto(
          EndTokensRequest,
          toBody({ kinds: parseList(kinds), reason, before, dry_run: dryRun }),
        );
        printOne(options, await app.get(EndTokensService).end(caller, body), 'ended_tokens');
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
