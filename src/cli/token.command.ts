import type { INestApplicationContext } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';
import type { ApiTokenView, IssuedApiTokenAnswer } from '../api-token/dto/api-token-answer.dto.ts';
import { ApiTokenService } from '../api-token/api-token.service.ts';
import {
  IssueApiTokenDto,
  RotateApiTokenDto,
  UpdateApiTokenDto,
} from '../api-token/dto/api-token.dto.ts';
import { type Caller, operator, type Scope, scopes } from '../common/caller.ts';
import { checkedDto } from '../common/json/to-dto.ts';
import { PageQueryDto } from '../common/http/page.dto.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import { printTable } from './print-table.ts';
import { withServices } from './with-services.ts';

/** The scopes that a host application needs on `/api/user`. */
const HOST_SCOPES: Scope[] = ['user-groups:read', 'user-groups:write', 'tokens:rotate'];

const SCOPES_HELP = `"all", or a list of ${scopes.join(', ')}`;
const EXPIRES_HELP = 'end of its life, such as 2030-12-31T00:00:00Z';
const CIDRS_HELP =
  'addresses and CIDR ranges it may be used from, such as 10.0.0.0/8,2001:db8::/32';

interface Settings {
  name?: string;
  scopes?: string[];
  /** Or "never". */
  expires?: string;
  /** Or "any". */
  cidrs?: string;
  workspace: string;
}

/** Defines `token create`, `list`, `show`, `update`, `rotate` and `revoke`. */
export function defineToken(token: Command): void {
  const subcommand = (name: string, description: string) =>
    token
      .command(name)
      .description(description)
      .option('--workspace <name>', 'whose token it is', 'default');

  subcommand('create', 'issue an API token and print it; it cannot be shown again')
    .requiredOption('--name <name>', 'what the token is for')
    .option('--scopes <list>', SCOPES_HELP, parseScopes, HOST_SCOPES)
    .option('--expires <time>', EXPIRES_HELP)
    .option('--cidrs <list>', CIDRS_HELP)
    .action((options: Settings) =>
      withTokens(options, async (tokens, caller) => {
        const dto = checkedDto(IssueApiTokenDto, toWire(options));
        printIssued(await tokens.issue(caller, dto), options.workspace);
      }),
    );

  subcommand('list', 'list the API tokens of a workspace').action((options: Settings) =>
    withTokens(options, async (tokens, caller) => {
      printTokens(await listAll(tokens, caller));
    }),
  );

  subcommand('show', 'show one API token, without the token itself')
    .argument('<id>', 'see "token list"', parseId)
    .action((id: number, options: Settings) =>
      withTokens(options, async (tokens, caller) => {
        const { api_token } = await tokens.get(caller, id);
        console.log(JSON.stringify(api_token, null, 2));
      }),
    );

  subcommand('update', 'change an API token; what is not given stays')
    .argument('<id>', 'see "token list"', parseId)
    .option('--name <name>', 'what the token is for')
    .option('--scopes <list>', SCOPES_HELP, parseScopes)
    .option('--expires <time>', `${EXPIRES_HELP}, or "never"`)
    .option('--cidrs <list>', `${CIDRS_HELP}, or "any"`)
    .action((id: number, options: Settings) =>
      withTokens(options, async (tokens, caller) => {
        const dto = checkedDto(UpdateApiTokenDto, toWire(options));
        printTokens([(await tokens.update(caller, id, dto)).api_token]);
      }),
    );

  subcommand('rotate', 'issue a token in the place of another and print it')
    .argument('<id>', 'see "token list"', parseId)
    .option('--grace <seconds>', 'for how long the old one stays valid', '0')
    .action((id: number, options: Settings & { grace: string }) =>
      withTokens(options, async (tokens, caller) => {
        const grace_period_seconds = Number(options.grace);
        const dto = checkedDto(RotateApiTokenDto, { grace_period_seconds });
        printIssued(await tokens.rotate(caller, id, dto), options.workspace);
      }),
    );

  subcommand('revoke', 'end an API token; every replica refuses it within a second')
    .argument('<id>', 'see "token list"', parseId)
    .action((id: number, options: Settings) =>
      withTokens(options, async (tokens, caller) => {
        await tokens.revoke(caller, id);
        console.error(`API token ${id} is revoked.`);
      }),
    );
}

function withTokens(
  { workspace }: Settings,
  work: (tokens: ApiTokenService, caller: Caller) => Promise<void>,
): Promise<void> {
  return withServices(async (app: INestApplicationContext) => {
    const { id } = await app.get(WorkspaceService).getByName(workspace);
    await work(app.get(ApiTokenService), operator(id));
  });
}

/** Builds the body of the API call; options that are not given are absent. */
function toWire({ name, scopes, expires, cidrs }: Settings): object {
  const fields = {
    name,
    scopes,
    expires_at: expires === 'never' ? null : expires,
    allowed_cidrs: cidrs === 'any' ? null : cidrs && parseList(cidrs),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function listAll(tokens: ApiTokenService, caller: Caller): Promise<ApiTokenView[]> {
  const all: ApiTokenView[] = [];
  const query = new PageQueryDto();
  do {
    const page = await tokens.list(caller, query);
    all.push(...page.api_tokens);
    query.cursor = page.next_cursor;
  } while (query.cursor !== undefined);
  return all;
}

function printTokens(tokens: ApiTokenView[]): void {
  printTable(
    ['ID', 'NAME', 'ENDS IN', 'STATE', 'SCOPES', 'ADDRESSES', 'CREATED', 'LAST USED', 'EXPIRES'],
    tokens.map((token) => [
      token.id,
      token.name,
      token.last_four,
      token.state,
      token.scopes.join(),
      token.allowed_cidrs?.join() ?? 'any',
      ...[token.created_at, token.last_used_at, token.expires_at].map(
        (time) => time?.replace(/\.\d+Z$/, 'Z') ?? '-',
      ),
    ]),
  );
}

/** Prints the token alone on standard output, so that it can be piped. */
function printIssued({ api_token }: IssuedApiTokenAnswer, workspace: string): void {
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

function parseList(list: string): string[] {
  return list.split(',').map((entry) => entry.trim());
}

function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Use the number of a token.');
  return Number(text);
}
