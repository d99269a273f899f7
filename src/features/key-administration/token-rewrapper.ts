import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { AuditLog, installationOperator } from '../../core/audit/audit-log.ts';
import { DatabaseUnavailable } from '../../platform/common/problem/errors.ts';
import { UserGroupTokenUnreadable } from '../../core/encryption-key/encryption-key.errors.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { KeyCheck } from './key-check.ts';
import { KeyRing } from '../../core/encryption-key/key-ring.ts';
import {
  type EncryptedToken,
  UserGroupTokenCipher,
  type TokenRow,
} from '../../core/encryption-key/user-group-token-cipher.ts';

export interface Rewrapped {
  rewrapped: number;
  /** Number of those that could not be decrypted; they stay unchanged. */
  unreadable: number;
}

/** Groups in one transaction: few enough that a rotation does not wait for long. */
const BATCH = 200;
const MIN_PAUSE_MS = 20;
const MAX_ATTEMPTS = 10;
const RETRY_MS = 500;

/** The groups with `after < id <= upTo`. */
interface Batch {
  after: number;
  upTo: number;
}

const findLastGroup = statement<object, { id: number | null }>(
  'user-group-token.find-last-group',
  () => `SELECT max(id) AS id FROM user_group`,
);

const lockTokens = statement<
  Batch & { currentKey: string },
  TokenRow & EncryptedToken & { userGroupId: number; generation: number }
>(
  'user-group-token.lock-for-rewrap',
  ({ lockRows }) => `
    SELECT g.workspace_id AS "workspaceId", t.user_group_id AS "userGroupId", t.generation,
      t.token_hash AS "tokenHash", t.key_id AS "keyId", t.ciphertext
    FROM user_group_token t JOIN user_group g ON g.id = t.user_group_id
    WHERE t.user_group_id > :after AND t.user_group_id <= :upTo AND t.key_id <> :currentKey
      AND t.key_id NOT IN (SELECT id FROM encryption_key WHERE forgotten_at IS NOT NULL)
    ORDER BY t.user_group_id, t.generation ${lockRows('t')}`,
);

const replaceCiphertext = statement<
  { userGroupId: number; generation: number; oldKey: string; keyId: string; ciphertext: Buffer },
  { generation: number }
>(
  'user-group-token.rewrap',
  () => `
    UPDATE user_group_token SET ciphertext = :ciphertext, key_id = :keyId
    WHERE user_group_id = :userGroupId AND generation = :generation AND key_id = :oldKey
    RETURNING generation`,
);

/** Re-encrypts tokens of other keys with the current key, while servers continue to serve. */
@Injectable()
export class TokenRewrapper {
  constructor(
    private readonly ring: KeyRing,
    private readonly cipher: UserGroupTokenCipher,
    private readonly keyCheck: KeyCheck,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Re-encrypts every group that exists at its start, in order of id. Each batch is one transaction, so an interrupted
   * run is simply repeated. Tokens of lost keys are left alone.
   * @param onProgress called after each batch with the completed share, from 0 to 1
   * @throws OperatorError if a configured key is not the one of the database
   * @throws DatabaseUnavailable if the database stays down
   */
  async rewrap(onProgress: (share: number) => void): Promise<Rewrapped> {
    await this.keyCheck.requireRightKeys();
    const object = { type: 'encryption_key', id: this.ring.current.id };
    await this.transactor.run((manager) =>
      this.auditLog.record(manager, installationOperator, {
        action: 'encryption_key.rewrap',
        object,
      }),
    );
    const last = (await this.statements.read(findLastGroup, {}))[0]?.id ?? 0;
    const total: Rewrapped = { rewrapped: 0, unreadable: 0 };
    for (let after = 0; after < last; after += BATCH) {
      const started = performance.now();
      const upTo = Math.min(after + BATCH, last);
      const { rewrapped, unreadable } = await this.rewrapWithRetry({ after, upTo });
      total.rewrapped += rewrapped;
      total.unreadable += unreadable;
      onProgress(upTo / last);
      // At least half of the time belongs to the servers: on SQLite they cannot write meanwhile.
      if (rewrapped > 0) await sleep(Math.max(MIN_PAUSE_MS, performance.now() - started));
    }
    return total;
  }

  private async rewrapWithRetry(batch: Batch): Promise<Rewrapped> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transactor.run((manager) => this.rewrapBatch(manager, batch));
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || attempt === MAX_ATTEMPTS) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  private async rewrapBatch(manager: EntityManager, batch: Batch): Promise<Rewrapped> {
    const result: Rewrapped = { rewrapped: 0, unreadable: 0 };
    const currentKey = this.ring.current.id;
    const tokens = await this.statements.run(manager, lockTokens, { ...batch, currentKey });
    for (const { keyId: oldKey, ciphertext, ...row } of tokens) {
      const token = this.decrypt({ keyId: oldKey, ciphertext }, row);
      if (token === undefined) {
        result.unreadable++;
        continue;
      }
      const { userGroupId, generation } = row;
      const written = await this.statements.run(manager, replaceCiphertext, {
        ...this.cipher.encrypt(token, row),
        userGroupId,
        generation,
        oldKey,
      });
      result.rewrapped += written.length;
    }
    return result;
  }

  /** Returns undefined if the token cannot be decrypted. */
  private decrypt(encrypted: EncryptedToken, row: TokenRow): string | undefined {
    try {
      return this.cipher.decrypt(encrypted, row);
    } catch (error) {
      if (error instanceof UserGroupTokenUnreadable) return undefined;
      throw error;
    }
  }
}
