import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import type { Config } from '../../platform/config/config.ts';
import { isRandomKey, type WrappedKey } from '../../platform/config/secret-readers.ts';
import { readKeyFile } from './key-file.ts';
import { type EncryptionKey, KeyProvider } from '../../platform/common/secret/key-provider.ts';
import { ExtensionUnavailable } from '../../platform/common/problem/errors.ts';
import type { Expected } from '../../platform/common/extension/extensions.ts';
import type { Given } from '../../platform/common/extension/ports.ts';

/**
 * Provides the keys of `TOKEN_ENCRYPTION_KEYS`, unwrapped by Vault if necessary, or else those of the key file of the
 * embedded database.
 */
export class StandardKeyProvider extends KeyProvider {
  /** @param isNew whether no key was used in the database yet */
  constructor(
    private readonly config: Config,
    private readonly isNew: () => Promise<boolean>,
  ) {
    super();
  }

  async keys(): Promise<readonly EncryptionKey[]> {
    return (
      (await keysOfConfig(this.config)) ?? readKeyFile(this.config.dataDir, await this.isNew())
    );
  }
}

/**
 * Returns the keys of `TOKEN_ENCRYPTION_KEYS`; undefined if it is not set.
 * @throws OperatorError if one cannot be unwrapped
 */
export async function keysOfConfig(config: Config): Promise<EncryptionKey[] | undefined> {
  const { tokenEncryptionKeys: configured } = config;
  if (!configured) return undefined;
  const wrapped = configured.filter((key) => 'wrapped' in key);
  const secrets = wrapped.length > 0 ? await unwrap(config, wrapped) : [];
  return configured.map((key) => {
    if (!('wrapped' in key)) return key;
    const secret = secrets[wrapped.indexOf(key)]!;
    if (isRandomKey(secret)) return { id: key.id, secret };
    throw new OperatorError(`The key "${key.id}" that Vault unwrapped is not 32 random bytes.`);
  });
}

async function unwrap(config: Config, keys: readonly WrappedKey[]): Promise<Buffer[]> {
  const { VaultTransit } = await import('./vault-transit.ts');
  return new VaultTransit(config).unwrap(keys);
}

const LIMIT_MS = 30_000;

/** Wraps the key provider of an extension. A failure ends the start with one line that names the extension. */
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
