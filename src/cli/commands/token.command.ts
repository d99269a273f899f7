import { type Command, InvalidArgumentError } from 'commander';
import type { ApiTokenView, ApiTokenWithSecretResponse } from '../../api-token/dto/api-token-response.dto.ts';
import { ApiTokenService } from '../../api-token/api-token.service.ts';
import {
  CreateApiTokenRequest,
  RotateApiTokenRequest,
  UpdateApiTokenRequest,
} from '../../api-token/dto/api-token.dto.ts';
import { type Scope, scopes } from '../../common/access/caller.ts';
import { checkedDto } from '../../common/json/to-dto.ts';
import { parseList, resourceCommand, toBody, toCell } from '../resource-command.ts';

/** The scopes that a host application needs on `/api/user`. */
const HOST_SCOPES: Scope[] = ['user-groups:read', 'user-groups:write', 'tokens:rotate'];

const SCOPES_HELP = `"all", or a list of ${scopes.join(', ')}`;
const EXPIRES_HELP = 'end of its life, such as 2030-12-31T00:00:00Z';
const CIDRS_HELP = 'addresses and CIDR ranges it may be used from, such as 10.0.0.0/8,2001:db8::/32';

interface Settings {
  name?: string;
  scopes?: string[];
  /** Or "never". */
  expires?: string;
  /** Or "any". */
  cidrs?: string;
  workspace: string;
}

export function defineToken(token: Command): void {
  const { subcommand, about, run, print, list, show } = resourceCommand(token, {
    noun: 'token',
    service: ApiTokenService,
    idHint: 'Use the number of a token.',
    columns: {
      ID: ({ id }: ApiTokenView) => id,
      NAME: ({ name }) => name,
      'ENDS IN': ({ last_four }) => last_four,
      STATE: ({ state }) => state,
      SCOPES: (one) => one.scopes.join(),
      ADDRESSES: ({ allowed_cidrs }) => allowed_cidrs?.join() ?? 'any',
      CREATED: ({ created_at }) => toCell(created_at),
      'LAST USED': ({ last_used_at }) => toCell(last_used_at),
      EXPIRES: ({ expires_at }) => toCell(expires_at),
    },
  });

  subcommand('create', 'issue an API token and print it; it cannot be shown again')
    .requiredOption('--name <name>', 'what the token is for')
    .option('--scopes <list>', SCOPES_HELP, parseScopes, HOST_SCOPES)
    .option('--expires <time>', EXPIRES_HELP)
    .option('--cidrs <list>', CIDRS_HELP)
    .action(
      run<Settings>(async ({ service, caller, options }) => {
        const dto = checkedDto(CreateApiTokenRequest, toWire(options));
        printIssued(await service.issue(caller, dto), options.workspace);
      }),
    );

  list('list the API tokens of a workspace', async ({ service, caller }, query) => {
    const { api_tokens: rows, next_cursor } = await service.list(caller, query);
    return { rows, next_cursor };
  });

  show('show one API token, without the token itself', async ({ service, caller, id }) => {
    return (await service.get(caller, id)).api_token;
  });

  about('update', 'change an API token; what is not given stays')
    .option('--name <name>', 'what the token is for')
    .option('--scopes <list>', SCOPES_HELP, parseScopes)
    .option('--expires <time>', `${EXPIRES_HELP}, or "never"`)
    .option('--cidrs <list>', `${CIDRS_HELP}, or "any"`)
    .action(
      run<Settings>(async ({ service, caller, options, id }) => {
        const dto = checkedDto(UpdateApiTokenRequest, toWire(options));
        print([(await service.update(caller, id, dto)).api_token]);
      }),
    );

  about('rotate', 'issue a token in the place of another and print it')
    .option('--grace <seconds>', 'for how long the old one stays valid', '0')
    .action(
      run<Settings & { grace: string }>(async ({ service, caller, options, id }) => {
        const grace_period_seconds = Number(options.grace);
        const dto = checkedDto(RotateApiTokenRequest, { grace_period_seconds });
        printIssued(await service.rotate(caller, id, dto), options.workspace);
      }),
    );

  about('revoke', 'end an API token; every replica refuses it within a second').action(
    run(async ({ service, caller, id }) => {
      await service.revoke(caller, id);
      console.error(`API token ${id} is revoked.`);
    }),
  );
}

function toWire({ name, scopes, expires, cidrs }: Settings): object {
  return toBody({
    name,
    scopes,
    expires_at: expires === 'never' ? null : expires,
    allowed_cidrs: cidrs === 'any' ? null : cidrs && parseList(cidrs),
  });
}

/** Prints the token alone on standard output, so that it can be piped. */
function printIssued({ api_token }: ApiTokenWithSecretResponse, workspace: string): void {
  console.error(`API token ${api_token.id} of the workspace "${workspace}":`);
  console.log(api_token.token);
}

function parseScopes(list: string): string[] {
  if (list === 'all') return [...scopes];
  const entries = parseList(list);
  const unknown = entries.find((entry) => !(scopes as readonly string[]).includes(entry));
  if (unknown === undefined) return entries;
  throw new InvalidArgumentError(`"${unknown}" is no scope; use ${SCOPES_HELP}.`);
}
