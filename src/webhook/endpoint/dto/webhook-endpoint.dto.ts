import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { graceViolations, MAX_GRACE_SECONDS } from '../../../common/grace.ts';
import { toPointer } from '../../../common/json/json-pointer.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import { textViolations } from '../../../common/text.ts';
import type { Violation } from '../../../common/violation.ts';
import { type SignatureScheme, signatureSchemes } from '../../sending/signature.ts';
import { isUsableGlob } from '../../../event/event-types.ts';

const MAX_URL_LENGTH = 2048;
const MAX_GLOBS = 50;
const MAX_HEADERS = 10;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;
/** What the service or HTTP itself sets. */
const RESERVED_HEADER =
  /^(?:connection|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|content-.*|proxy-.*|webhook-.*)$/i;

const URL_FIELD = {
  description:
    'Where to post: an https URL without a user, a password and a fragment, at most 2,048 characters. Its host must have public addresses alone, unless the operator allows others (WEBHOOK_ALLOWED_CIDRS).',
  format: 'uri',
  maxLength: MAX_URL_LENGTH,
  example: 'https://app.example.com/webhooks',
};
const DESCRIPTION = {
  description: 'What it is for, for people: 1–255 code points, or null.',
  type: String,
  nullable: true,
  maxLength: 255,
  example: 'billing',
};
const EVENT_TYPES = {
  description:
    'Which events to send: types such as `user_group.create`, in which `*` stands for any characters. Each must match some type.',
  type: 'string',
  isArray: true,
  minItems: 1,
  maxItems: MAX_GLOBS,
  example: ['user_group.*', 'api_token.revoke'],
} as const;
const HEADERS = {
  description:
    'Up to ten header fields of every message, such as the credentials of a gateway: values of 1–1,024 visible ASCII characters, which no answer shows again. A change replaces all of them, also as a JSON Merge Patch.',
  type: 'object',
  additionalProperties: { type: 'string' },
  example: { 'X-Api-Key': 'a key of yours' },
} as const;

/** The body that creates a webhook endpoint. */
export class CreateWebhookEndpointDto {
  @ApiProperty(URL_FIELD)
  @Obeys(urlViolations, { required: 'The field url is required.' })
  url!: string;

  @ApiPropertyOptional(DESCRIPTION)
  @Obeys(descriptionViolations)
  description?: string | null;

  @ApiPropertyOptional({ ...EVENT_TYPES, example: [...EVENT_TYPES.example], default: ['*'] })
  @Obeys(eventTypesViolations)
  event_types?: string[];

  @ApiPropertyOptional({
    description:
      'How messages are signed (Standard Webhooks): `v1`, by a secret that the receiver shares, or `v1a`, by Ed25519, of which the receiver has the public key alone. It cannot be changed.',
    enum: signatureSchemes,
    default: 'v1',
    example: 'v1',
  })
  @Obeys(signatureViolations)
  signature?: SignatureScheme;

  @ApiPropertyOptional(HEADERS)
  @Obeys(headersViolations)
  headers?: Record<string, string>;
}

/** The body that changes a webhook endpoint: fields that are not sent stay as they are. */
export class UpdateWebhookEndpointDto {
  @ApiPropertyOptional(URL_FIELD)
  @Obeys(urlViolations)
  url?: string;

  @ApiPropertyOptional(DESCRIPTION)
  @Obeys(descriptionViolations)
  description?: string | null;

  @ApiPropertyOptional({ ...EVENT_TYPES, example: [...EVENT_TYPES.example] })
  @Obeys(eventTypesViolations)
  event_types?: string[];

  @ApiPropertyOptional(HEADERS)
  @Obeys(headersViolations)
  headers?: Record<string, string>;

  @ApiPropertyOptional({
    description:
      'Whether events are sent to it. While it is off they are kept, and are sent once it is on again.',
    type: Boolean,
    example: true,
  })
  @Obeys(enabledViolations)
  enabled?: boolean;
}

/** The body that rolls the secret of a webhook endpoint. */
export class RollWebhookSecretDto {
  @ApiPropertyOptional({
    description:
      'For how many seconds messages are also signed with the old secret, so that the receiver can change over; `0` if it has leaked.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: MAX_GRACE_SECONDS,
    example: 3600,
  })
  @Obeys(graceViolations)
  grace_period_seconds?: number;
}

function urlViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The url must be a string.' }];
  }
  if (value.length <= MAX_URL_LENGTH && isPlainUrl(value)) return [];
  const detail = `The url must be an absolute http or https URL of at most ${MAX_URL_LENGTH} visible ASCII characters, without a user, a password or a fragment.`;
  return [{ pointer, code: 'not_acceptable', detail }];
}

function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(text) || text.includes('#') || !URL.canParse(text)) {
    return false;
  }
  const { username, password } = new URL(text);
  return username + password === '';
}

function descriptionViolations(value: unknown, pointer: string): Violation[] {
  return value === null ? [] : textViolations(value, pointer);
}

function eventTypesViolations(value: unknown, pointer: string): Violation[] {
  if (!Array.isArray(value)) {
    return [{ pointer, code: 'type', detail: 'The event_types must be a list.' }];
  }
  if (value.length === 0) {
    return [{ pointer, code: 'empty', detail: 'At least one type of event is needed.' }];
  }
  if (value.length > MAX_GLOBS) {
    const detail = `The list must have at most ${MAX_GLOBS} types.`;
    return [{ pointer, code: 'too_many', detail }];
  }
  return value.flatMap((glob: unknown, index): Violation[] => {
    const place = `${pointer}/${index}`;
    const detail =
      'It must be a type of event, or a pattern such as user_group.* that matches some type.';
    if (typeof glob !== 'string') return [{ pointer: place, code: 'type', detail }];
    if (!isUsableGlob(glob)) return [{ pointer: place, code: 'not_acceptable', detail }];
    const isRepeated = value.indexOf(glob) < index;
    return isRepeated
      ? [{ pointer: place, code: 'repeated', detail: 'The type is listed twice.' }]
      : [];
  });
}

function signatureViolations(value: unknown, pointer: string): Violation[] {
  if (signatureSchemes.includes(value as SignatureScheme)) return [];
  const detail = `The signature must be one of ${signatureSchemes.join(', ')}.`;
  return [{ pointer, code: typeof value === 'string' ? 'not_acceptable' : 'type', detail }];
}

function headersViolations(value: unknown, pointer: string): Violation[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return [{ pointer, code: 'type', detail: 'The headers must be an object.' }];
  }
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length > MAX_HEADERS) {
    const detail = `There must be at most ${MAX_HEADERS} headers.`;
    return [{ pointer, code: 'too_many', detail }];
  }
  const names = entries.map(([name]) => name.toLowerCase());
  return entries.flatMap(([name, text], index): Violation[] => {
    const place = toPointer([...pointer.slice(1).split('/'), name]);
    if (!HEADER_NAME.test(name) || RESERVED_HEADER.test(name)) {
      const detail = 'The name must be one of HTTP that neither HTTP nor the service sets itself.';
      return [{ pointer: place, code: 'not_acceptable', detail }];
    }
    if (names.indexOf(name.toLowerCase()) < index) {
      return [{ pointer: place, code: 'repeated', detail: 'The header is named twice.' }];
    }
    const detail = 'The value must have 1 to 1,024 visible ASCII characters.';
    if (typeof text !== 'string') return [{ pointer: place, code: 'type', detail }];
    return HEADER_VALUE.test(text) ? [] : [{ pointer: place, code: 'not_acceptable', detail }];
  });
}

function enabledViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'boolean') return [];
  return [{ pointer, code: 'type', detail: 'The field enabled must be true or false.' }];
}
