import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { worldAccess } from '../../platform/common/secret/file-mode.ts';
import { createPrivateFile } from '../../platform/common/secret/private-file.ts';
import type { EncryptionKey } from '../../platform/common/secret/key-provider.ts';
import { encryptionKeys } from '../../platform/config/secret-readers.ts';

const KEY_FILE = 'token-encryption-keys';

/** Returns the path of the key file of the embedded database, which is used unless keys are configured. */
export function keyFilePath(dataDir: string): string {
  return join(dataDir, KEY_FILE);
}

/**
 * Reads the key file in `DATA_DIR`, which is created at the first start and flushed to disk before any token is
 * encrypted with its key.
 * @param isNew whether no key was used in the database yet
 * @throws OperatorError if the key file cannot be used, or is missing
 */
export function readKeyFile(dataDir: string, isNew: boolean): EncryptionKey[] {
  const path = keyFilePath(dataDir);
  if (!isNew && !existsSync(path)) {
    throw new OperatorError(
      `The key file ${path} is gone, and the database was written with it; restore it, or set TOKEN_ENCRYPTION_KEYS.`,
    );
  }
  try {
    if (isNew) createPrivateFile(path, `k1:${randomBytes(32).toString('base64')}\n`);
    if (worldAccess(path) !== 'nothing') {
      throw new OperatorError('it is world-readable; run chmod 600.');
    }
    return encryptionKeys(readFileSync(path, 'utf8').trim());
  } catch (error) {
    const reason =
      error instanceof OperatorError ? error.message : (error as NodeJS.ErrnoException).code;
    throw new OperatorError(`The key file ${path} cannot be used: ${reason}`);
  }
}
