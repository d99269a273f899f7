import { IdempotencyKeySpent } from '../common/problem/errors.ts';
import type { KeyRing } from './key-ring.ts';
import { seal, type SealedText, unseal } from './sealed-text.ts';

/** The message of a call whose response is lost. */
export const SPENT = 'The call with this Idempotency-Key was done, and its response cannot be returned any more.';

/** The call that a ciphertext is bound to; it can be decrypted for no other. */
export interface ResponseOwner {
  workspaceId: number;
  keyHash: Buffer;
}

/** Encrypts the responses of calls with an `Idempotency-Key` at rest. */
export class IdempotentResponseCipher {
  /** @param onEncrypt called after each encryption with the first key */
  constructor(
    private readonly keys: KeyRing,
    private readonly onEncrypt: () => void,
  ) {}

  encrypt(response: string, owner: ResponseOwner): SealedText {
    const sealed = seal(this.keys, response, nameOf(owner));
    this.onEncrypt();
    return sealed;
  }

  /** @throws IdempotencyKeySpent if the key that encrypts it is not configured any more */
  decrypt(sealed: SealedText, owner: ResponseOwner): string {
    if (!this.keys.find(sealed.keyId)) throw new IdempotencyKeySpent(SPENT);
    return unseal(this.keys, sealed, nameOf(owner));
  }
}

function nameOf({ workspaceId, keyHash }: ResponseOwner) {
  return (version: number, keyId: string) => `idr:${version}:${keyId}:${workspaceId}:${keyHash.toString('hex')}`;
}
