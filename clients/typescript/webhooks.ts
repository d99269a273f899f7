import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { objectIn } from './api-error.js';
import type { Schemas } from './schemas.js';

const TOLERANCE_SECONDS = 300;
/** The lengths of a key that Standard Webhooks allows. Anybody could guess a shorter one. */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

/** An event that was posted to a webhook endpoint. */
export interface WebhookMessage {
  /** The same for each attempt: keep the ids of a few days, and ignore a message whose id is known. */
  id: string;
  /** The kind of event, as `noun.verb`. */
  type: string;
  /** The time of the event. */
  timestamp: string;
  data: { user_group?: Schemas['ChangedUserGroup']; object?: Schemas['ChangedObject'] };
}

export interface VerifyOptions {
  /** The seconds by which the time of the attempt may differ from the clock, 300 by default. */
  toleranceSeconds?: number;
}

/** A message is not from the service, or too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies a message of a webhook (Standard Webhooks 1.0), and reads it.
 * @param body the bytes that arrived, before they are parsed
 * @param headers the headers that arrived
 * @param secret the `whsec_…` of the endpoint, or its `whpk_…`; during a roll, both
 * @throws WebhookVerificationError: respond with 400
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): WebhookMessage {
  const keys = [secret].flat().map(verifierOf);
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) {
    throw new WebhookVerificationError('a header of the signature is missing');
  }
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  // Written so that a time that is no number is refused.
  if (!/^\d+$/.test(timestamp) || !(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError('the message is too old, or a clock is wrong');
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]);
  const isSigned = signatures
    .split(' ')
    .some((one) => keys.some((verifies) => verifies(one, signed)));
  if (!isSigned) throw new WebhookVerificationError('the message is not signed with this secret');
  const message = objectIn(new TextDecoder().decode(bytes));
  if (!message) throw new WebhookVerificationError('the message is not a JSON object');
  return { ...message, id } as WebhookMessage;
}

type Verifier = (signature: string, signed: Buffer) => boolean;

/** @throws TypeError that does not show the secret */
function verifierOf(secret: string): Verifier {
  const [, kind, key = ''] = /^(whsec|whpk)_([A-Za-z0-9+/]+=*)\s*$/.exec(secret) ?? [];
  const bytes = Buffer.from(key, 'base64');
  if (kind === 'whsec' && bytes.length >= MIN_KEY_BYTES && bytes.length <= MAX_KEY_BYTES) {
    return symmetric(bytes);
  }
  if (kind === 'whpk') return asymmetric(bytes);
  const form = `whsec_ and the Base64 of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes, or whpk_`;
  throw new TypeError(`the secret of a webhook is ${form} and a public key`);
}

function symmetric(key: Buffer): Verifier {
  return (signature, signed) => {
    const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

function asymmetric(key: Buffer): Verifier {
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') },
    format: 'jwk',
  });
  return (signature, signed) =>
    signature.startsWith('v1a,') &&
    verify(null, signed, publicKey, Buffer.from(signature.slice(4), 'base64'));
}

function header(
  headers: Headers | Record<string, string | string[] | undefined>,
  name: string,
): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(value) ? value.join(' ') : value;
}
