import { createHmac } from 'node:crypto';
import type { EncryptionKey } from '../../platform/common/secret/key-provider.ts';

/** The keys of the service: the first encrypts, every one decrypts. */
export class KeyRing {
  /** Called after each encryption with the first key. */
  onEncrypt: () => void = () => undefined;
  private forgotten: readonly string[] = [];

  constructor(readonly keys: readonly EncryptionKey[]) {}

  get current(): EncryptionKey {
    return this.keys[0]!;
  }

  find(id: string): EncryptionKey | undefined {
    return this.keys.find((key) => key.id === id);
  }

  /** Marks missing keys as declared lost by the operator. */
  markForgotten(ids: readonly string[]): void {
    this.forgotten = ids;
  }

  isForgotten(id: string): boolean {
    return this.forgotten.includes(id);
  }
}

/** Identifies a key without revealing anything about it: an HMAC-SHA-256 of a fixed text. */
export function keyCheckValue(key: EncryptionKey): Buffer {
  return createHmac('sha256', key.secret).update('user-group-service key check').digest();
}
