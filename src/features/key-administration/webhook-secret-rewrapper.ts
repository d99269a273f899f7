import { Injectable } from '@nestjs/common';
import { WebhookSecretUnreadable } from '../webhook/endpoint/webhook.errors.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { KeyRing } from '../../core/encryption-key/key-ring.ts';
import type { SealedText } from '../../core/encryption-key/sealed-text.ts';
import {
  type SecretsOwner,
  WebhookSecretCipher,
} from '../webhook/endpoint/webhook-secret-cipher.ts';

const BATCH = 100;

interface Batch {
  after: number;
  currentKey: string;
  limit: number;
}

const lockSecrets = statement<Batch, SecretsOwner & SealedText>(
  'webhook-endpoint.lock-for-rewrap',
  ({ lockRows }) => `
    SELECT e.id, e.workspace_id AS "workspaceId", e.ciphertext, e.key_id AS "keyId"
    FROM webhook_endpoint e
    WHERE e.id > :after AND e.key_id <> :currentKey
      AND e.key_id NOT IN (SELECT id FROM encryption_key WHERE forgotten_at IS NOT NULL)
    ORDER BY e.id LIMIT :limit ${lockRows('e')}`,
);

const replaceSecrets = statement<{ id: number; keyId: string; ciphertext: Buffer }>(
  'webhook-endpoint.rewrap',
  () => 'UPDATE webhook_endpoint SET ciphertext = :ciphertext, key_id = :keyId WHERE id = :id',
);

/** Re-encrypts webhook secrets of other keys with the current key. */
@Injectable()
export class WebhookSecretRewrapper {
  constructor(
    private readonly ring: KeyRing,
    private readonly cipher: WebhookSecretCipher,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /**
   * Re-encrypts every endpoint, batch by batch, so that an interrupted run is simply repeated. Secrets of lost keys are
   * left alone.
   * @returns the number of re-encrypted ones, and of those that cannot be decrypted and stay unchanged
   * @throws DatabaseUnavailable
   */
  async rewrap(): Promise<{ rewrapped: number; unreadable: number }> {
    const total = { rewrapped: 0, unreadable: 0 };
    const currentKey = this.ring.current.id;
    for (let after = 0, found = BATCH; found === BATCH;) {
      await this.transactor.run(async (manager) => {
        const batch = { after, currentKey, limit: BATCH };
        const rows = await this.statements.run(manager, lockSecrets, batch);
        for (const row of rows) {
          const sealed = this.reseal(row);
          if (sealed) await this.statements.run(manager, replaceSecrets, { id: row.id, ...sealed });
          total[sealed ? 'rewrapped' : 'unreadable']++;
        }
        found = rows.length;
        after = rows.at(-1)?.id ?? after;
      });
    }
    return total;
  }

  private reseal(row: SecretsOwner & SealedText): SealedText | undefined {
    try {
      return this.cipher.encrypt(this.cipher.decrypt(row, row), row);
    } catch (error) {
      if (error instanceof WebhookSecretUnreadable) return undefined;
      throw error;
    }
  }
}
