import { createCipheriv, createDecipheriv } from 'node:crypto';
import { randomBytes } from '../../platform/common/secret/random-bytes.ts';
import type { KeyRing } from './key-ring.ts';

export interface SealedText {
  keyId: string;
  ciphertext: Buffer;
}

/** The kind of text, and the ids of the row that it is in. */
export type OwnerName = readonly [kind: string, ...ids: (number | string)[]];

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + NONCE_LENGTH + TAG_LENGTH;
const VERSION_BYTE = Buffer.of(VERSION);

/**
 * Encrypts a text with the first key by AES-256-GCM (NIST SP 800-38D): a version byte, a random 96-bit nonce, the
 * 128-bit tag, the encrypted text. It can be opened for the same `owner` alone.
 */
export function seal(keys: KeyRing, text: string, owner: OwnerName): SealedText {
  const { id, secret } = keys.current;
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(ALGORITHM, secret, nonce);
  cipher.setAAD(Buffer.from(nameOf(owner, id)));
  const encrypted = cipher.update(text, 'utf8');
  // In this mode it makes the tag, and has no bytes left.
  cipher.final();
  const ciphertext = Buffer.concat([VERSION_BYTE, nonce, cipher.getAuthTag(), encrypted]);
  keys.onEncrypt();
  return { keyId: id, ciphertext };
}

/** @throws Error if the key is missing, or the ciphertext belongs to another owner */
export function unseal(keys: KeyRing, { keyId, ciphertext }: SealedText, owner: OwnerName): string {
  const key = keys.find(keyId);
  if (!key) throw new Error(`no key "${keyId}" is configured`);
  if (ciphertext[0] !== VERSION || ciphertext.length <= HEADER_LENGTH) {
    throw new Error('unknown ciphertext version');
  }
  const nonce = ciphertext.subarray(1, 1 + NONCE_LENGTH);
  const decipher = createDecipheriv(ALGORITHM, key.secret, nonce, { authTagLength: TAG_LENGTH });
  decipher.setAAD(Buffer.from(nameOf(owner, keyId)));
  decipher.setAuthTag(ciphertext.subarray(1 + NONCE_LENGTH, HEADER_LENGTH));
  const text = decipher.update(ciphertext.subarray(HEADER_LENGTH));
  decipher.final();
  return text.toString('utf8');
}

function nameOf([kind, ...ids]: OwnerName, keyId: string): string {
  return [kind, VERSION, keyId, ...ids].join(':');
}
