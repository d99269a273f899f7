import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBytes } from './random-bytes.ts';

/** `uga_…`: an API token; `ugt_…`: a user-group token. */
export type TokenPrefix = 'uga' | 'ugt';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/**
 * Matches every token in a text, whole or cut short, whatever precedes it; a JWT by the first name in its header (alg,
 * typ or kid), a JWE likewise, and every secret of webhooks. The bound keeps a search in hostile text short.
 */
const TOKEN_PATTERN =
  /(ug[at]_)[0-9A-Za-z]+|(eyJ)(?:hbGci|0eXAi|raWQi)[\w-]{8,200}\.(?:[\w-]+\.[\w-]*|\.[\w-]*(?:\.[\w-]*){0,2})|(whs(?:ec|k)_)[0-9A-Za-z+/]+=*/g;
/** Matches only texts that are long enough to be a token: a name may begin like one. */
const WHOLE_TOKEN_PATTERN =
  /(ug[at]_)[0-9A-Za-z]{38,}|(eyJ)(?:hbGci|0eXAi|raWQi)[\w-]{8,200}\.(?:[\w-]+\.[\w-]*|\.[\w-]*(?:\.[\w-]*){0,2})|(whs(?:ec|k)_)[0-9A-Za-z+/]{32,}=*/g;
/** Matches the beginning of whatever the patterns match: most texts have none, and need no replacement. */
const TOKEN_PREFIX = /ug[at]_|eyJ|whs(?:ec|k)_/;
/** A token that another system may have issued: 20–255 visible ASCII characters. */
const FOREIGN_TOKEN = /^[\x21-\x7e]{20,255}$/;

/**
 * Creates a function that redacts every token in a text.
 * @param secret another text to redact: a token without the usual form
 * @param whole keep texts that are too short to be a token
 */
export function redactor(
  secret: string | undefined,
  { whole = false }: { whole?: boolean } = {},
): (text: string) => string {
  const pattern = whole ? WHOLE_TOKEN_PATTERN : TOKEN_PATTERN;
  const redact = (text: string) =>
    TOKEN_PREFIX.test(text) ? text.replace(pattern, '$1$2$3[redacted]') : text;
  if (secret === undefined) return redact;
  const inJson = JSON.stringify(secret).slice(1, -1);
  return (text) => redact(text).replaceAll(secret, '[redacted]').replaceAll(inJson, '[redacted]');
}

export const redactTokens = redactor(undefined);

/**
 * Generates a token: prefix, 32 random base62 characters (190 bits) and their checksum, six base62 digits of the CRC-32
 * of the random part, by which scanners tell a token from a look-alike.
 */
export function generateToken(prefix: TokenPrefix): string {
  const random = randomBase62(RANDOM_LENGTH);
  return `${prefix}_${random}${checksum(random)}`;
}

/** Whether `token` has the prefix, the length, the alphabet and the checksum of a generated token. */
export function isWellFormedToken(prefix: TokenPrefix, token: string): boolean {
  const [, found, random, sum] = /^(ug[at])_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(token) ?? [];
  return found === prefix && random !== undefined && sum === checksum(random);
}

/**
 * Whether a text can be the token of a user group: one of this service, or an imported one of another system. A text with
 * the prefix of this service must be its token, and an API token never qualifies.
 */
export function canBeUserGroupToken(text: string): boolean {
  if (text.startsWith('ugt_')) return isWellFormedToken('ugt', text);
  return FOREIGN_TOKEN.test(text) && !text.startsWith('uga_');
}

/** Returns the SHA-256 of a text, 32 bytes. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Hashes an `Idempotency-Key`, which might be a secret of the caller; equal keys of different API tokens are unrelated. */
export function hashIdempotencyKey(apiTokenId: number | null, key: string): Buffer {
  return sha256(`${apiTokenId} ${key}`);
}

/** Returns the SHA-256 of the token, 32 bytes, for storage and lookup. */
export function hashToken(token: string): Buffer {
  return sha256(token);
}

/** Returns the hash of a token in base64, for caches. */
export function hashTokenText(token: string): string {
  return hash('sha256', token, 'base64');
}

function checksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/**
 * Draws random base62 characters. Bytes of 248 and above are dropped: 248 is the largest multiple of 62, so no
 * character is favoured.
 */
function randomBase62(length: number): string {
  const letters = Buffer.allocUnsafe(length);
  for (let drawn = 0; drawn < length;) {
    for (const byte of randomBytes(length - drawn)) {
      if (byte < 248) letters[drawn++] = ALPHABET.charCodeAt(byte % ALPHABET.length);
    }
  }
  return letters.toString('latin1');
}
