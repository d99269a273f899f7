import { Injectable } from '@nestjs/common';
import { UserGroupTokenForgotten, UserGroupTokenUnreadable } from './encryption-key.errors.ts';
import { KeyRing } from './key-ring.ts';
import { type OwnerName, seal, type SealedText, unseal } from './sealed-text.ts';

/** The key of the row that a ciphertext is bound to; it can be decrypted for no other. */
export interface TokenRow {
  workspaceId: number;
  tokenHash: Buffer;
}

export type EncryptedToken = SealedText;

/** Encrypts user-group tokens at rest, each bound to its row. */
@Injectable()
export class UserGroupTokenCipher {
  constructor(private readonly keys: KeyRing) {}

  encrypt(token: string, row: TokenRow): EncryptedToken {
    return seal(this.keys, token, nameOf(row));
  }

  /**
   * @throws UserGroupTokenForgotten if the key was declared lost
   * @throws UserGroupTokenUnreadable if the key is missing or the ciphertext belongs to another row
   */
  decrypt(encrypted: EncryptedToken, row: TokenRow): string {
    const { keyId } = encrypted;
    if (!this.keys.find(keyId) && this.keys.isForgotten(keyId)) throw new UserGroupTokenForgotten();
    try {
      return unseal(this.keys, encrypted, nameOf(row));
    } catch (error) {
      throw new UserGroupTokenUnreadable(error);
    }
  }
}

/** Names the token by its hash, which is known before the database numbers the group. */
function nameOf({ workspaceId, tokenHash }: TokenRow): OwnerName {
  return ['ugt', workspaceId, tokenHash.toString('base64')];
}
