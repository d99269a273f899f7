import { createCipheriv, createDecipheriv } from 'node:crypto';
import { UserGroupTokenForgotten, UserGroupTokenUnreadable } from '../common/errors';
import { randomBytes } from '../common/random-bytes';
import type { KeyRing } from './key-ring';

/** The row that a ciphertext is bound to; it can be decrypted for no other. */
export interface TokenRow {
  workspaceId: number;
  userGroupId: number;
  generation: number;
}

export interface EncryptedToken {
  keyId: string;
  ciphertext: Buffer;
}

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + NONCE_LENGTH + TAG_LENGTH;

/**
 * Encrypts user-group tokens at rest with AES-256-GCM (NIST SP 800-38D): a version byte, a random
 * 96-bit nonce, the 128-bit tag, the encrypted token. The additional data binds it to its row.
 */
export class UserGroupTokenCipher {
  /** @param onEncrypt called after each encryption with the first key */
  constructor(
    private readonly keys: KeyRing,
    private readonly onEncrypt: () => void = () => undefined,
  ) {}

  encrypt(token: string, row: TokenRow): EncryptedToken {
    const { id, secret } = this.keys.current;
    const nonce = randomBytes(NONCE_LENGTH);
    const cipher = createCipheriv(ALGORITHM, secret, nonce);
    cipher.setAAD(additionalData(id, row));
    const encrypted = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
    const ciphertext = Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), encrypted]);
    this.onEncrypt();
    return { keyId: id, ciphertext };
  }

  /**
   * @throws UserGroupTokenForgotten if the key was given up
   * @throws UserGroupTokenUnreadable if the key is missing or the ciphertext is not this row's
   */
  decrypt({ keyId, ciphertext }: EncryptedToken, row: TokenRow): string {
    const key = this.keys.find(keyId);
    if (!key && this.keys.isForgotten(keyId)) throw new UserGroupTokenForgotten();
    if (!key) throw new UserGroupTokenUnreadable(new Error(`no key "${keyId}" is configured`));
    if (ciphertext[0] !== VERSION || ciphertext.length <= HEADER_LENGTH) {
      throw new UserGroupTokenUnreadable(new Error('unknown ciphertext version'));
    }
    const nonce = ciphertext.subarray(1, 1 + NONCE_LENGTH);
    const decipher = createDecipheriv(ALGORITHM, key.secret, nonce, { authTagLength: TAG_LENGTH });
    decipher.setAAD(additionalData(keyId, row));
    decipher.setAuthTag(ciphertext.subarray(1 + NONCE_LENGTH, HEADER_LENGTH));
    try {
      const encrypted = ciphertext.subarray(HEADER_LENGTH);
      const token = decipher.update(encrypted);
      decipher.final();
      return token.toString('utf8');
    } catch (error) {
      throw new UserGroupTokenUnreadable(error);
    }
  }
}

function additionalData(keyId: string, { workspaceId, userGroupId, generation }: TokenRow): Buffer {
  return Buffer.from(`ugt:${VERSION}:${keyId}:${workspaceId}:${userGroupId}:${generation}`);
}
