import { ExtensionUnavailable } from '../common/errors.ts';
import type { Expected } from '../common/extensions.ts';
import { type EncryptionKey, type KeyProvider } from '../common/key-provider.ts';
import type { Given } from '../common/ports.ts';

/** How long a start waits for the keys. */
const LIMIT_MS = 30_000;

/** The key provider of an extension. What it fails to do ends the start with one line that names it. */
export function containKeyProvider({ extension, implementation }: Given<KeyProvider>): KeyProvider {
  return {
    keys: () =>
      extension
        .within('keys', LIMIT_MS, () => implementation.keys(), KEYS)
        .catch((error: unknown) => {
          if (!(error instanceof ExtensionUnavailable)) throw error;
          throw extension.failed('keys', `has not returned within ${LIMIT_MS / 1000} s`);
        }),
  };
}

function areKeys(keys: unknown): keys is readonly EncryptionKey[] {
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey)) return false;
  return new Set(keys.map(({ id }) => id)).size === keys.length;
}

function isKey(key: unknown): key is EncryptionKey {
  const { id, secret } = (key ?? {}) as Partial<EncryptionKey>;
  const hasId = typeof id === 'string' && /^[\w-]{1,32}$/.test(id);
  return hasId && Buffer.isBuffer(secret) && secret.length === 32;
}

const KEYS: Expected<readonly EncryptionKey[]> = {
  is: areKeys,
  what: 'one or more keys, each with an id of its own, of 1 to 32 letters, digits, _ and -, and a secret of 32 bytes',
};
