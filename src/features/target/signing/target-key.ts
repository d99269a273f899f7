import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import type { TargetAlgorithm } from '../definition/target-definition.ts';

/** RFC 7518, section 3.2: a key of the size of the hash or larger. */
const MIN_SECRET_BYTES = 32;
/** RFC 7518, section 3.3. */
const MIN_RSA_BITS = 2048;
/** A larger key takes so long that one caller could hold up the others. */
const MAX_RSA_BITS = 4096;

/**
 * Reads the key of a signature, and tries it.
 * @param text an HS256 secret, whose key is its UTF-8, or a private key in PEM without a passphrase
 * @returns undefined for a text that is no such key, or one that is too weak
 */
export function readTargetKey(alg: TargetAlgorithm, text: string): KeyObject | undefined {
  if (alg === 'HS256') {
    const secret = Buffer.from(text, 'utf8');
    return secret.length >= MIN_SECRET_BYTES ? createSecretKey(secret) : undefined;
  }
  try {
    const key = createPrivateKey(text);
    return isFor(alg, key) && canSign(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the public part of a key, which verifiers may know; undefined for a secret, which has none. */
export function publicJwkOf(
  alg: TargetAlgorithm,
  id: string,
  key: KeyObject,
): JsonObject | undefined {
  if (key.type === 'secret') return undefined;
  const jwk = createPublicKey(key).export({ format: 'jwk' }) as JsonObject;
  return { ...jwk, use: 'sig', alg, kid: id };
}

function isFor(alg: TargetAlgorithm, { asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  if (alg === 'ES256') {
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  }
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  return asymmetricKeyType === 'rsa' && bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS;
}

function canSign(key: KeyObject): boolean {
  const text = randomBytes(32);
  return verify('sha256', text, createPublicKey(key), sign('sha256', text, key));
}
