import { Injectable } from '@nestjs/common';
import { TargetSecretUnreadable } from '../target.errors.ts';
import { KeyRing } from '../../../core/encryption-key/key-ring.ts';
import {
  type OwnerName,
  seal,
  type SealedText,
  unseal,
} from '../../../core/encryption-key/sealed-text.ts';

/** The secrets and private keys of a target by the ids of its keys. */
export type TargetSecrets = ReadonlyMap<string, string>;

/** The target that a ciphertext is bound to; it can be decrypted for no other. */
export interface TargetOwner {
  workspaceId: number;
  name: string;
}

/** Encrypts the secrets of targets at rest, those of one target together. */
@Injectable()
export class TargetSecretCipher {
  constructor(private readonly keys: KeyRing) {}

  encrypt(secrets: TargetSecrets, owner: TargetOwner): SealedText {
    return seal(this.keys, JSON.stringify([...secrets]), nameOf(owner));
  }

  /** @throws TargetSecretUnreadable if the key is missing or the ciphertext belongs to another target */
  decrypt(sealed: SealedText, owner: TargetOwner): TargetSecrets {
    try {
      return new Map(JSON.parse(unseal(this.keys, sealed, nameOf(owner))) as [string, string][]);
    } catch (error) {
      throw new TargetSecretUnreadable(error);
    }
  }
}

function nameOf({ workspaceId, name }: TargetOwner): OwnerName {
  return ['tgt', workspaceId, name];
}
