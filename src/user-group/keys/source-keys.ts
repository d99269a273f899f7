import { existsSync } from 'node:fs';
import { OperatorError } from '../../common/operator-error.ts';
import { statement } from '../../database/statement.ts';
import type { Statements } from '../../database/statements.ts';
import { listKeys } from '../../encryption-key/encryption-key.repository.ts';
import { keyFilePath } from '../../encryption-key/key-file.ts';
import { keyCheckValue, type KeyRing } from '../../encryption-key/key-ring.ts';
import {
  type EncryptedToken,
  UserGroupTokenCipher,
  type TokenRow,
} from '../../encryption-key/user-group-token-cipher.ts';
import { countEndpoints, countTokens } from './encrypted-tokens.ts';

const findToken = statement<{ keyId: string }, TokenRow & EncryptedToken>(
  'encrypted-tokens.find-of-source',
  () => `
    SELECT g.workspace_id AS "workspaceId", t.user_group_id AS "userGroupId", t.generation,
      t.key_id AS "keyId", t.ciphertext
    FROM user_group_token t JOIN user_group g ON g.id = t.user_group_id
    WHERE t.key_id = :keyId LIMIT 1`,
);

/**
 * Compares the configured keys with those that the embedded database in `dataDir` was written with;
 * writes nothing.
 * @throws OperatorError if a key differs, or is missing while in use and not given up
 */
export async function requireKeysOfSource(
  ring: KeyRing,
  source: Statements,
  dataDir: string,
): Promise<void> {
  const recorded = new Map((await source.read(listKeys, {})).map((key) => [key.id, key]));
  for (const { id, checkValue } of recorded.values()) {
    const key = ring.find(id);
    if (key && !keyCheckValue(key).equals(checkValue)) throw wrongKey(id, dataDir);
  }
  for (const { id } of await source.read(countTokens, {})) {
    const record = recorded.get(id);
    if (!ring.find(id) && !record?.forgottenAt) throw missingKey(id, dataDir);
    // Tokens that an earlier version imported before its first start are encrypted with a key that
    // is not recorded.
    if (!record && !(await opensToken(ring, source, id))) throw wrongKey(id, dataDir);
  }
  for (const { id } of await source.read(countEndpoints, {})) {
    if (!ring.find(id) && !recorded.get(id)?.forgottenAt) throw missingKey(id, dataDir);
  }
}

async function opensToken(ring: KeyRing, source: Statements, keyId: string): Promise<boolean> {
  const [token] = await source.read(findToken, { keyId });
  try {
    new UserGroupTokenCipher(ring).decrypt(token!, token!);
    return true;
  } catch {
    return false;
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
