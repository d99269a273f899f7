import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { EMBEDDING_BITS, withoutEmbedding } from '../common/embedded-ipv4.ts';
import type { EncryptionKey } from '../common/key-provider.ts';
import { isWellFormedToken } from '../common/secrets.ts';
import { isIssuer } from '../common/text.ts';
import { ConfigError } from './variable.ts';

/** A key that only another service can unwrap. */
export interface WrappedKey {
  id: string;
  /** `vault:v1:…`, as the transit engine of Vault gives it. */
  wrapped: string;
}

/** A key as it is configured. */
export type ConfiguredKey = EncryptionKey | WrappedKey;

/**
 * The fewest different bytes a key must have, and the fewest different steps from one byte to the
 * next. Not one in a billion random keys has fewer.
 */
const LEAST_VARIED_BYTES = 17;
/** The same for 32 random characters, even of an alphabet of only 16, such as hexadecimal digits. */
const LEAST_VARIED_CHARACTERS = 8;

const UNIT_BYTES: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2 };

/** Takes any text. */
export function text(value: string): string {
  return value;
}

/** Reads what commas separate. */
export function list(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

export function issuer(value: string): string {
  if (isIssuer(value)) return value;
  throw new ConfigError(
    'must be a URL, or a text without a colon: 1 to 255 visible ASCII characters without spaces.',
  );
}

/**
 * Reads where something is reached, without the slash at its end: an issuer of RFC 8414, section 2, or another
 * service. `http` is for trials.
 */
export function httpUrl(value: string): string {
  if (/^https?:\/\/[^?#]+$/i.test(value) && URL.canParse(value)) {
    const { username, password, href } = new URL(value);
    if (username + password === '') return href.replace(/\/+$/, '');
  }
  throw new ConfigError(
    'must be a URL such as https://user-groups.example.com, without a user, a query or a fragment.',
  );
}

/**
 * Reads where secrets are sent: as `httpUrl`, and unencrypted on this machine alone. Keeps each character: an
 * issuer is compared character by character (OpenID Connect Discovery 1.0, section 4.3).
 */
export function secureUrl(value: string): string {
  const { protocol, hostname } = new URL(httpUrl(value));
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return value;
  throw new ConfigError('must begin with https://, unless it is on this machine.');
}

/** Reads what is asked of an identity provider, `openid` among it. */
export function openIdScope(value: string): string {
  if (/^[\x21-\x7e ]{1,1000}$/.test(value) && value.split(' ').includes('openid')) return value;
  throw new ConfigError('must name scopes of the identity provider, openid among them.');
}

/** Makes what reads a whole number in digits, from `min` to `max`. */
export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    throw new ConfigError(`must be a whole number from ${min} to ${max}.`);
  };
}

/** Reads a number of bytes, with the optional units KiB and MiB: `65536`, `256KiB`, `1MiB`. */
export function bytes(min: number, max: number): (value: string) => number {
  return (value) => {
    const [, digits, unit] = /^(\d{1,12})\s*(?:([km])i?b?|b)?$/i.exec(value) ?? [];
    const number = Number(digits) * (UNIT_BYTES[unit?.toLowerCase() ?? ''] ?? NaN);
    if (number >= min && number <= max) return number;
    throw new ConfigError(
      `must be a size such as 65536, 256KiB or 1MiB, from ${min} to ${max} bytes.`,
    );
  };
}

/** Makes what reads one of these words. */
export function oneOf<const T extends string>(...choices: T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw new ConfigError(`must be one of ${choices.join(', ')}.`);
  };
}

export function postgresUrl(value: string): string {
  if (isPostgresUrl(value)) return value;
  throw new ConfigError(
    'must be a URL such as postgres://user:password@host:5432/database, or unset for the embedded database; percent-encode the user and the password: %2F is a slash, %23 a hash, %3F a question mark, %40 an at sign, %25 a percent sign.',
  );
}

function isPostgresUrl(value: string): boolean {
  // An @ behind the first of /?# ends no password for a URL: what stands before it would be taken for the host.
  if (!/^postgres(ql)?:\/\/[^/?#]*([/?#][^@]*)?$/.test(value) || !URL.canParse(value)) return false;
  const { username, password, pathname } = new URL(value);
  return isEncoded(username + password + pathname);
}

/** Reads the name of a schema that needs no quotes. */
export function schemaName(value: string): string {
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(value)) return value;
  throw new ConfigError(
    'must be the name of a schema: lower-case letters, digits and underscores, at most 63, not beginning with pg_.',
  );
}

/** Reads a URL of the `redis` or, with TLS, `rediss` scheme (IANA); the path is the number of a database. */
export function redisUrl(value: string): string {
  if (isRedisUrl(value)) return value;
  throw new ConfigError(
    'must be a URL such as redis://user:password@host:6379/0, or rediss://… for TLS; the password percent-encoded.',
  );
}

function isRedisUrl(value: string): boolean {
  if (!/^rediss?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { hostname, pathname, username, password } = new URL(value);
  return hostname !== '' && /^(\/\d{0,5})?$/.test(pathname) && isEncoded(username + password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads `k2:<base64>,k1:<base64>`: the first key encrypts, all of them decrypt. Ids are 1–32 of
 * `A-Z a-z 0-9 _ -`, keys are 32 bytes in base64 or base64url.
 */
export function encryptionKeys(value: string): EncryptionKey[] {
  return differentKeys(value.split(',').map(encryptionKey));
}

/** As `encryptionKeys`, where some may be wrapped: `k2:vault:v1:…`, as the transit engine of Vault gives them. */
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
  return secret.length === 32 && isVaried(secret, LEAST_VARIED_BYTES);
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
  if (!isVaried(secret, LEAST_VARIED_BYTES)) {
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
 * Reads which proxies are trusted to report the client's address: their number, or their addresses.
 * Refuses `true`, which would trust an address that any client can write into a header.
 */
export function trustedProxies(value: string): number | string[] {
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const proxies = value.split(',').map((proxy) => proxy.trim());
  if (proxies.every(isProxyRange)) return proxies;
  throw new ConfigError(
    'must be the number of proxies in front (0 for none), or a list of their addresses and CIDR ranges; loopback, linklocal and uniquelocal name such ranges.',
  );
}

function isProxyRange(proxy: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(proxy) || isRange(proxy);
}

function isRange(range: string): boolean {
  const [address = '', prefix, ...more] = range.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return false;
  return (
    prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
  );
}

/** Reads a list of addresses and CIDR ranges. */
export function cidrs(value: string): string[] {
  const ranges = value.split(',').map((range) => range.trim());
  if (!ranges.every(isRange)) {
    throw new ConfigError(
      'must be a list of addresses and CIDR ranges, such as 10.1.2.0/24,fd00:1::/32.',
    );
  }
  if (ranges.some(isWiderThanItsForm)) {
    throw new ConfigError(
      'must not have an IPv4 address in an IPv6 form with a prefix below 96, which would mean every IPv4 address; write the IPv4 range.',
    );
  }
  return ranges;
}

/** Whether a range is written as an IPv4 address in an IPv6 form, and reaches beyond that form. */
function isWiderThanItsForm(range: string): boolean {
  const [text = '', prefix] = range.split('/');
  const address = ipaddr.parse(text);
  return withoutEmbedding(address) !== address && Number(prefix ?? 128) < EMBEDDING_BITS;
}

/**
 * Reads a well-formed `uga_…` token, or a secret made elsewhere of at least 32 visible ASCII
 * characters: anything else could be guessed, or not be sent in an `Authorization` header.
 */
export function apiToken(value: string): string {
  const isOwnForm = /^[\x21-\x7e]{32,512}$/.test(value) && !/^ug[at]_/.test(value);
  if (isOwnForm || isWellFormedToken('uga', value)) {
    if (isVaried(Buffer.from(value), LEAST_VARIED_CHARACTERS)) return value;
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
