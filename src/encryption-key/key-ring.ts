import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../common/operator-error.ts';
import { othersMay } from '../common/others-may.ts';
import { createPrivateFile } from '../common/private-file.ts';
import type { Config } from '../config/config.ts';
import { type EncryptionKey, encryptionKeys } from '../config/readers.ts';

const KEY_FILE = 'token-encryption-keys';

/** The path of the key file of the embedded database, which is used unless keys are configured. */
export function keyFilePath(dataDir: string): string {
  return join(dataDir, KEY_FILE);
}

/** The keys of `TOKEN_ENCRYPTION_KEYS`: the first encrypts, every one decrypts. */
export class KeyRing {
  private forgotten: readonly string[] = [];

  constructor(readonly keys: readonly EncryptionKey[]) {}

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

/**
 * Loads the configured keys or, on the embedded database, those of the key file in `DATA_DIR`,
 * which is made at the first start and flushed to disk before any token is encrypted with it.
 * @param isNew whether the database has not been written with any key yet
 * @throws OperatorError if the key file cannot be used, or is gone
 */
export function loadKeyRing(config: Config, isNew: boolean): KeyRing {
  if (config.tokenEncryptionKeys) return new KeyRing(config.tokenEncryptionKeys);
  const path = keyFilePath(config.dataDir);
  if (!isNew && !existsSync(path)) {
    throw new OperatorError(
      `The key file ${path} is gone, and the database was written with it; restore it, or set TOKEN_ENCRYPTION_KEYS.`,
    );
  }
  try {
    if (isNew) createPrivateFile(path, `k1:${randomBytes(32).toString('base64')}\n`);
    if (othersMay(path) !== 'nothing') {
      throw new OperatorError('everybody on this machine may read it; chmod 600 it.');
    }
    return new KeyRing(encryptionKeys(readFileSync(path, 'utf8').trim()));
  } catch (error) {
    const reason =
      error instanceof OperatorError ? error.message : (error as NodeJS.ErrnoException).code;
    throw new OperatorError(`The key file ${path} cannot be used: ${reason}`);
  }
}
