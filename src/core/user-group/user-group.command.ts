import type { Command } from 'commander';
import { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import type { CountedQueryDto } from '../../platform/common/http/parameters/total.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { PreconditionFailed } from '../../platform/common/problem/errors.ts';
import { OperatorRefusal } from '../../platform/common/problem/operator-error.ts';
import type { UserGroupWithTokenResponse } from './group/dto/user-group-response.dto.ts';
import { UserGroupInput } from './group/dto/user-group.dto.ts';
import { UserGroupQueryDto } from './resource/dto/user-group-query.dto.ts';
import type { UserGroupResource } from './resource/dto/user-group-resource-response.dto.ts';
import {
  ReplaceUserGroupRequest,
  UpdateUserGroupRequest,
} from './resource/dto/user-group-resource.dto.ts';
import { UserGroupList } from './resource/user-group-list.ts';
import { UserGroupResourceService } from './resource/user-group-resource.service.ts';
import { RotateUserGroupTokenByIdRequest } from './rotation/dto/grace.dto.ts';
import { UserGroupTokenService } from './rotation/user-group-token.service.ts';
import {
  givenParameters,
  type Limited,
  limitOption,
  parameterOptions,
} from '../../platform/command-line/list-query.ts';
import { printDone, type Printing, printPart } from '../../platform/command-line/output.ts';
import type { Columns } from '../../platform/command-line/print-table.ts';
import { readPages } from '../../platform/command-line/read-pages.ts';
import {
  type GivenJson,
  parseJson,
  parseSeconds,
  resourceCommand,
  toBody,
  toCell,
} from '../../platform/command-line/resource-command.ts';

type Filter = Exclude<keyof UserGroupQueryDto, keyof CountedQueryDto>;

const filters: Record<Filter, string> = {
  search: 'only with this text in the id, the name or a property',
  name_prefix: 'only with a name that begins like this',
  property_name: 'only with a property of this name',
  property_value: 'only with this value of that property, such as 25, true or EMEA',
  status:
    'only of this status: active, suspended, expired, incomplete, no_valid_token or unresolved',
  valid_until_after: 'only if it ends after this time, such as 2030-06-30T22:00:00Z',
  valid_until_before: 'only if it ends before this time',
  in_overlap:
    'true: only with an old token that is still valid after a rotation; false: only without one',
  sort: 'such as name, -created_at or status; "-" reverses the order',
};

const columns: Columns<UserGroupResource> = {
  'TEAM ID': ({ team_id }) => team_id,
  'PROVIDED ID': ({ provided_id }) => provided_id,
  NAME: ({ name }) => name,
  STATUS: ({ status }) => status,
  CREATED: ({ created_at }) => toCell(created_at),
  CHANGED: ({ updated_at }) => toCell(updated_at),
};

interface Content {
  name?: string;
  mapping?: GivenJson;
  properties?: GivenJson;
  validUntil?: string;
}

const KEYS = { rightKeys: true };
const UNCONDITIONAL = new Preconditions(undefined, undefined);
const ONLY_NEW = new Preconditions(undefined, '*');

export function defineGroup(group: Command, services: CommandServices): void {
  const { subcommand, about, run, runToOne, issued } = resourceCommand(group, services, {
    noun: 'group',
    service: UserGroupResourceService,
    one: 'user_group',
    many: 'user_groups',
    columns,
    id: { about: 'your own id of the group', example: 'acme-emea', parse: String },
  });
  const printIssued = (options: Printing, response: UserGroupWithTokenResponse) => {
    const { provided_id, team_id, token } = response.user_group;
    issued(
      options,
      response,
      `Token of the user group "${provided_id}" (team_id ${team_id}):`,
      token,
    );
  };

  limitOption(
    parameterOptions(
      subcommand('list', 'list user groups', '--search acme --status suspended'),
      filters,
    ),
  )
    .option('--cursor <cursor>', 'cursor that the previous list printed')
    .action(
      run<Limited & { cursor?: string }>(async ({ app, caller, options }) => {
        const query = givenParameters(options, filters);
        const read = async (page: object) => {
          const { text } = await app
            .get(UserGroupList)
            .list(caller, checkedDto(UserGroupQueryDto, { ...query, ...page }));
          return JSON.parse(text) as { has_more: boolean; next_cursor?: string };
        };
        printPart(
          options,
          await readPages('user_groups', options.limit, read, options.cursor),
          'user_groups',
          columns,
        );
      }),
    );

  about('show', 'show a user group, without its token').action(
    runToOne(async ({ service, caller, id }) => (await service.get(caller, id)).body),
  );

  withContent(
    about(
      'create',
      'create a user group and print its token',
      "--name 'Acme EMEA' --mapping '{\"sales\":42}'",
    ),
  )
    .requiredOption('--name <name>', 'its name')
    .action(
      run<Content>(async ({ app, service, caller, options, id }) => {
        const { user_group_id } = checkedDto(UserGroupInput, { user_group_id: id });
        const dto = checkedDto(ReplaceUserGroupRequest, toWire(options));
        await service.replace(caller, user_group_id, dto, ONLY_NEW).catch((error: unknown) => {
          if (!(error instanceof PreconditionFailed)) throw error;
          throw new OperatorRefusal('The workspace has a user group of this id already.');
        });
        printIssued(options, await app.get(UserGroupTokenService).getCurrent(caller, id));
      }, KEYS),
    );

  withContent(
    about(
      'update',
      'change a user group; what is not given stays',
      '--properties \'{"seats":40,"trial":null}\'',
    ),
  )
    .option('--name <name>', 'its name')
    .action(
      runToOne<Content>(async ({ service, caller, options, id }) => {
        const dto = checkedDto(UpdateUserGroupRequest, toWire(options));
        return (await service.patch(caller, id, dto, UNCONDITIONAL)).body;
      }, KEYS),
    );

  for (const [name, description] of [
    ['suspend', 'end the tokens of a user group until it is resumed'],
    ['resume', 'make the current token of a suspended user group valid again'],
  ] as const) {
    about(name, description).action(
      runToOne(({ service, caller, id }) => service[name](caller, id), KEYS),
    );
  }

  about('delete', 'delete a user group with its tokens for good').action(
    run(async ({ service, caller, options, id }) => {
      const response = await service.delete(caller, id, UNCONDITIONAL);
      printDone(options, `The user group "${id}" is deleted.`, response);
    }, KEYS),
  );

  about(
    'rotate',
    'issue a token in the place of the current one and print it',
    '--grace-period-seconds 300',
  )
    .option(
      '--grace-period-seconds <seconds>',
      'seconds for which the old token can be introspected',
      parseSeconds,
    )
    .action(
      run<{ gracePeriodSeconds?: number }>(async ({ app, caller, options, id }) => {
        const body = toBody({ grace_period_seconds: options.gracePeriodSeconds });
        const dto = checkedDto(RotateUserGroupTokenByIdRequest, body);
        printIssued(options, await app.get(UserGroupTokenService).rotateByGroup(caller, id, dto));
      }, KEYS),
    );
}

function withContent(command: Command): Command {
  return command
    .option('--mapping <json>', 'data source of each schema, such as {"sales":42}', parseJson)
    .option('--properties <json>', 'variables for dashboards, such as {"region":"EMEA"}', parseJson)
    .option(
      '--valid-until <time>',
      'when its tokens end, such as 2030-06-30T22:00:00Z; "null" for never',
    );
}

function toWire({ name, mapping, properties, validUntil }: Content): object {
  const valid_until = validUntil === 'null' ? null : validUntil;
  return toBody({ name, mapping: mapping?.value, properties: properties?.value, valid_until });
}
