import { Injectable } from '@nestjs/common';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import {
  EncryptionKeyRepository,
  type RecordedKey,
} from '../../core/encryption-key/encryption-key.repository.ts';
import { KeyRing, keyCheckValue } from '../../core/encryption-key/key-ring.ts';
import { EncryptedTokens } from './encrypted-tokens.ts';

/** Compares the configured keys with those of the database. */
@Injectable()
export class KeyCheck {
  constructor(
    private readonly ring: KeyRing,
    private readonly keys: EncryptionKeyRepository,
    private readonly tokens: EncryptedTokens,
  ) {}

  /**
   * Requires every key in use, before anything is served: the operator should find a token that cannot be decrypted,
   * not a caller. The command line starts without this check, because it offers the way out.
   * @throws OperatorError if a key differs from the recorded one, or if one in use is missing and not declared lost
   */
  async requireEveryKey(): Promise<void> {
    // Checked first, so that a start that fails leaves nothing behind.
    const missing = await this.findMissing();
    await this.requireRightKeys();
    this.ring.markForgotten(missing.filter(isForgotten).map(({ id }) => id));
  }

  private async findMissing(): Promise<RecordedKey[]> {
    const recorded = await this.keys.list();
    const missing = recorded.filter(({ id }) => !this.ring.find(id));
    for (const { id, forgottenAt } of missing) {
      if (forgottenAt === null && (await this.tokens.hasAny(id))) {
        throw new OperatorError(
          `The database holds what is encrypted with the key "${id}", which is not configured; add it to TOKEN_ENCRYPTION_KEYS, or see "keys forget" if it is lost.`,
        );
      }
    }
    return missing;
  }

  /**
   * Requires the configured keys to be the recorded ones, so that nothing is encrypted with a wrong key: records the
   * current key if it is new, and clears the mark of a lost key that is configured again.
   * @throws OperatorError if a configured key differs from the recorded one
   */
  async requireRightKeys(): Promise<void> {
    const recorded = await this.keys.list();
    const configured = recorded.filter(({ id }) => this.ring.find(id));
    for (const key of configured) this.requireSame(key);
    for (const { id } of configured.filter(isForgotten)) await this.keys.clearForgotten(id);
    const { current } = this.ring;
    if (recorded.some(({ id }) => id === current.id)) return;
    await this.keys.record(current);
    // Another replica may have recorded another key under this id in the meantime.
    return this.requireRightKeys();
  }

  private requireSame({ id, checkValue }: RecordedKey): void {
    if (keyCheckValue(this.ring.find(id)!).equals(checkValue)) return;
    throw new OperatorError(
      `The encryption key "${id}" is not the one this database was written with; restore it, or give a new key a new id.`,
    );
  }
}

function isForgotten({ forgottenAt }: RecordedKey): boolean {
  return forgottenAt !== null;
}
