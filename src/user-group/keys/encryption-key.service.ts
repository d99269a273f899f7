import { Injectable } from '@nestjs/common';
import { AuditLog, installationOperator } from '../../audit/audit-log.ts';
import { OperatorError } from '../../common/operator-error.ts';
import { Transactor } from '../../database/transactor.ts';
import {
  EncryptionKeyRepository,
  type RecordedKey,
} from '../../encryption-key/encryption-key.repository.ts';
import { KeyRing, keyCheckValue } from '../../encryption-key/key-ring.ts';
import { EncryptedTokens } from './encrypted-tokens.ts';

/** One key that is configured here, or that the database has been written with. */
export interface KeyStatus {
  id: string;
  /** How many tokens are encrypted with it. */
  tokens: number;
  /** Of how many webhook endpoints the secrets are. */
  endpoints: number;
  /** How often it has encrypted, as far as that has been counted. */
  encryptions: number;
  state: 'encrypts' | 'decrypts' | 'not configured' | 'forgotten' | 'wrong key';
}

/** What is encrypted with a key. */
export type Encrypted = Pick<KeyStatus, 'tokens' | 'endpoints'>;

/** Administers the keys that encrypt user-group tokens, and the secrets of webhooks, at rest. */
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
    const counts = new Map((await this.tokens.countByKey()).map(({ id, tokens }) => [id, tokens]));
    const endpoints = new Map(
      (await this.tokens.countEndpointsByKey()).map((of) => [of.id, of.endpoints]),
    );
    const configured = this.ring.keys.map(({ id }) => id);
    const ids = new Set([...configured, ...recorded.keys(), ...counts.keys(), ...endpoints.keys()]);
    return [...ids].map((id) => ({
      id,
      tokens: counts.get(id) ?? 0,
      endpoints: endpoints.get(id) ?? 0,
      encryptions: recorded.get(id)?.encryptions ?? 0,
      state: this.stateOf(id, recorded.get(id)),
    }));
  }

  /**
   * Counts the tokens that could not be shown any more, and the endpoints that could not be sent to, if
   * the key were given up.
   * @throws OperatorError if the key is configured, unknown or forgotten already
   */
  async countLost(id: string): Promise<Encrypted> {
    if (this.ring.find(id)) {
      throw new OperatorError(`The key "${id}" is configured; only a lost key can be forgotten.`);
    }
    const status = (await this.status()).find((key) => key.id === id);
    if (!status) {
      throw new OperatorError(
        `The database has not been written with a key "${id}"; see "keys status".`,
      );
    }
    if (status.state === 'forgotten') throw forgottenAlready(id);
    const { tokens, endpoints } = status;
    return { tokens, endpoints };
  }

  /**
   * Gives a lost key up, so that the server starts without it. Its ciphertexts stay: once the key
   * is configured again, the next start clears the mark.
   * @returns how many tokens cannot be shown any more until they are rotated, and how many webhook
   *   endpoints cannot be sent to until their secrets are rolled
   * @throws OperatorError if the key is configured, unknown or forgotten already
   */
  async forget(id: string): Promise<Encrypted> {
    const lost = await this.countLost(id);
    await this.transactor.run(async (manager) => {
      if (!(await this.keys.markForgotten(manager, id))) throw forgottenAlready(id);
      this.auditLog.record(manager, installationOperator, {
        action: 'encryption_key.forget',
        object: { type: 'encryption_key', id },
        details: { tokens: lost.tokens, webhook_endpoints: lost.endpoints },
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

function forgottenAlready(id: string): OperatorError {
  return new OperatorError(`The key "${id}" is forgotten already.`);
}
