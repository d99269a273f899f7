import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { EMBEDDING_BITS, withoutEmbedding } from '../common/http/parameters/embedded-ipv4.ts';
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

const UNIT_BYTES: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2 };
const UNIT_SECONDS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

type Unit = keyof typeof UNIT_SECONDS;

/** Accepts any text. */
export function text(value: string): string {
  return value;
}

/** Reads a comma-separated list. */
export function list(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** Reads a comma-separated list of one name at least, in any case. */
export function nameList(value: string): string[] {
  const names = list(value.toLowerCase());
  if (names.length > 0) return names;
  throw new ConfigError('must have a name at least.');
}

/** Reads the URL of a service without a trailing slash: an issuer of RFC 8414, section 2, for example. `http` is for trials. */
export function httpUrl(value: string): string {
  if (/^https?:\/\/[^?#]+$/i.test(value) && URL.canParse(value)) {
    const { username, password, href } = new URL(value);
    if (username + password === '') return href.replace(/\/+$/, '');
  }
  throw new ConfigError(
    'must be a URL such as https://user-groups.example.com, without a user, a query or a fragment.',
  );
}

/** Reads the URL with which the issuers of embed tokens begin: an issuer has at most 255 characters. */
export function publicUrl(value: string): string {
  if (value.length <= 200) return httpUrl(value);
  throw new ConfigError('must have at most 200 characters.');
}

/**
 * Reads a URL that receives secrets, unencrypted on this machine alone. Keeps each character: issuers are compared
 * character by character (OpenID Connect Discovery 1.0, section 4.3).
 */
export function secureUrl(value: string): string {
  const { protocol, hostname } = new URL(httpUrl(value));
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return value;
  throw new ConfigError('must begin with https://, unless it is on this machine.');
}

/** Makes a reader of whole numbers from `min` to `max`. */
export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    throw new ConfigError(`must be a whole number from ${min} to ${max}.`);
  };
}

/** Makes a reader of bytes, with the optional units KiB and MiB: `65536`, `256KiB`, `1MiB`. */
export function bytes(min: number, max: number): (value: string) => number {
  return (value) => {
    const [, digits, unit] = /^(\d{1,12})\s*(?:([km])ib)?$/i.exec(value) ?? [];
    const number = Number(digits) * (UNIT_BYTES[unit?.toLowerCase() ?? ''] ?? NaN);
    if (number >= min && number <= max) return number;
    throw new ConfigError(
      `must be a size such as 65536, 256KiB or 1MiB, from ${min} to ${max} bytes.`,
    );
  };
}

/** Makes a reader of a time in this unit: `30`, or with a unit of its own `90s`, `30m`, `168h`, `7d`. */
export function duration(unit: Unit, min: number, max: number): (value: string) => number {
  return (value) => {
    const [, digits, letter] = /^(\d{1,10})([smhd]?)$/i.exec(value) ?? [];
    const own =
      (Object.keys(UNIT_SECONDS) as Unit[]).find(([first]) => first === letter?.toLowerCase()) ??
      unit;
    const number = (Number(digits) * UNIT_SECONDS[own]) / UNIT_SECONDS[unit];
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    throw new ConfigError(
      `must be from ${min} to ${max} whole ${unit}: a number, or a duration such as 90s, 30m, 168h or 7d.`,
    );
  };
}

const ON = ['on', 'true', 'yes', '1'];
const OFF = ['off', 'false', 'no', '0'];

export function onOff(value: string): boolean {
  const word = value.toLowerCase();
  if ([...ON, ...OFF].includes(word)) return ON.includes(word);
  throw new ConfigError('must be on or off; true and false, yes and no, 1 and 0 mean the same.');
}

/** Makes a reader of one of these words, in any case. */
export function oneOf<const T extends string>(...choices: T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value.toLowerCase());
    if (choice !== undefined) return choice;
    throw new ConfigError(`must be one of ${choices.join(', ')}.`);
  };
}

/** Forms that other programs take, and what to write instead. */
const OTHER_FORMS: [RegExp, string][] = [
  [/^(['"]).*\1$/s, 'must not be in quotes: an --env-file takes them as text.'],
  [
    /^postgres(ql)?:\/\/([^/?#]*@)?[^@/?#]*,[^@/?#]*([/?#]|$)/,
    'must name one host, such as that of a load balancer.',
  ],
  [
    /^postgres(ql)?:\/\/[^/?#]*@\//,
    'must have a host. For a socket write postgres://user:password@localhost/database?host=/directory/of/the/socket.',
  ],
  [
    /^postgres(ql)?:\/\/[^/?#]*\/?([?#][^@]*)?$/,
    'must name a database, such as postgres://user:password@host:5432/database.',
  ],
];

export function postgresUrl(value: string): string {
  const [, instead] = OTHER_FORMS.find(([form]) => form.test(value)) ?? [];
  if (instead !== undefined) throw new ConfigError(instead);
  if (isPostgresUrl(value)) return value;
  throw new ConfigError(
    'must be a URL such as postgres://user:password@host:5432/database, or unset for the embedded database; percent-encode the user and the password: %2F is a slash, %23 a hash, %3F a question mark, %40 an at sign, %25 a percent sign.',
  );
}

function isPostgresUrl(value: string): boolean {
  // An @ behind the first of /?# ends no password for a URL: the text before it would be taken for the host.
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
 * Reads the proxies that may report the client's address: their number, or their addresses. Refuses `true`, which would
 * trust an address that any client can write into a header.
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

/** Whether a range is written as an IPv4 address in an IPv6 form, and extends beyond that form. */
function isWiderThanItsForm(range: string): boolean {
  const [text = '', prefix] = range.split('/');
  const address = ipaddr.parse(text);
  return withoutEmbedding(address) !== address && Number(prefix ?? 128) < EMBEDDING_BITS;
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
