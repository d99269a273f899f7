import { BaseSchema } from '../../../../platform/common/api-docs.ts';
import {
  CodeOf,
  Flag,
  Integer,
  ListOf,
  Nested,
  OneOf,
  Text,
  Time,
} from '../../../../platform/common/fields.ts';
import { entityTagOf } from '../../../../platform/common/http/parameters/preconditions.ts';
import { page, response } from '../../../../platform/common/http/responses/response.ts';
import { currentTime, toWireTime, toWireTimeOrNull } from '../../../../platform/common/time.ts';
import { type SignatureScheme, signatureSchemes } from '../../sending/signature.ts';
import type { StoredWebhookEndpoint } from '../webhook-endpoint.repository.ts';

/** Looks like a secret without being one: it is too short. */
const SECRET_EXAMPLE = 'whsec_RXhhbXBsZQ==';

/** Results of the latest attempts at an endpoint. */
export class WebhookLastHour {
  @Integer('Attempts of the last hour, at most the latest 1,000.', 8)
  attempts!: number;

  @Integer('Those that the endpoint accepted.', 8)
  delivered!: number;
}

/** Events that have not arrived yet, and are sent by themselves. */
export class WaitingEvents {
  @Integer('Their number, at most 1,000.', 3)
  count!: number;

  @Flag('Whether these are all; otherwise there are more.', true)
  exact!: boolean;
}

/** Contains neither the secrets nor the values of the headers. */
@BaseSchema('WebhookEndpoint')
export class WebhookEndpointView {
  @Integer('Its number.', 345678901)
  id!: number;

  @Text('URL that events are posted to.', 'https://app.example.com/webhooks')
  url!: string;

  @Text.orNull('Description, or null.', 'billing')
  description!: string | null;

  @ListOf(String, 'The types of events that are sent.', ['user_group.*'])
  event_types!: string[];

  @OneOf(signatureSchemes, 'The scheme of signatures.', 'v1')
  signature!: SignatureScheme;

  @Text.orNull('The public key of `v1a`, by which the receiver verifies; null for `v1`.', null)
  public_key!: string | null;

  @Time.orNull('Time until which messages are also signed with the previous secret, or null.', null)
  old_secret_expires_at!: string | null;

  @ListOf(String, 'The names of its headers; their values are not shown.', ['X-Api-Key'])
  headers!: string[];

  @Flag('Whether events are sent to it.', true)
  enabled!: boolean;

  @Time.orNull('Time at which it was disabled, or null.', null)
  disabled_at!: string | null;

  @CodeOf.orNull(
    ['request', 'gone', 'failing'],
    'Reason: `request`, by a request; `gone`, it returned 410; `failing`, it has failed for days. Null if it is enabled.',
    null,
  )
  disabled_reason!: string | null;

  @Time.orNull(
    'Time since which every attempt has failed, or null. Test events do not count.',
    null,
  )
  failing_since!: string | null;

  @Nested.optional(
    WebhookLastHour,
    'Its attempts of the last hour; absent if it has just been created.',
  )
  last_hour?: WebhookLastHour;

  @Nested.optional(
    WaitingEvents,
    'The events that wait for it, also while it is disabled; absent if it has just been created.',
  )
  waiting?: WaitingEvents;

  @Time.orNull('Time since which events are skipped because too many wait for it, or null.', null)
  skipping_since!: string | null;

  @Time('When it was created.')
  created_at!: string;

  @Time('When it was last changed.')
  updated_at!: string;
}

/** Includes the secret, which is shown only once. */
export class WebhookEndpointWithSecret extends WebhookEndpointView {
  @Text.orNull(
    'The secret of `v1` (`whsec_…`), with which the receiver verifies. Save it now: it cannot be shown again. Null for `v1a`, whose receivers need only the public key.',
    SECRET_EXAMPLE,
  )
  secret!: string | null;
}

export class WebhookEndpointResponse extends response(
  'webhook_endpoint',
  WebhookEndpointView,
  'The endpoint.',
) {}

export class WebhookEndpointWithSecretResponse extends response(
  'webhook_endpoint',
  WebhookEndpointWithSecret,
  'The endpoint.',
) {}

export class WebhookEndpointsResponse extends page(
  'webhook_endpoints',
  WebhookEndpointView,
  'Endpoints in the order of their creation.',
) {}

/** Returns a weak entity tag: what only time and attempts change leaves it as it is. */
export function entityTagOfEndpoint(view: WebhookEndpointView): string {
  const changing = {
    old_secret_expires_at: null,
    skipping_since: null,
    failing_since: null,
    last_hour: undefined,
    waiting: undefined,
  };
  return `W/${entityTagOf({ ...view, ...changing })}`;
}

export function toWebhookEndpointView(row: StoredWebhookEndpoint): WebhookEndpointView {
  const { oldSecretUntil } = row;
  const isOverlap = oldSecretUntil !== null && oldSecretUntil > currentTime();
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    event_types: row.eventTypes.split(' '),
    signature: row.signature,
    public_key: row.publicKey,
    old_secret_expires_at: isOverlap ? toWireTime(oldSecretUntil) : null,
    headers: row.headerNames === '' ? [] : row.headerNames.split(' '),
    enabled: row.disabledAt === null,
    disabled_at: toWireTimeOrNull(row.disabledAt),
    disabled_reason: row.disabledReason,
    failing_since: toWireTimeOrNull(row.failingSince),
    skipping_since: toWireTimeOrNull(row.skippingSince),
    created_at: toWireTime(row.createdAt),
    updated_at: toWireTime(row.updatedAt),
  };
}
