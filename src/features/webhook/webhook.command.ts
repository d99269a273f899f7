import { type Command, InvalidArgumentError } from 'commander';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import {
  CreateWebhookEndpointRequest,
  RollWebhookSecretRequest,
  UpdateWebhookEndpointRequest,
} from './endpoint/dto/webhook-endpoint.dto.ts';
import type {
  WebhookEndpointWithSecretResponse,
  WebhookEndpointView,
} from './endpoint/dto/webhook-endpoint-response.dto.ts';
import {
  ReplayWebhooksRequest,
  WebhookAttemptQueryDto,
  type WebhookAttemptView,
} from './delivery/dto/webhook-attempt.dto.ts';
import { WebhookDeliveryService } from './delivery/webhook-delivery.service.ts';
import { WebhookEndpointService } from './endpoint/webhook-endpoint.service.ts';
import { printDone, type Printing, printList } from '../../platform/command-line/output.ts';
import type { Columns } from '../../platform/command-line/print-table.ts';
import {
  numberIn,
  parseList,
  parseSeconds,
  resourceCommand,
  toBody,
  toCell,
} from '../../platform/command-line/resource-command.ts';

interface Settings {
  url?: string;
  description?: string;
  eventTypes?: string[];
  signature?: string;
  header?: Record<string, string>;
  /** False if `--no-headers` was given. */
  headers?: boolean;
}

interface Replay {
  eventId?: string;
  from?: string;
  to?: string;
  includeDelivered?: true;
}

const attemptColumns: Columns<WebhookAttemptView> = {
  TIME: ({ occurred_at }) => toCell(occurred_at),
  EVENT: ({ event_id }) => event_id,
  TYPE: ({ type }) => type,
  ATTEMPT: ({ attempt }) => attempt,
  RESULT: ({ status, failure }) => status ?? failure ?? '-',
  'EVENT IS': ({ delivery }) => delivery,
  'NEXT ATTEMPT': ({ next_attempt_at }) => toCell(next_attempt_at),
};

export function defineWebhook(webhook: Command, services: CommandServices): void {
  const { subcommand, about, run, runToOne, issued, list, show, end } = resourceCommand(
    webhook,
    services,
    {
      noun: 'webhook endpoint',
      service: WebhookEndpointService,
      one: 'webhook_endpoint',
      many: 'webhook_endpoints',
      columns: {
        ID: ({ id }: WebhookEndpointView) => id,
        URL: ({ url }) => url,
        EVENTS: ({ event_types }) => event_types.join(),
        STATE: ({ enabled, disabled_reason }) => (enabled ? 'on' : `off (${disabled_reason})`),
        SIGNATURE: ({ signature }) => signature,
        CREATED: ({ created_at }) => toCell(created_at),
      },
      id: numberIn(webhook),
    },
  );
  const withSettings = (command: Command) =>
    command
      .option('--description <text>', 'its purpose')
      .option(
        '--event-types <list>',
        'events to send, such as user_group.*,api_token.revoke',
        parseList,
      )
      .option(
        '--header <name:value>',
        'a header field of every message; can be repeated',
        addHeader,
      );
  /** The secret, or the public key. */
  const printIssued = (options: Printing, response: WebhookEndpointWithSecretResponse) => {
    const { id, secret, public_key } = response.webhook_endpoint;
    const what = secret === null ? 'public key' : 'secret';
    issued(options, response, `Webhook endpoint ${id}, ${what}:`, secret ?? public_key!);
  };

  withSettings(
    subcommand(
      'create',
      'create an endpoint and print its secret; it cannot be shown again',
      '--url https://app.example.com/webhooks',
    ),
  )
    .requiredOption('--url <url>', 'URL to post events to')
    .option('--signature <scheme>', 'v1, by a shared secret, or v1a, by Ed25519', 'v1')
    .action(
      run<Settings>(async ({ service, caller, options }) => {
        const dto = checkedDto(CreateWebhookEndpointRequest, toWire(options));
        printIssued(options, await service.create(caller, dto));
      }),
    );

  list('list the endpoints of a workspace', ({ service, caller }, query) =>
    service.list(caller, query),
  );

  show('show one endpoint, without its secret', ({ service, caller, id }) =>
    service.get(caller, id),
  );

  withSettings(
    about('update', 'change an endpoint; what is not given stays', "--event-types 'user_group.*'"),
  )
    .option('--url <url>', 'URL to post events to')
    .option('--no-headers', 'remove its header fields')
    .action(
      runToOne<Settings>(({ service, caller, options, id }) =>
        service.update(caller, id, checkedDto(UpdateWebhookEndpointRequest, toWire(options))),
      ),
    );

  for (const [name, enabled, description] of [
    ['enable', true, 'send events to an endpoint again'],
    ['disable', false, 'send no events to an endpoint; they are kept'],
  ] as const) {
    about(name, description).action(
      runToOne(({ service, caller, id }) => service.update(caller, id, { enabled })),
    );
  }

  about('roll-secret', 'put a new secret in the place of the old one and print it')
    .option(
      '--grace-period-seconds <seconds>',
      'seconds for which the old secret also signs',
      parseSeconds,
      86_400,
    )
    .action(
      run<{ gracePeriodSeconds: number }>(async ({ service, caller, options, id }) => {
        const dto = checkedDto(RollWebhookSecretRequest, {
          grace_period_seconds: options.gracePeriodSeconds,
        });
        printIssued(options, await service.rollSecret(caller, id, dto));
      }),
    );

  about('attempts', 'list the latest attempts to send to an endpoint')
    .option('--event-id <id>', 'only those of one event')
    .action(
      run<{ eventId?: string }>(async ({ app, caller, options, id }) => {
        const query = toBody({ limit: '200', event_id: options.eventId });
        const dto = checkedDto(WebhookAttemptQueryDto, query);
        const response = await app.get(WebhookDeliveryService).listAttempts(caller, id, dto);
        printList(options, response, 'attempts', attemptColumns);
      }),
    );

  about('replay', 'send events again, each under its id', '--from 2030-01-01T00:00:00Z')
    .option('--event-id <id>', 'only this event')
    .option('--from <time>', 'events of this time and later that have not arrived')
    .option('--to <time>', 'with --from: events before this time')
    .option('--include-delivered', 'with --from: also events that have arrived')
    .action(
      run<Replay>(async ({ app, caller, options, id }) => {
        const { eventId: event_id, from, to, includeDelivered: include_delivered } = options;
        const body = toBody({ event_id, from, to, include_delivered });
        const dto = checkedDto(ReplayWebhooksRequest, body);
        const response = await app.get(WebhookDeliveryService).replay(caller, id, dto);
        printDone(options, 'The events will be sent again.', response);
      }),
    );

  end('delete', 'delete an endpoint', 'deleted', ({ service, caller, id }) =>
    service.remove(caller, id),
  );
}

function toWire({ url, description, eventTypes, signature, header, headers }: Settings): object {
  return toBody({
    url,
    description: description === '' ? null : description,
    event_types: eventTypes,
    signature,
    headers: header ?? (headers === false ? {} : undefined),
  });
}

function addHeader(text: string, known: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('Use the form "Name: value".');
  }
  return { ...known, [name]: value };
}
