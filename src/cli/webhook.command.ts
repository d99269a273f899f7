import type { INestApplicationContext } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';
import { type Caller, operator } from '../common/caller.ts';
import { PageQueryDto } from '../common/http/page.dto.ts';
import { checkedDto } from '../common/json/to-dto.ts';
import {
  CreateWebhookEndpointDto,
  RollWebhookSecretDto,
  UpdateWebhookEndpointDto,
} from '../webhook/endpoint/dto/webhook-endpoint.dto.ts';
import type {
  IssuedWebhookEndpointView,
  WebhookEndpointView,
} from '../webhook/endpoint/dto/webhook-endpoint-answer.dto.ts';
import {
  ReplayWebhooksDto,
  WebhookAttemptQueryDto,
} from '../webhook/delivery/dto/webhook-attempt.dto.ts';
import { WebhookDeliveryService } from '../webhook/delivery/webhook-delivery.service.ts';
import { WebhookEndpointService } from '../webhook/endpoint/webhook-endpoint.service.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import { printTable } from './print-table.ts';
import { withServices } from './with-services.ts';

interface Settings {
  url?: string;
  description?: string;
  events?: string[];
  signature?: string;
  header?: Record<string, string>;
  /** False if `--no-headers` was given. */
  headers?: boolean;
  workspace: string;
}

interface Replay {
  event?: string;
  since?: string;
  until?: string;
  includeDelivered?: true;
}

/** Defines the commands of `webhook`. */
export function defineWebhook(webhook: Command): void {
  const subcommand = (name: string, description: string) =>
    webhook
      .command(name)
      .description(description)
      .option('--workspace <name>', 'whose endpoint it is', 'default');
  const about = (name: string, description: string) =>
    subcommand(name, description).argument('<id>', 'see "webhook list"', parseId);
  const withSettings = (command: Command) =>
    command
      .option('--description <text>', 'what it is for')
      .option('--events <list>', 'which events, such as user_group.*,api_token.revoke', parseList)
      .option(
        '--header <name:value>',
        'a header field of every message; can be repeated',
        addHeader,
      );

  withSettings(
    subcommand('create', 'create an endpoint and print its secret; it cannot be shown again'),
  )
    .requiredOption('--url <url>', 'where to post')
    .option('--signature <scheme>', 'v1, by a shared secret, or v1a, by Ed25519', 'v1')
    .action((options: Settings) =>
      withEndpoints(options, async (endpoints, caller) => {
        const dto = checkedDto(CreateWebhookEndpointDto, toWire(options));
        printIssued((await endpoints.create(caller, dto)).webhook_endpoint);
      }),
    );

  subcommand('list', 'list the endpoints of a workspace').action((options: Settings) =>
    withEndpoints(options, async (endpoints, caller) => {
      print(await listAll(endpoints, caller));
    }),
  );

  about('show', 'show one endpoint, without its secret').action((id: number, options: Settings) =>
    withEndpoints(options, async (endpoints, caller) => {
      const { webhook_endpoint } = await endpoints.get(caller, id);
      console.log(JSON.stringify(webhook_endpoint, null, 2));
    }),
  );

  withSettings(about('update', 'change an endpoint; what is not given stays'))
    .option('--url <url>', 'where to post')
    .option('--no-headers', 'remove its header fields')
    .action((id: number, options: Settings) =>
      withEndpoints(options, async (endpoints, caller) => {
        const dto = checkedDto(UpdateWebhookEndpointDto, toWire(options));
        print([(await endpoints.update(caller, id, dto)).webhook_endpoint]);
      }),
    );

  for (const [name, enabled, description] of [
    ['enable', true, 'send events to it again'],
    ['disable', false, 'send no events to it; they are kept'],
  ] as const) {
    about(name, description).action((id: number, options: Settings) =>
      withEndpoints(options, async (endpoints, caller) => {
        print([(await endpoints.update(caller, id, { enabled })).webhook_endpoint]);
      }),
    );
  }

  about('roll-secret', 'put a new secret in the place of the old one and print it')
    .option('--grace <seconds>', 'for how long the old one signs, too', '86400')
    .action((id: number, options: Settings & { grace: string }) =>
      withEndpoints(options, async (endpoints, caller) => {
        const grace_period_seconds = Number(options.grace);
        const dto = checkedDto(RollWebhookSecretDto, { grace_period_seconds });
        printIssued((await endpoints.rollSecret(caller, id, dto)).webhook_endpoint);
      }),
    );

  about('attempts', 'list the latest attempts to send to an endpoint')
    .option('--event <id>', 'those of one event alone')
    .action((id: number, options: Settings & { event?: string }) =>
      withServices(async (app) => {
        const caller = await callerOf(app, options);
        const query = { limit: '200', ...(options.event && { event_id: options.event }) };
        const dto = checkedDto(WebhookAttemptQueryDto, query);
        const { attempts } = await app.get(WebhookDeliveryService).listAttempts(caller, id, dto);
        printTable(
          ['TIME', 'EVENT', 'TYPE', 'ATTEMPT', 'RESULT', 'MS', 'EVENT IS', 'NEXT ATTEMPT'],
          attempts.map((attempt) => [
            attempt.time,
            attempt.event_id,
            attempt.type,
            attempt.attempt,
            attempt.status ?? attempt.failure ?? '-',
            attempt.duration_ms,
            attempt.delivery,
            attempt.next_attempt_at ?? '-',
          ]),
        );
      }),
    );

  about('replay', 'send events again, each under its id')
    .option('--event <id>', 'this one')
    .option('--since <time>', 'those from then on that have not arrived')
    .option('--until <time>', 'with --since: those before')
    .option('--include-delivered', 'with --since: also those that have arrived')
    .action((id: number, options: Settings & Replay) =>
      withServices(async (app) => {
        const caller = await callerOf(app, options);
        const fields = {
          event_id: options.event,
          since: options.since,
          until: options.until,
          include_delivered: options.includeDelivered,
        };
        const dto = checkedDto(ReplayWebhooksDto, given(fields));
        await app.get(WebhookDeliveryService).replay(caller, id, dto);
        console.error('The events will be sent again.');
      }),
    );

  about('delete', 'delete an endpoint').action((id: number, options: Settings) =>
    withEndpoints(options, async (endpoints, caller) => {
      await endpoints.remove(caller, id);
      console.error(`The webhook endpoint ${id} is deleted.`);
    }),
  );
}

async function callerOf(app: INestApplicationContext, { workspace }: Settings): Promise<Caller> {
  return operator((await app.get(WorkspaceService).getByName(workspace)).id);
}

function withEndpoints(
  options: Settings,
  work: (endpoints: WebhookEndpointService, caller: Caller) => Promise<void>,
): Promise<void> {
  return withServices(async (app) => {
    await work(app.get(WebhookEndpointService), await callerOf(app, options));
  });
}

/** Builds the body of the API call; options that are not given are absent. */
function toWire({ url, description, events, signature, header, headers }: Settings): object {
  const fields = {
    url,
    description: description === '' ? null : description,
    event_types: events,
    signature,
    headers: header ?? (headers === false ? {} : undefined),
  };
  return given(fields);
}

function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function listAll(
  endpoints: WebhookEndpointService,
  caller: Caller,
): Promise<WebhookEndpointView[]> {
  const all: WebhookEndpointView[] = [];
  const query = new PageQueryDto();
  do {
    const page = await endpoints.list(caller, query);
    all.push(...page.webhook_endpoints);
    query.cursor = page.next_cursor;
  } while (query.cursor !== undefined);
  return all;
}

function print(endpoints: WebhookEndpointView[]): void {
  printTable(
    ['ID', 'URL', 'EVENTS', 'STATE', 'SIGNATURE', 'HEADERS', 'CREATED'],
    endpoints.map((endpoint) => [
      endpoint.id,
      endpoint.url,
      endpoint.event_types.join(),
      endpoint.enabled ? 'on' : `off (${endpoint.disabled_reason})`,
      endpoint.signature,
      endpoint.headers.join() || '-',
      endpoint.created_at.replace(/\.\d+Z$/, 'Z'),
    ]),
  );
}

/** Prints the secret, or the public key, alone on standard output, so that it can be piped. */
function printIssued({ id, secret, public_key }: IssuedWebhookEndpointView): void {
  console.error(`Webhook endpoint ${id}, ${secret === null ? 'public key' : 'secret'}:`);
  console.log(secret ?? public_key);
}

function parseList(list: string): string[] {
  return list.split(',').map((entry) => entry.trim());
}

function addHeader(text: string, known: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('Use the form "Name: value".');
  }
  return { ...known, [name]: value };
}

function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError('Use the number in the first column.');
  return Number(text);
}
