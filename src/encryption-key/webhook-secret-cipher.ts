import { WebhookSecretUnreadable } from '../common/problem/errors.ts';
import type { KeyRing } from './key-ring.ts';
import { seal, type SealedText, unseal } from './sealed-text.ts';

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
export class WebhookSecretCipher {
  /** @param onEncrypt called after each encryption with the first key */
  constructor(
    private readonly keys: KeyRing,
    private readonly onEncrypt: () => void = () => undefined,
  ) {}

  encrypt(secrets: WebhookSecrets, owner: SecretsOwner): SealedText {
    const sealed = seal(this.keys, JSON.stringify(secrets), nameOf(owner));
    this.onEncrypt();
    return sealed;
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

function nameOf({ workspaceId, id }: SecretsOwner) {
  return (version: number, keyId: string) => `whe:${version}:${keyId}:${workspaceId}:${id}`;
}
