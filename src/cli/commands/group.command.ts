import type { INestApplicationContext } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';
import type { Caller } from '../../common/access/caller.ts';
import { Preconditions } from '../../common/http/parameters/preconditions.ts';
import type { CountedQueryDto } from '../../common/http/parameters/total.ts';
import { parseStrictJson } from '../../common/json/strict-json.ts';
import { checkedDto } from '../../common/json/to-dto.ts';
import { PreconditionFailed, ServiceError } from '../../common/problem/errors.ts';
import { OperatorRefusal } from '../../common/problem/operator-error.ts';
import type { UserGroupWithTokenResponse } from '../../user-group/group/dto/user-group-response.dto.ts';
import { UserGroupInput } from '../../user-group/group/dto/user-group.dto.ts';
import { UserGroupQueryDto } from '../../user-group/resource/dto/user-group-query.dto.ts';
import type { UserGroupResource } from '../../user-group/resource/dto/user-group-resource-response.dto.ts';
import {
  ReplaceUserGroupRequest,
  UpdateUserGroupRequest,
} from '../../user-group/resource/dto/user-group-resource.dto.ts';
import { UserGroupList } from '../../user-group/resource/user-group-list.ts';
import { UserGroupResourceService } from '../../user-group/resource/user-group-resource.service.ts';
import { RotateUserGroupTokenByIdRequest } from '../../user-group/rotation/dto/grace.dto.ts';
import { UserGroupTokenService } from '../../user-group/rotation/user-group-token.service.ts';
import { givenParameters, type Limited, limitOption, parameterOptions } from '../list-query.ts';
import { outputOption, printDone, type Printing, printOne, printPart, printSecret } from '../output.ts';
import type { Columns } from '../print-table.ts';
import { readPages } from '../read-pages.ts';
import { parseSeconds, toBody, toCell } from '../resource-command.ts';
import { subcommandOf, withWorkspaceOption } from '../subcommand.ts';
import { withKeys, withWorkspace } from '../with-services.ts';
import { defineBulk } from './group-bulk.command.ts';

type Filter = Exclude<keyof UserGroupQueryDto, keyof CountedQueryDto>;

const filters: Record<Filter, string> = {
  search: 'only with this text in the id, the name or a property',
  name_prefix: 'only with a name that begins like this',
  property_name: 'only with a property of this name',
  property_value: 'only with this value of that property, such as 25, true or EMEA',
  suspended: '"true": only suspended groups; "false": only others',
  resolvable: '"true": only groups whose whole mapping is registered; "false": only others',
  sort: 'such as name or -created_at; "-" reverses the order',
};

const columns: Columns<UserGroupResource> = {
  'TEAM ID': ({ team_id }) => team_id,
  'PROVIDED ID': ({ provided_id }) => provided_id,
  NAME: ({ name }) => name,
  STATE: ({ suspended_at }) => (suspended_at === null ? 'active' : 'suspended'),
  CREATED: ({ created_at }) => toCell(created_at),
  CHANGED: ({ updated_at }) => toCell(updated_at),
};

interface OwnOptions extends Printing {
  workspace: string;
}

interface Content {
  name?: string;
  mapping?: GivenJson;
  properties?: GivenJson;
}

/** A JSON text that was given; null alone would count as no value of the option. */
interface GivenJson {
  value: unknown;
}

interface Given<Options> {
  app: INestApplicationContext;
  resources: UserGroupResourceService;
  caller: Caller;
  options: Options & OwnOptions;
  /** The caller's own id of the group. */
  id: string;
}

const UNCONDITIONAL = new Preconditions(undefined, undefined);
const ONLY_NEW = new Preconditions(undefined, '*');

export function defineGroup(group: Command): void {
  const subcommand = (name: string, description: string, example = '') =>
    withWorkspaceOption(subcommandOf(group, name, description, example), 'group').addOption(outputOption());
  const about = (name: string, description: string, example = '') =>
    subcommand(name, description, `acme-emea ${example}`).argument('<id>', 'your own id of the group');

  limitOption(parameterOptions(subcommand('list', 'list user groups', '--search acme --suspended true'), filters))
    .option('--cursor <cursor>', 'where to go on, as the list before has said')
    .action((options: OwnOptions & Limited & { cursor?: string }) =>
      withWorkspace(options.workspace, async (app, caller) => {
        const query = givenParameters(options, filters);
        const groups = app.get(UserGroupList);
        const read = async (page: object) => {
          const { text } = await groups.list(caller, checkedDto(UserGroupQueryDto, { ...query, ...page }));
          return JSON.parse(text) as { has_more: boolean; next_cursor?: string };
        };
        printPart(options, await readPages('user_groups', options.limit, read, options.cursor), 'user_groups', columns);
      }),
    );

  about('show', 'show a user group, without its token').action(
    run(withWorkspace, async ({ resources, caller, options, id }) => {
      printOne(options, (await resources.get(caller, id)).answer, 'user_group');
    }),
  );

  withContent(
    about('create', 'create a user group and print its token', "--name 'Acme EMEA' --mapping '{\"sales\":42}'"),
  )
    .requiredOption('--name <name>', 'its name')
    .action(
      run<Content>(withKeys, async ({ app, resources, caller, options, id }) => {
        const { user_group_id } = checkedDto(UserGroupInput, { user_group_id: id });
        const dto = checkedDto(ReplaceUserGroupRequest, toWire(options));
        await resources.replace(caller, user_group_id, dto, ONLY_NEW).catch((error: unknown) => {
          if (!(error instanceof PreconditionFailed)) throw error;
          throw new OperatorRefusal('The workspace has a user group of this id already.');
        });
        printIssued(options, await app.get(UserGroupTokenService).getCurrent(caller, id));
      }),
    );

  withContent(
    about('update', 'change a user group; what is not given stays', '--properties \'{"seats":40,"trial":null}\''),
  )
    .option('--name <name>', 'its name')
    .action(
      run<Content>(withKeys, async ({ resources, caller, options, id }) => {
        const dto = checkedDto(UpdateUserGroupRequest, toWire(options));
        printOne(options, (await resources.patch(caller, id, dto, UNCONDITIONAL)).answer, 'user_group');
      }),
    );

  for (const [name, description] of [
    ['suspend', 'end the tokens of a user group until it is resumed'],
    ['resume', 'make the current token of a suspended user group valid again'],
  ] as const) {
    about(name, description).action(
      run(withKeys, async ({ resources, caller, options, id }) => {
        printOne(options, await resources[name](caller, id), 'user_group');
      }),
    );
  }

  about('delete', 'delete a user group with its tokens for good').action(
    run(withKeys, async ({ resources, caller, options, id }) => {
      const response = await resources.delete(caller, id, UNCONDITIONAL);
      printDone(options, `The user group "${id}" is deleted.`, response);
    }),
  );

  about('rotate', 'issue a token in the place of the current one and print it', '--grace-period-seconds 300')
    .option('--grace-period-seconds <seconds>', 'for how long the old one can be introspected', parseSeconds)
    .action(
      run<{ gracePeriodSeconds?: number }>(withKeys, async ({ app, caller, options, id }) => {
        const body = toBody({ grace_period_seconds: options.gracePeriodSeconds });
        const dto = checkedDto(RotateUserGroupTokenByIdRequest, body);
        printIssued(options, await app.get(UserGroupTokenService).rotateByGroup(caller, id, dto));
      }),
    );

  defineBulk(group);
}

function run<Options = object>(within: typeof withWorkspace, work: (given: Given<Options>) => Promise<void>) {
  return (...given: unknown[]): Promise<void> => {
    const [id, options] = given as [string, Options & OwnOptions];
    return within(options.workspace, (app, caller) =>
      work({ app, resources: app.get(UserGroupResourceService), caller, options, id }),
    );
  };
}

function withContent(command: Command): Command {
  return command
    .option('--mapping <json>', 'which data source each schema has, such as {"sales":42}', parseJson)
    .option('--properties <json>', 'variables for dashboards, such as {"region":"EMEA"}', parseJson);
}

function toWire({ name, mapping, properties }: Content): object {
  return toBody({ name, mapping: mapping?.value, properties: properties?.value });
}

function printIssued(options: Printing, response: UserGroupWithTokenResponse): void {
  const { provided_id, team_id, token } = response.user_group;
  printSecret(options, response, 'user_group', `Token of the user group "${provided_id}" (team_id ${team_id}):`, token);
}

/** Reads JSON as the API does. */
function parseJson(text: string): GivenJson {
  try {
    const { value, violations, lossyNumbers } = parseStrictJson(Buffer.from(text));
    const [violation] = [...violations, ...lossyNumbers];
    if (violation === undefined) return { value };
    throw new InvalidArgumentError(violation.detail);
  } catch (error) {
    throw error instanceof ServiceError ? new InvalidArgumentError(error.message.replace('body', 'value')) : error;
  }
}
