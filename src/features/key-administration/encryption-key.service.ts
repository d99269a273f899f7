import { Injectable } from '@nestjs/common';
import { AuditLog, installationOperator } from '../../core/audit/audit-log.ts';
import { OperatorNotFound, OperatorRefusal } from '../../platform/common/problem/operator-error.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import {
  EncryptionKeyRepository,
  type RecordedKey,
} from '../../core/encryption-key/encryption-key.repository.ts';
import { KeyRing, keyCheckValue } from '../../core/encryption-key/key-ring.ts';
import { EncryptedTokens, type UseOfKey } from './encrypted-tokens.ts';

/** A configured key, or a recorded key of the database. */
export interface KeyStatus extends UseOfKey {
  /** Counted encryptions. */
  encryptions: number;
  state: 'encrypts' | 'decrypts' | 'not configured' | 'forgotten' | 'wrong key';
}

export type Encrypted = Pick<KeyStatus, 'tokens' | 'endpoints' | 'targets' | 'imports'>;

/** Administers the keys that encrypt user-group tokens, the secrets of webhooks and targets, and lines that wait, at rest. */
@Injectable()
export class EncryptionKeyService {
  constructor(
    private readonly ring: KeyRing,
    private readonly keys: EncryptionKeyRepository,
    private readonly tokens: EncryptedTokens,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /** Lists the configured keys in their order, then the others that the database knows. */
  async status(): Promise<KeyStatus[]> {
    const recorded = new Map((await this.keys.list()).map((key) => [key.id, key]));
    const used = new Map((await this.tokens.countByKey()).map((key) => [key.id, key]));
    const configured = this.ring.keys.map(({ id }) => id);
    const ids = new Set([...configured, ...recorded.keys(), ...used.keys()]);
    return [...ids].map((id) => ({
      ...(used.get(id) ?? { id, tokens: 0, endpoints: 0, targets: 0, imports: 0 }),
      encryptions: recorded.get(id)?.encryptions ?? 0,
      state: this.stateOf(id, recorded.get(id)),
    }));
  }

  /**
   * Counts the tokens that could not be shown any more, the endpoints and targets that could not be used any more, and
   * the imports that would fail, without the key.
   * @throws OperatorError if the key is configured, unknown or forgotten already
   */
  async countLost(id: string): Promise<Encrypted> {
    if (this.ring.find(id)) {
      throw new OperatorRefusal(`The key "${id}" is configured; only a lost key can be forgotten.`);
    }
    const status = (await this.status()).find((key) => key.id === id);
    if (!status) {
      throw new OperatorNotFound(
        `The database has not been written with a key "${id}"; see "keys status".`,
      );
    }
    if (status.state === 'forgotten') throw forgottenAlready(id);
    const { tokens, endpoints, targets, imports } = status;
    return { tokens, endpoints, targets, imports };
  }

  /**
   * Declares a key lost, so that the server starts without it. Its ciphertexts stay: when the key is configured again,
   * the next start clears the mark.
   * @returns the tokens that cannot be shown any more until they are rotated, the webhook endpoints that cannot be
   *   used until their secrets are rolled, the targets that cannot until their secrets are sent again, and the imports
   *   that fail
   * @throws OperatorError if the key is configured, unknown or forgotten already
   */
  async forget(id: string): Promise<Encrypted> {
    const lost = await this.countLost(id);
    await this.transactor.run(async (manager) => {
      if (!(await this.keys.markForgotten(manager, id))) throw forgottenAlready(id);
      await this.auditLog.record(manager, installationOperator, {
        action: 'encryption_key.forget',
        object: { type: 'encryption_key', id },
        details: {
          tokens: lost.tokens,
          webhook_endpoints: lost.endpoints,
          targets: lost.targets,
          imports: lost.imports,
        },
      });
    });
    return lost;
  }

  private stateOf(id: string, recorded: RecordedKey | undefined): KeyStatus['state'] {
    const key = this.ring.find(id);
    if (!key) return recorded && recorded.forgottenAt !== null ? 'forgotten' : 'not configured';
    if (recorded && !keyCheckValue(key).equals(recorded.checkValue)) return 'wrong key';
    return key === this.ring.current ? 'encrypts' : 'decrypts';
  }
}

function forgottenAlready(id: string): OperatorRefusal {
  return new OperatorRefusal(`The key "${id}" is forgotten already.`);
}
