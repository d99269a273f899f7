import { Injectable } from '@nestjs/common';
import { IdempotencyKeySpent } from '../../platform/common/problem/errors.ts';
import { KeyRing } from './key-ring.ts';
import { type OwnerName, seal, type SealedText, unseal } from './sealed-text.ts';

/** The message of a call whose response is lost. */
export const SPENT =
  'The call with this Idempotency-Key was done, and its response cannot be returned any more.';

/** The call that a ciphertext is bound to; it can be decrypted for no other. */
export interface ResponseOwner {
  workspaceId: number;
  keyHash: Buffer;
}

/** Encrypts the responses of calls with an `Idempotency-Key` at rest. */
@Injectable()
export class IdempotentResponseCipher {
  constructor(private readonly keys: KeyRing) {}

  encrypt(response: string, owner: ResponseOwner): SealedText {
    return seal(this.keys, response, nameOf(owner));
  }

  /** @throws IdempotencyKeySpent if the key that encrypts it is not configured any more */
  decrypt(sealed: SealedText, owner: ResponseOwner): string {
    if (!this.keys.find(sealed.keyId)) throw new IdempotencyKeySpent(SPENT);
    return unseal(this.keys, sealed, nameOf(owner));
  }
}

function nameOf({ workspaceId, keyHash }: ResponseOwner): OwnerName {
  return ['idr', workspaceId, keyHash.toString('hex')];
}
