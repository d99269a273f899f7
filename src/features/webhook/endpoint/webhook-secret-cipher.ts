import { Injectable } from '@nestjs/common';
import { WebhookSecretUnreadable } from './webhook.errors.ts';
import { KeyRing } from '../../../core/encryption-key/key-ring.ts';
import {
  type OwnerName,
  seal,
  type SealedText,
  unseal,
} from '../../../core/encryption-key/sealed-text.ts';

/** The secret parts of a webhook endpoint. */
export interface WebhookSecrets {
  secret: string;
  /** A second signature, until its time is over. */
  oldSecret?: string;
  /** Header fields of every message, whose values may be credentials. */
  headers: Record<string, string>;
}

/** The endpoint that a ciphertext is bound to; it can be decrypted for no other. */
export interface SecretsOwner {
  workspaceId: number;
  id: number;
}

/** Encrypts the secrets of webhook endpoints at rest, those of one endpoint together. */
@Injectable()
export class WebhookSecretCipher {
  constructor(private readonly keys: KeyRing) {}

  encrypt(secrets: WebhookSecrets, owner: SecretsOwner): SealedText {
    return seal(this.keys, JSON.stringify(secrets), nameOf(owner));
  }

  /** @throws WebhookSecretUnreadable if the key is missing or the ciphertext belongs to another endpoint */
  decrypt(sealed: SealedText, owner: SecretsOwner): WebhookSecrets {
    try {
      return JSON.parse(unseal(this.keys, sealed, nameOf(owner))) as WebhookSecrets;
    } catch (error) {
      throw new WebhookSecretUnreadable(error);
    }
  }
}

function nameOf({ workspaceId, id }: SecretsOwner): OwnerName {
  return ['whe', workspaceId, id];
}
