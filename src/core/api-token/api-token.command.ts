import { type Command, InvalidArgumentError } from 'commander';
import type { ApiTokenView, ApiTokenWithSecretResponse } from './dto/api-token-response.dto.ts';
import { ApiTokenService } from './api-token.service.ts';
import {
  ApiTokenQueryDto,
  CreateApiTokenRequest,
  RotateApiTokenRequest,
  UpdateApiTokenRequest,
} from './dto/api-token.dto.ts';
import { type Scope, scopes } from '../../platform/common/access/caller.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import type { Printing } from '../../platform/command-line/output.ts';
import {
  numberIn,
  parseJson,
  parseList,
  parseSeconds,
  resourceCommand,
  toBody,
  toCell,
} from '../../platform/command-line/resource-command.ts';

/** The scopes that a host application needs on `/api/user`. */
const HOST_SCOPES: Scope[] = [
  'user-groups:read',
  'user-groups:write',
  'user-group-tokens:read',
  'tokens:rotate',
];

const scopesHelp = () => `"all", or a list of ${scopes.join(', ')}`;
const EXPIRES_HELP = 'end of its life, such as 2030-12-31T00:00:00Z';
const CIDRS_HELP =
  'addresses and CIDR ranges it may be used from, such as 10.0.0.0/8,2001:db8::/32';

const GROUPS_HELP =
  'user groups that it is for: their ids, such as acme,globex, or JSON, such as {"where":{"environment":"staging"}}';

interface Settings {
  name?: string;
  scopes?: string[];
  /** Or "never". */
  expiresAt?: string;
  /** Or "any". */
  allowedCidrs?: string;
  /** Or "all". */
  userGroups?: string;
}

export function defineToken(token: Command, services: CommandServices): void {
  const { subcommand, about, run, runToOne, issued, list, show, end } = resourceCommand(
    token,
    services,
    {
      noun: 'API token',
      service: ApiTokenService,
      one: 'api_token',
      many: 'api_tokens',
      columns: {
        ID: ({ id }: ApiTokenView) => id,
        NAME: ({ name }) => name,
        'LAST 4': ({ last_four }) => last_four,
        STATE: ({ state }) => state,
        SCOPES: (one) =>
          scopes.every((scope) => one.scopes.includes(scope)) ? 'all' : one.scopes.join(),
        EXPIRES: ({ expires_at }) => toCell(expires_at),
        'LAST USED': ({ last_used_at }) => toCell(last_used_at),
      },
      id: numberIn(token),
    },
  );
  const printIssued = (
    options: Printing & { workspace: string },
    response: ApiTokenWithSecretResponse,
  ) => {
    const { id, token: secret } = response.api_token;
    issued(options, response, `API token ${id} of the workspace "${options.workspace}":`, secret);
  };

  subcommand(
    'create',
    'issue an API token and print it; it cannot be shown again',
    '--name billing --scopes user-groups:read',
  )
    .requiredOption('--name <name>', 'purpose of the token')
    .option('--scopes <list>', scopesHelp(), parseScopes, HOST_SCOPES)
    .option('--expires-at <time>', EXPIRES_HELP)
    .option('--allowed-cidrs <list>', CIDRS_HELP)
    .option('--user-groups <ids>', GROUPS_HELP)
    .action(
      run<Settings>(
        async ({ service, caller, options }) => {
          const dto = checkedDto(CreateApiTokenRequest, toWire(options));
          printIssued(options, await service.issue(caller, dto));
        },
        { mayMake: true },
      ),
    );

  list<{ state?: string }>(
    'list the API tokens of a workspace',
    ({ service, caller, options }, page) =>
      service.list(caller, checkedDto(ApiTokenQueryDto, toBody({ ...page, state: options.state }))),
  ).option('--state <state>', 'only those in this state, such as active');

  show('show one API token, without the token itself', ({ service, caller, id }) =>
    service.get(caller, id),
  );

  about('update', 'change an API token; what is not given stays', '--expires-at never')
    .option('--name <name>', 'purpose of the token')
    .option('--scopes <list>', scopesHelp(), parseScopes)
    .option('--expires-at <time>', `${EXPIRES_HELP}, or "never"`)
    .option('--allowed-cidrs <list>', `${CIDRS_HELP}, or "any"`)
    .option('--user-groups <ids>', `${GROUPS_HELP}; or "all"`)
    .action(
      runToOne<Settings>(({ service, caller, options, id }) =>
        service.update(caller, id, checkedDto(UpdateApiTokenRequest, toWire(options))),
      ),
    );

  about(
    'rotate',
    'issue a token in the place of another and print it',
    '--grace-period-seconds 3600',
  )
    .option(
      '--grace-period-seconds <seconds>',
      'seconds for which the old token stays valid',
      parseSeconds,
      0,
    )
    .action(
      run<{ gracePeriodSeconds: number }>(async ({ service, caller, options, id }) => {
        const dto = checkedDto(RotateApiTokenRequest, {
          grace_period_seconds: options.gracePeriodSeconds,
        });
        printIssued(options, await service.rotate(caller, id, dto));
      }),
    );

  end(
    'revoke',
    'end an API token; every replica refuses it within a second',
    'revoked',
    ({ service, caller, id }) => service.revoke(caller, id),
  );
}

function toWire({ name, scopes, expiresAt, allowedCidrs, userGroups }: Settings): object {
  return toBody({
    name,
    scopes,
    expires_at: expiresAt === 'never' ? null : expiresAt,
    allowed_cidrs: allowedCidrs === 'any' ? null : allowedCidrs && parseList(allowedCidrs),
    user_groups: userGroups === 'all' ? null : userGroups && parseRange(userGroups),
  });
}

function parseRange(text: string): unknown {
  return text.startsWith('{') ? parseJson(text).value : { ids: parseList(text) };
}

function parseScopes(list: string): string[] {
  if (list === 'all') return [...scopes];
  const entries = parseList(list);
  const unknown = entries.find((entry) => !(scopes as readonly string[]).includes(entry));
  if (unknown === undefined) return entries;
  throw new InvalidArgumentError(`"${unknown}" is no scope; use ${scopesHelp()}.`);
}
