import type { EncryptionKey } from '../common/secret/key-provider.ts';
import { isWellFormedToken } from '../common/secret/secrets.ts';
import { ConfigError } from './variable.ts';

/** A key that only another service can unwrap. */
export interface WrappedKey {
  id: string;
  /** `vault:v1:…`, as the transit engine of Vault returns it. */
  wrapped: string;
}

export type ConfiguredKey = EncryptionKey | WrappedKey;

/**
 * Lower bound of the different bytes of a key, and of the different steps between neighbouring bytes. Fewer than one in
 * a billion random keys have fewer.
 */
const MIN_VARIED_BYTES = 17;
/** The same bound for 32 random characters, even of an alphabet of only 16, such as hexadecimal digits. */
const MIN_VARIED_CHARACTERS = 8;

/**
 * Reads `k2:<base64>,k1:<base64>`: the first key encrypts, all of them decrypt. Ids are 1–32 of `A-Z a-z 0-9 _ -`, keys
 * are 32 bytes in base64 or base64url.
 */
export function encryptionKeys(value: string): EncryptionKey[] {
  return differentKeys(value.split(',').map(encryptionKey));
}

/** Reads keys of which some may be wrapped: `k2:vault:v1:…`, as the transit engine of Vault returns them. */
export function configuredKeys(value: string): ConfiguredKey[] {
  const keys = value.split(',').map((entry) => {
    const [, id, wrapped] =
      /^\s*([\w-]{1,32}):(vault:v\d{1,9}:[A-Za-z0-9+/=_-]{1,1000})\s*$/.exec(entry) ?? [];
    return id !== undefined && wrapped !== undefined ? { id, wrapped } : encryptionKey(entry);
  });
  return differentKeys(keys);
}

/** Whether it is a key: 32 bytes that look random. */
export function isRandomKey(secret: Buffer): boolean {
  return secret.length === 32 && isVaried(secret, MIN_VARIED_BYTES);
}

function differentKeys<T extends { id: string }>(keys: T[]): T[] {
  if (new Set(keys.map((key) => key.id)).size === keys.length) return keys;
  throw new ConfigError('must not name the same key id twice.');
}

function encryptionKey(entry: string): EncryptionKey {
  const [, id, encoded] = /^\s*([\w-]{1,32}):([A-Za-z0-9+/_-]{43}=?)\s*$/.exec(entry) ?? [];
  const secret = Buffer.from(encoded ?? '', 'base64');
  if (id === undefined || secret.length !== 32) {
    throw new ConfigError(
      'must be a list such as k2:<base64>,k1:<base64>, each key 32 bytes in base64 (openssl rand -base64 32).',
    );
  }
  if (!isVaried(secret, MIN_VARIED_BYTES)) {
    throw new ConfigError(
      `must hold random keys; "${id}" repeats itself (openssl rand -base64 32 makes a key).`,
    );
  }
  return { id, secret };
}

/** Reads the path of a key of Vault's transit engine: the mount, a slash, its name. */
export function transitKey(value: string): string {
  if (/^[\w.-]+(\/[\w.-]+)+$/.test(value)) return value;
  throw new ConfigError('must be the mount and the name of a key, such as transit/user-groups.');
}

/** Reads a secret that is sent in a header field. */
export function headerText(value: string): string {
  if (/^[\x21-\x7e]{1,1000}$/.test(value)) return value;
  throw new ConfigError('must be visible ASCII characters without spaces.');
}

/**
 * Reads a well-formed `uga_…` token, or a secret made elsewhere of at least 32 visible ASCII characters: any other text
 * could be guessed, or not be sent in an `Authorization` header.
 */
export function apiToken(value: string): string {
  const isOwnForm = /^[\x21-\x7e]{32,512}$/.test(value) && !/^ug[at]_/.test(value);
  if (isOwnForm || isWellFormedToken('uga', value)) {
    if (isVaried(Buffer.from(value), MIN_VARIED_CHARACTERS)) return value;
    throw new ConfigError(
      'must be random; this one repeats itself (openssl rand -base64 32 makes a token).',
    );
  }
  throw new ConfigError(
    'must be a well-formed uga_… token or 32 to 512 visible ASCII characters without spaces.',
  );
}

/** Whether a secret looks random: it neither repeats one pattern nor counts up. */
function isVaried(secret: Buffer, least: number): boolean {
  const steps = [...secret].map((byte, index) => byte - (secret[index - 1] ?? 0));
  return [secret, steps].every((numbers) => new Set(numbers).size >= least);
}
