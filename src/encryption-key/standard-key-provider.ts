import { OperatorError } from '../common/operator-error.ts';
import type { Config } from '../config/config.ts';
import { isRandomKey, type WrappedKey } from '../config/readers.ts';
import { readKeyFile } from './key-file.ts';
import { type EncryptionKey, KeyProvider } from '../common/key-provider.ts';

/**
 * The keys of `TOKEN_ENCRYPTION_KEYS`, of which those that are wrapped are unwrapped by Vault; without
 * any, those of the key file of the embedded database.
 */
export class StandardKeyProvider extends KeyProvider {
  /** @param isNew whether the database has not been written with any key yet */
  constructor(
    private readonly config: Config,
    private readonly isNew: () => Promise<boolean>,
  ) {
    super();
  }

  async keys(): Promise<readonly EncryptionKey[]> {
    return (
      (await configuredKeys(this.config)) ?? readKeyFile(this.config.dataDir, await this.isNew())
    );
  }
}

/**
 * The keys of `TOKEN_ENCRYPTION_KEYS`; undefined if it is not set.
 * @throws OperatorError if one cannot be unwrapped
 */
export async function configuredKeys(config: Config): Promise<EncryptionKey[] | undefined> {
  const { tokenEncryptionKeys: configured } = config;
  if (!configured) return undefined;
  const wrapped = configured.filter((key) => 'wrapped' in key);
  const secrets = wrapped.length > 0 ? await unwrap(config, wrapped) : [];
  return configured.map((key) => {
    if (!('wrapped' in key)) return key;
    const secret = secrets[wrapped.indexOf(key)]!;
    if (isRandomKey(secret)) return { id: key.id, secret };
    throw new OperatorError(
      `What Vault has unwrapped as "${key.id}" is no key of 32 random bytes.`,
    );
  });
}

async function unwrap(config: Config, keys: readonly WrappedKey[]): Promise<Buffer[]> {
  const { VaultTransit } = await import('./vault-transit.ts');
  return new VaultTransit(config).unwrap(keys);
}
