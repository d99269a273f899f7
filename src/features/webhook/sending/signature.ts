import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { randomBytes } from '../../../platform/common/secret/random-bytes.ts';

/** The schemes of Standard Webhooks 1.0: `v1` is an HMAC, `v1a` Ed25519. */
export const signatureSchemes = ['v1', 'v1a'] as const;

export type SignatureScheme = (typeof signatureSchemes)[number];

/** The signed content: the id of the message, its time in whole seconds, and its exact body. */
export interface SignedMessage {
  id: string;
  timestamp: number;
  body: string;
}

const SECRET_BYTES = 32;
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const HALF_OF_KEY = 32;

/** A stored secret, with the part that may be shown at any time. */
export interface SigningSecret {
  /** `whsec_…`, or `whsk_…`: the private key followed by the public one. */
  secret: string;
  /** `whpk_…`; null for `v1`, whose receivers share the secret. */
  publicKey: string | null;
}

export function generateSigningSecret(scheme: SignatureScheme): SigningSecret {
  if (scheme === 'v1') {
    return { secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`, publicKey: null };
  }
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [privateKey, publicKey] = [Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')];
  return {
    secret: `whsk_${Buffer.concat([privateKey, publicKey]).toString('base64')}`,
    publicKey: `whpk_${publicKey.toString('base64')}`,
  };
}

/**
 * Returns the value of `webhook-signature`: one signature per secret, so that a receiver that knows either of two
 * accepts the message.
 * @throws RangeError for a secret of the wrong form
 */
export function signatureOf(message: SignedMessage, secrets: readonly string[]): string {
  const { id, timestamp, body } = message;
  const content = `${id}.${timestamp}.${body}`;
  return secrets.map((secret) => signWith(secret, content)).join(' ');
}

function signWith(secret: string, content: string): string {
  if (secret.startsWith('whsk_')) {
    return `v1a,${sign(null, Buffer.from(content), toPrivateKey(secret)).toString('base64')}`;
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length < MIN_SECRET_BYTES || key.length > MAX_SECRET_BYTES) {
    throw new RangeError('a secret of v1 has 24 to 64 bytes');
  }
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

function toPrivateKey(secret: string): KeyObject {
  const both = Buffer.from(secret.slice('whsk_'.length), 'base64');
  if (both.length !== 2 * HALF_OF_KEY) throw new RangeError('a key of v1a has 64 bytes');
  const [d, x] = [both.subarray(0, HALF_OF_KEY), both.subarray(HALF_OF_KEY)].map((half) =>
    half.toString('base64url'),
  );
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
}
