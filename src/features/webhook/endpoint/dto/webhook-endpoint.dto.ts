import {
  AnyObject,
  Flag,
  flagViolations,
  Integer,
  ListOf,
  listOf,
  OneOf,
  choiceOf,
  orNull,
  Rule,
  Text,
  textThat,
} from '../../../../platform/common/fields.ts';
import { graceViolations, MAX_GRACE_SECONDS } from '../../../../platform/common/grace.ts';
import { toPointer } from '../../../../platform/common/json-pointer.ts';
import { textViolations } from '../../../../platform/common/text.ts';
import type { Violation } from '../../../../platform/common/problem/violation.ts';
import { type SignatureScheme, signatureSchemes } from '../../sending/signature.ts';
import { isUsableGlob } from '../../../event/feed/event-types.ts';

const MAX_URL_LENGTH = 2048;
const MAX_GLOBS = 50;
const MAX_HEADERS = 10;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;
/** Headers that the service or HTTP itself sets. */
const RESERVED_HEADER =
  /^(?:connection|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|content-.*|proxy-.*|webhook-.*)$/i;

const URL_FIELD = [
  'URL that events are posted to: https, without a user, a password, a fragment or a backslash, at most 2,048 characters. Its host must have only public addresses, unless the operator allows others (WEBHOOK_ALLOWED_CIDRS).',
  'https://app.example.com/webhooks',
  { format: 'uri', maxLength: MAX_URL_LENGTH },
] as const;
const DESCRIPTION = [
  'Description for people: 1–255 code points, or null.',
  'billing',
  { maxLength: 255 },
] as const;
const EVENT_TYPES = [
  String,
  'The events to send: types such as `user_group.create`, in which `*` stands for any characters. Each must match some type.',
  ['user_group.*', 'api_token.revoke'],
] as const;
const EVENT_TYPES_SIZE = { minItems: 1, maxItems: MAX_GLOBS };
const HEADERS = [
  'Up to ten header fields of every message, such as the credentials of a gateway: values of 1–1,024 visible ASCII characters, which no response shows again. A change replaces all of them, even as a JSON Merge Patch.',
  { 'X-Api-Key': 'a key of yours' },
  { additionalProperties: { type: 'string' } },
] as const;

const urlViolations = textThat(
  isPlainUrl,
  `The url must be an absolute http or https URL of at most ${MAX_URL_LENGTH} visible ASCII characters, without a user, a password, a fragment or a backslash.`,
);
const eventTypesViolations = listOf(
  textThat(
    isUsableGlob,
    'It must be a type of event, or a pattern such as user_group.* that matches some type.',
  ),
  { least: 1, most: MAX_GLOBS },
);

export class CreateWebhookEndpointRequest {
  @Text(...URL_FIELD)
  @Rule(urlViolations, { required: 'The field url is required.' })
  url!: string;

  @Text.optionalOrNull(...DESCRIPTION)
  @Rule(orNull(textViolations))
  description?: string | null;

  @ListOf.optional(...EVENT_TYPES, { ...EVENT_TYPES_SIZE, default: ['*'] })
  @Rule(eventTypesViolations)
  event_types?: string[];

  @OneOf.optional(
    signatureSchemes,
    'The scheme of signatures (Standard Webhooks): `v1`, by a secret that the receiver shares, or `v1a`, by Ed25519, of which the receiver has only the public key. It cannot be changed.',
    'v1',
    { default: 'v1' },
  )
  @Rule(choiceOf(signatureSchemes))
  signature?: SignatureScheme;

  @AnyObject.optional(...HEADERS)
  @Rule(headersViolations)
  headers?: Record<string, string>;
}

/** Fields that are not sent stay as they are. */
export class UpdateWebhookEndpointRequest {
  @Text.optional(...URL_FIELD)
  @Rule(urlViolations)
  url?: string;

  @Text.optionalOrNull(...DESCRIPTION)
  @Rule(orNull(textViolations))
  description?: string | null;

  @ListOf.optional(...EVENT_TYPES, EVENT_TYPES_SIZE)
  @Rule(eventTypesViolations)
  event_types?: string[];

  @AnyObject.optional(...HEADERS)
  @Rule(headersViolations)
  headers?: Record<string, string>;

  @Flag.optional(
    'Whether events are sent to it. While it is disabled they are kept, and are sent once it is enabled again.',
    true,
  )
  @Rule(flagViolations)
  enabled?: boolean;
}

export class RollWebhookSecretRequest {
  @Integer.optional(
    'Seconds for which messages are also signed with the old secret, so that the receiver can change over; `0` if it has leaked.',
    3600,
    { minimum: 0, maximum: MAX_GRACE_SECONDS, default: MAX_GRACE_SECONDS },
  )
  @Rule(graceViolations)
  grace_period_seconds?: number;
}

function isPlainUrl(text: string): boolean {
  if (text.length > MAX_URL_LENGTH) return false;
  const isVisible = /^[\x21-\x7e]+$/.test(text);
  // A parser takes `\` for `/`, so that a reader would see another host.
  return (
    isVisible &&
    /^https?:\/\/[^/?@]+(?:[/?]|$)/i.test(text) &&
    !/[#\\]/.test(text) &&
    URL.canParse(text)
  );
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
      const detail = 'The name must be a valid header name that the service does not set itself.';
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
