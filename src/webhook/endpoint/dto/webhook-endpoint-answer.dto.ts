import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { NEXT_CURSOR, SUCCESS } from '../../../common/http/answer-fields.ts';
import { toWireTime, toWireTimeOrNull } from '../../../common/time.ts';
import { type SignatureScheme, signatureSchemes } from '../../sending/signature.ts';
import type { StoredWebhookEndpoint } from '../webhook-endpoint.repository.ts';

const moment = (description: string, example: string | null) => ({
  description,
  type: String,
  nullable: true,
  format: 'date-time',
  example,
});

/** Looks like a secret without being one: it is too short. */
const SECRET_EXAMPLE = 'whsec_RXhhbXBsZQ==';

/** A webhook endpoint as it may be shown: neither its secrets nor the values of its headers. */
export class WebhookEndpointView {
  @ApiProperty({ description: 'Its number.', type: 'integer', example: 345678901 })
  id!: number;

  @ApiProperty({ description: 'Where to post.', example: 'https://app.example.com/webhooks' })
  url!: string;

  @ApiProperty({
    description: 'What it is for; null: nobody has said.',
    type: String,
    nullable: true,
    example: 'billing',
  })
  description!: string | null;

  @ApiProperty({
    description: 'Which events are sent.',
    type: [String],
    example: ['user_group.*'],
  })
  event_types!: string[];

  @ApiProperty({ description: 'How messages are signed.', enum: signatureSchemes, example: 'v1' })
  signature!: SignatureScheme;

  @ApiProperty({
    description: 'The public key of `v1a`, by which the receiver verifies; null for `v1`.',
    type: String,
    nullable: true,
    example: null,
  })
  public_key!: string | null;

  @ApiProperty(
    moment('Until when messages are also signed with the secret before; null: not.', null),
  )
  old_secret_expires_at!: string | null;

  @ApiProperty({
    description: 'The names of its headers; their values are not shown.',
    type: [String],
    example: ['X-Api-Key'],
  })
  headers!: string[];

  @ApiProperty({ description: 'Whether events are sent to it.', example: true })
  enabled!: boolean;

  @ApiProperty(moment('When it was switched off; null: it is on.', null))
  disabled_at!: string | null;

  @ApiProperty({
    description:
      'Why it is off: `request`, somebody wanted it; `gone`, it has answered 410; `failing`, it has failed for days. Null: it is on.',
    type: String,
    enum: ['request', 'gone', 'failing', null],
    nullable: true,
    example: null,
  })
  disabled_reason!: string | null;

  @ApiProperty(
    moment('Since when events are left out, because too many wait for it; null: none are.', null),
  )
  skipping_since!: string | null;

  @ApiProperty({
    description: 'When it was created.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  created_at!: string;

  @ApiProperty({
    description: 'When it was last changed.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  updated_at!: string;
}

/** A webhook endpoint at the one moment at which its secret is shown. */
export class IssuedWebhookEndpointView extends WebhookEndpointView {
  @ApiProperty({
    description:
      'The secret of `v1` (`whsec_…`), with which the receiver verifies. Save it now: it cannot be shown again. Null for `v1a`, whose receivers need the public key alone.',
    type: String,
    nullable: true,
    example: SECRET_EXAMPLE,
  })
  secret!: string | null;
}

export class WebhookEndpointAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The endpoint.', type: () => WebhookEndpointView })
  webhook_endpoint!: WebhookEndpointView;
}

export class IssuedWebhookEndpointAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The endpoint.', type: () => IssuedWebhookEndpointView })
  webhook_endpoint!: IssuedWebhookEndpointView;
}

export class WebhookEndpointsAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({
    description: 'Endpoints in the order of their creation.',
    type: () => [WebhookEndpointView],
  })
  webhook_endpoints!: WebhookEndpointView[];

  @ApiPropertyOptional(NEXT_CURSOR)
  next_cursor?: string;
}

export function toWebhookEndpointView(row: StoredWebhookEndpoint): WebhookEndpointView {
  const { oldSecretUntil } = row;
  const isOverlap = oldSecretUntil !== null && oldSecretUntil > Date.now();
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
    skipping_since: toWireTimeOrNull(row.skippingSince),
    created_at: toWireTime(row.createdAt),
    updated_at: toWireTime(row.updatedAt),
  };
}
