import { existsSync } from 'node:fs';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import type { Statements } from '../../platform/database/statements.ts';
import { listKeys } from '../../core/encryption-key/encryption-key.repository.ts';
import { keyFilePath } from '../../core/encryption-key/key-file.ts';
import { keyCheckValue, type KeyRing } from '../../core/encryption-key/key-ring.ts';
import { countUse } from './encrypted-tokens.ts';

/**
 * Compares the configured keys with those of the embedded database in `dataDir`; writes nothing.
 * @throws OperatorError if a key differs, or is missing while in use and not declared lost
 */
export async function checkSourceKeys(
  ring: KeyRing,
  source: Statements,
  dataDir: string,
): Promise<void> {
  const recorded = new Map((await source.read(listKeys, {})).map((key) => [key.id, key]));
  for (const { id, checkValue } of recorded.values()) {
    const key = ring.find(id);
    if (key && !keyCheckValue(key).equals(checkValue)) throw wrongKey(id, dataDir);
  }
  for (const { id } of await source.read(countUse, {})) {
    if (!ring.find(id) && !recorded.get(id)?.forgottenAt) throw missingKey(id, dataDir);
  }
}

function wrongKey(id: string, dataDir: string): OperatorError {
  return new OperatorError(
    `The encryption key "${id}" is not the one that the embedded database was written with; ${remedy(dataDir)}.`,
  );
}

function missingKey(id: string, dataDir: string): OperatorError {
  return new OperatorError(
    `The embedded database holds what is encrypted with the key "${id}", which is not configured; ${remedy(dataDir)}.`,
  );
}

function remedy(dataDir: string): string {
  const file = keyFilePath(dataDir);
  return existsSync(file)
    ? `use those of its key file: TOKEN_ENCRYPTION_KEYS_FILE=${file} instead of TOKEN_ENCRYPTION_KEYS`
    : 'use the TOKEN_ENCRYPTION_KEYS that it was served with';
}
