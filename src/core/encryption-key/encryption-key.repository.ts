import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EncryptionKey } from '../../platform/common/secret/key-provider.ts';
import { currentTime } from '../../platform/common/time.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import type { EncryptionKeyRecord } from './encryption-key.entity.ts';
import { keyCheckValue } from './key-ring.ts';

/** A key this database has been written with. */
export type RecordedKey = Omit<EncryptionKeyRecord, 'createdAt'>;

const recordKey = statement<{ id: string; checkValue: Buffer; now: number }>(
  'encryption-key.record',
  () => `
    INSERT INTO encryption_key (id, check_value, created_at) VALUES (:id, :checkValue, :now)
    ON CONFLICT (id) DO NOTHING`,
);

export const listKeys = statement<object, RecordedKey>(
  'encryption-key.list',
  () => `
    SELECT id, check_value AS "checkValue", forgotten_at AS "forgottenAt", encryptions
    FROM encryption_key ORDER BY created_at, id`,
);

const markForgotten = statement<{ id: string; now: number }, { id: string }>(
  'encryption-key.forget',
  () => `
    UPDATE encryption_key SET forgotten_at = :now WHERE id = :id AND forgotten_at IS NULL
    RETURNING id`,
);

const clearForgotten = statement<{ id: string }>(
  'encryption-key.remember',
  () => `UPDATE encryption_key SET forgotten_at = NULL WHERE id = :id`,
);

const addEncryptions = statement<{ id: string; count: number }, { encryptions: number }>(
  'encryption-key.add-encryptions',
  () => `
    UPDATE encryption_key SET encryptions = encryptions + :count WHERE id = :id
    RETURNING encryptions`,
);

/** Stores the keys of the database: their ids and check values, never the keys. */
@Injectable()
export class EncryptionKeyRepository {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** Lists every recorded key, the oldest first. */
  list(): Promise<RecordedKey[]> {
    return this.statements.read(listKeys, {});
  }

  /** Records a key, unless any key is recorded under its id. */
  async record(key: EncryptionKey): Promise<void> {
    const row = { id: key.id, checkValue: keyCheckValue(key), now: currentTime() };
    await this.transactor.apply(recordKey, row);
  }

  /** Marks a key as lost; false if it is not recorded, or marked already. */
  async markForgotten(manager: EntityManager, id: string): Promise<boolean> {
    const row = { id, now: currentTime() };
    return (await this.statements.run(manager, markForgotten, row)).length > 0;
  }

  async clearForgotten(id: string): Promise<void> {
    await this.transactor.apply(clearForgotten, { id });
  }

  /**
   * Adds to the encryptions with a recorded key, and returns their number.
   * @throws DatabaseUnavailable
   */
  async addEncryptions(id: string, count: number): Promise<number> {
    const [row] = await this.transactor.apply(addEncryptions, { id, count });
    return row!.encryptions;
  }
}
