import { UserGroupTokenForgotten, UserGroupTokenUnreadable } from '../common/problem/errors.ts';
import type { KeyRing } from './key-ring.ts';
import { seal, type SealedText, unseal } from './sealed-text.ts';

/** The key of the row that a ciphertext is bound to; it can be decrypted for no other. */
export interface TokenRow {
  workspaceId: number;
  tokenHash: Buffer;
}

export type EncryptedToken = SealedText;

/** Encrypts user-group tokens at rest, each bound to its row. */
export class UserGroupTokenCipher {
  /** @param onEncrypt called after each encryption with the first key */
  constructor(
    private readonly keys: KeyRing,
    private readonly onEncrypt: () => void = () => undefined,
  ) {}

  encrypt(token: string, row: TokenRow): EncryptedToken {
    const sealed = seal(this.keys, token, ownerOf(row));
    this.onEncrypt();
    return sealed;
  }

  /**
   * @throws UserGroupTokenForgotten if the key was declared lost
   * @throws UserGroupTokenUnreadable if the key is missing or the ciphertext belongs to another row
   */
  decrypt(encrypted: EncryptedToken, row: TokenRow): string {
    const { keyId } = encrypted;
    if (!this.keys.find(keyId) && this.keys.isForgotten(keyId)) throw new UserGroupTokenForgotten();
    try {
      return unseal(this.keys, encrypted, ownerOf(row));
    } catch (error) {
      throw new UserGroupTokenUnreadable(error);
    }
  }
}

/** Names the token by its hash, which is known before the database numbers the group. */
function ownerOf({ workspaceId, tokenHash }: TokenRow) {
  const hash = tokenHash.toString('base64');
  return (version: number, keyId: string) => `ugt:${version}:${keyId}:${workspaceId}:${hash}`;
}
