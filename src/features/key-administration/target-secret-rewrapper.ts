import { Injectable } from '@nestjs/common';
import { TargetSecretUnreadable } from '../../core/embed-token/embed-token.errors.ts';
import { KeyRing } from '../../core/encryption-key/key-ring.ts';
import type { SealedText } from '../../core/encryption-key/sealed-text.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { TargetSecretCipher } from '../target/signing/target-secret-cipher.ts';

const BATCH = 100;

interface Batch {
  after: number;
  currentKey: string;
  limit: number;
}

type SealedRow = SealedText & { id: number; workspaceId: number; name: string };

const lockSecrets = statement<Batch, SealedRow>(
  'target.lock-for-rewrap',
  ({ lockRows }) => `
    SELECT t.id, t.workspace_id AS "workspaceId", t.name, t.ciphertext, t.key_id AS "keyId"
    FROM target t
    WHERE t.id > :after AND t.key_id <> :currentKey
      AND t.key_id NOT IN (SELECT id FROM encryption_key WHERE forgotten_at IS NOT NULL)
    ORDER BY t.id LIMIT :limit ${lockRows('t')}`,
);

const replaceSecrets = statement<{ id: number; keyId: string; ciphertext: Buffer }>(
  'target.rewrap',
  () => 'UPDATE target SET ciphertext = :ciphertext, key_id = :keyId WHERE id = :id',
);

/** Re-encrypts secrets of targets of other keys with the current key. */
@Injectable()
export class TargetSecretRewrapper {
  constructor(
    private readonly ring: KeyRing,
    private readonly cipher: TargetSecretCipher,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /**
   * Re-encrypts every target, batch by batch, so that an interrupted run is simply repeated. Secrets of lost keys are left
   * alone.
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

  private reseal(row: SealedRow): SealedText | undefined {
    try {
      return this.cipher.encrypt(this.cipher.decrypt(row, row), row);
    } catch (error) {
      if (error instanceof TargetSecretUnreadable) return undefined;
      throw error;
    }
  }
}
