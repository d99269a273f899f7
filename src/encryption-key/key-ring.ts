import { createHmac } from 'node:crypto';
import { OperatorError } from '../common/operator-error.ts';
import type { EncryptionKey } from '../common/key-provider.ts';

/** The keys of the service: the first encrypts, every one decrypts. */
export class KeyRing {
  private forgotten: readonly string[] = [];

  constructor(readonly keys: readonly EncryptionKey[]) {}

  /** @throws OperatorError unless there is a key, and each has 32 bytes and an id of its own that can be stored */
  static of(keys: readonly EncryptionKey[]): KeyRing {
    const ids = new Set(keys.map(({ id }) => id));
    const isUsable = keys.every(
      ({ id, secret }) => /^[\w-]{1,32}$/.test(id) && secret.length === 32,
    );
    if (keys.length > 0 && ids.size === keys.length && isUsable) return new KeyRing(keys);
    throw new OperatorError(
      'What provides the encryption keys must give one or more, each with an id of its own and 32 bytes.',
    );
  }

  /** The key that encrypts. */
  get current(): EncryptionKey {
    return this.keys[0]!;
  }

  find(id: string): EncryptionKey | undefined {
    return this.keys.find((key) => key.id === id);
  }

  /** Marks missing keys as given up by the operator. */
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
