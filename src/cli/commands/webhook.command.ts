import { type Command, InvalidArgumentError } from 'commander';
import { checkedDto } from '../../common/json/to-dto.ts';
import {
  CreateWebhookEndpointRequest,
  RollWebhookSecretRequest,
  UpdateWebhookEndpointRequest,
} from '../../webhook/endpoint/dto/webhook-endpoint.dto.ts';
import type {
  WebhookEndpointWithSecret,
  WebhookEndpointView,
} from '../../webhook/endpoint/dto/webhook-endpoint-response.dto.ts';
import { ReplayWebhooksRequest, WebhookAttemptQueryDto } from '../../webhook/delivery/dto/webhook-attempt.dto.ts';
import { WebhookDeliveryService } from '../../webhook/delivery/webhook-delivery.service.ts';
import { WebhookEndpointService } from '../../webhook/endpoint/webhook-endpoint.service.ts';
import { printTable } from '../print-table.ts';
import { parseList, resourceCommand, toBody, toCell } from '../resource-command.ts';

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
  from?: string;
  to?: string;
  includeDelivered?: true;
}

export function defineWebhook(webhook: Command): void {
  const { subcommand, about, run, print, list, show } = resourceCommand(webhook, {
    noun: 'endpoint',
    service: WebhookEndpointService,
    columns: {
      ID: ({ id }: WebhookEndpointView) => id,
      URL: ({ url }) => url,
      EVENTS: ({ event_types }) => event_types.join(),
      STATE: ({ enabled, disabled_reason }) => (enabled ? 'on' : `off (${disabled_reason})`),
      SIGNATURE: ({ signature }) => signature,
      HEADERS: ({ headers }) => headers.join() || '-',
      CREATED: ({ created_at }) => toCell(created_at),
    },
  });
  const withSettings = (command: Command) =>
    command
      .option('--description <text>', 'what it is for')
      .option('--events <list>', 'which events, such as user_group.*,api_token.revoke', parseList)
      .option('--header <name:value>', 'a header field of every message; can be repeated', addHeader);

  withSettings(subcommand('create', 'create an endpoint and print its secret; it cannot be shown again'))
    .requiredOption('--url <url>', 'where to post')
    .option('--signature <scheme>', 'v1, by a shared secret, or v1a, by Ed25519', 'v1')
    .action(
      run<Settings>(async ({ service, caller, options }) => {
        const dto = checkedDto(CreateWebhookEndpointRequest, toWire(options));
        printIssued((await service.create(caller, dto)).webhook_endpoint);
      }),
    );

  list('list the endpoints of a workspace', async ({ service, caller }, query) => {
    const { webhook_endpoints: rows, next_cursor } = await service.list(caller, query);
    return { rows, next_cursor };
  });

  show('show one endpoint, without its secret', async ({ service, caller, id }) => {
    return (await service.get(caller, id)).webhook_endpoint;
  });

  withSettings(about('update', 'change an endpoint; what is not given stays'))
    .option('--url <url>', 'where to post')
    .option('--no-headers', 'remove its header fields')
    .action(
      run<Settings>(async ({ service, caller, options, id }) => {
        const dto = checkedDto(UpdateWebhookEndpointRequest, toWire(options));
        print([(await service.update(caller, id, dto)).webhook_endpoint]);
      }),
    );

  for (const [name, enabled, description] of [
    ['enable', true, 'send events to it again'],
    ['disable', false, 'send no events to it; they are kept'],
  ] as const) {
    about(name, description).action(
      run(async ({ service, caller, id }) => {
        print([(await service.update(caller, id, { enabled })).webhook_endpoint]);
      }),
    );
  }

  about('roll-secret', 'put a new secret in the place of the old one and print it')
    .option('--grace <seconds>', 'for how long the old one signs, too', '86400')
    .action(
      run<Settings & { grace: string }>(async ({ service, caller, options, id }) => {
        const grace_period_seconds = Number(options.grace);
        const dto = checkedDto(RollWebhookSecretRequest, { grace_period_seconds });
        printIssued((await service.rollSecret(caller, id, dto)).webhook_endpoint);
      }),
    );

  about('attempts', 'list the latest attempts to send to an endpoint')
    .option('--event <id>', 'those of one event alone')
    .action(
      run<Settings & { event?: string }>(async ({ app, caller, options, id }) => {
        const query = { limit: '200', ...(options.event && { event_id: options.event }) };
        const dto = checkedDto(WebhookAttemptQueryDto, query);
        const { attempts } = await app.get(WebhookDeliveryService).listAttempts(caller, id, dto);
        printTable(
          ['TIME', 'EVENT', 'TYPE', 'ATTEMPT', 'RESULT', 'MS', 'EVENT IS', 'NEXT ATTEMPT'],
          attempts.map((attempt) => [
            attempt.occurred_at,
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
    .option('--from <time>', 'those from then on that have not arrived')
    .option('--to <time>', 'with --from: those before')
    .option('--include-delivered', 'with --from: also those that have arrived')
    .action(
      run<Settings & Replay>(async ({ app, caller, options, id }) => {
        const { event: event_id, from, to, includeDelivered: include_delivered } = options;
        const body = toBody({ event_id, from, to, include_delivered });
        const dto = checkedDto(ReplayWebhooksRequest, body);
        await app.get(WebhookDeliveryService).replay(caller, id, dto);
        console.error('The events will be sent again.');
      }),
    );

  about('delete', 'delete an endpoint').action(
    run(async ({ service, caller, id }) => {
      await service.remove(caller, id);
      console.error(`The webhook endpoint ${id} is deleted.`);
    }),
  );
}

function toWire({ url, description, events, signature, header, headers }: Settings): object {
  return toBody({
    url,
    description: description === '' ? null : description,
    event_types: events,
    signature,
    headers: header ?? (headers === false ? {} : undefined),
  });
}

/** Prints the secret, or the public key, alone on standard output, so that it can be piped. */
function printIssued({ id, secret, public_key }: WebhookEndpointWithSecret): void {
  console.error(`Webhook endpoint ${id}, ${secret === null ? 'public key' : 'secret'}:`);
  console.log(secret ?? public_key);
}

function addHeader(text: string, known: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('Use the form "Name: value".');
  }
  return { ...known, [name]: value };
}
