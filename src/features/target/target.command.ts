import { type Command, InvalidArgumentError } from 'commander';
import {
  type EmbedTokenResource,
  IssueEmbedTokenRequest,
} from '../../core/embed-token/dto/embed-token.dto.ts';
import type { EmbedTokenResponse } from '../../core/embed-token/dto/embed-token-response.dto.ts';
import { EmbedTokenService } from '../../core/embed-token/embed-token.service.ts';
import { TargetNotFound } from './target.errors.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import { dtoFromJson } from '../../platform/common/json/json-dto.ts';
import { parseStrictJson } from '../../platform/common/json/strict-json.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { withoutControls } from '../../platform/common/text.ts';
import { type Printing, printOne, printSecret } from '../../platform/command-line/output.ts';
import { toTerminalJson } from '../../platform/command-line/print-table.ts';
import { readInput, STANDARD_INPUT } from '../../platform/command-line/read-input.ts';
import { printMessage } from '../../platform/command-line/show-progress.ts';
import {
  type GivenJson,
  parseJson,
  parseSeconds,
  resourceCommand,
  toBody,
  toCell,
} from '../../platform/command-line/resource-command.ts';
import { TargetService } from './administration/target.service.ts';
import { PutTargetRequest } from './definition/put-target.dto.ts';
import { impossibleName, isTargetName } from './definition/target-name.ts';
import type { TargetView } from './definition/target-response.dto.ts';
import { linesOfSetup } from './setup/tool-setup.ts';

const UNCONDITIONAL = new Preconditions(undefined, undefined);

const KEYS = { rightKeys: true };
const EXAMPLE = '--group acme-emea --user u-17 --resource dashboard:7';

type Resource = EmbedTokenResource;

interface Viewer {
  group: string;
  user?: string;
  userName?: string;
  userEmail?: string;
  resource?: Resource[];
  variables?: GivenJson;
  expiresInSeconds?: number;
}

export function defineTarget(target: Command, services: CommandServices): void {
  const { about, run, runToOne, list, end } = resourceCommand(target, services, {
    noun: 'target',
    service: TargetService,
    one: 'target',
    many: 'targets',
    columns: {
      NAME: ({ name }: TargetView) => name,
      KIND: ({ kind }) => kind,
      AUDIENCE: ({ audience }) => audience ?? '-',
      SECONDS: ({ max_seconds }) => max_seconds,
      KEYS: ({ signing }) => signing?.keys.map(({ id }) => id).join() ?? 'of the workspace',
      FILTER: ({ unfiltered }) => (unfiltered ? 'NONE: every group sees all' : 'by the group'),
    },
    id: { about: 'the name of the target', example: 'bi', parse: String },
  });

  list('list the targets of a workspace', ({ service, caller }, query) =>
    service.list(caller, query),
  );

  about('show', 'show one target, without its secrets, and how its tool is set up').action(
    run(async ({ service, caller, options, id }) => {
      requireKnowable(id);
      const shown = await service.get(caller, id);
      const { setup } = await service.getSetup(caller, id);
      if (options.output !== 'table') {
        printOne(options, { success: 1, target: shown, setup });
        return;
      }
      printOne(options, shown);
      console.log();
      for (const line of linesOfSetup(setup)) console.log(withoutControls(line));
    }),
  );

  about('put', 'create or replace a target', 'bi.json')
    .argument(
      '<file>',
      `its definition as JSON, with its secrets; "${STANDARD_INPUT}" reads standard input`,
    )
    .action(
      runToOne(async ({ service, caller, id, more: [file] }) => {
        if (!isTargetName(id)) throw impossibleName();
        const json = parseStrictJson(await readInput(file!), 'file');
        return (
          await service.put(
            caller,
            id,
            dtoFromJson(PutTargetRequest, json, { part: 'file' }),
            UNCONDITIONAL,
          )
        ).body;
      }, KEYS),
    );

  about('token', 'issue the token that the tool of a target takes, and print it', EXAMPLE)
    .requiredOption('--group <id>', 'your own id of the user group')
    .option('--user <id>', 'your own id of the viewer')
    .option('--user-name <name>', 'with --user: a name to show')
    .option('--user-email <address>', 'with --user: an e-mail address')
    .option('--resource <type:id>', 'resource that the token is for; can be repeated', addResource)
    .option('--variables <json>', 'variables of the source token, such as {"store":7}', parseJson)
    .option('--expires-in-seconds <seconds>', 'seconds for which the token is valid', parseSeconds)
    .action(
      run<Viewer>(async ({ app, caller, options, id }) => {
        requireKnowable(id);
        const body = { target: id, ...toWire(options) };
        const dto = checkedDto(IssueEmbedTokenRequest, toBody(body));
        printToken(options, await app.get(EmbedTokenService).issue(caller, options.group, dto));
      }, KEYS),
    );

  end(
    'delete',
    'delete a target; the tokens that it has issued are valid until they expire',
    'deleted',
    ({ service, caller, id }) => {
      requireKnowable(id);
      return service.remove(caller, id, UNCONDITIONAL);
    },
  );
}

/** @throws TargetNotFound for a text that names no target */
function requireKnowable(name: string): void {
  if (!isTargetName(name)) throw new TargetNotFound();
}

function toWire(options: Viewer): object {
  const { user: id, userName: name, userEmail: email, resource, variables } = options;
  const isNamed = [id, name, email].some((one) => one !== undefined);
  return {
    user: isNamed ? toBody({ id, name, email }) : undefined,
    resources: resource,
    variables: variables?.value,
    expires_in_seconds: options.expiresInSeconds,
  };
}

function addResource(text: string, known: Resource[] = []): Resource[] {
  const [, type, id] = /^([^:]+):(.+)$/su.exec(text) ?? [];
  if (type === undefined || id === undefined) {
    throw new InvalidArgumentError('Use the form type:id, such as dashboard:7.');
  }
  return [...known, { type, id }];
}

/** Prints the token alone on standard output, and on standard error what is in it. */
function printToken(options: Printing, { success, embed_token: own }: EmbedTokenResponse): void {
  const [header, claims] = own.token.split('.', 2).map(decoded) as [object, object];
  if (options.output === 'table') {
    printMessage(`Header: ${toTerminalJson(header)}`);
    printMessage(`Claims: ${toTerminalJson(claims)}`);
  }
  const about = `It cannot be revoked: nothing ends it before ${toCell(own.expires_at)}. The token of the target "${own.target!}":`;
  const response = { success, embed_token: { ...own, header, claims } };
  printSecret(options, response, 'embed_token', about, own.token);
}

function decoded(part: string): object {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
}
