import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EncryptionKey } from '../config/readers';
import { statement, Statements } from '../database/statement';
import { Transactor } from '../database/transactor';
import { keyCheckValue } from './key-ring';

/** A key this database has been written with. */
export interface RecordedKey {
  id: string;
  checkValue: Buffer;
  /** When the operator gave it up; null if it is expected to be there. */
  forgottenAt: number | null;
  /** How often it has encrypted, as far as that has been counted. */
  encryptions: number;
}

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

const forgetKey = statement<{ id: string; now: number }, { id: string }>(
  'encryption-key.forget',
  () => `
    UPDATE encryption_key SET forgotten_at = :now WHERE id = :id AND forgotten_at IS NULL
    RETURNING id`,
);

const rememberKey = statement<{ id: string }>(
  'encryption-key.remember',
  () => `UPDATE encryption_key SET forgotten_at = NULL WHERE id = :id`,
);

const addEncryptions = statement<{ id: string; count: number }, { encryptions: number }>(
  'encryption-key.add-encryptions',
  () => `
    UPDATE encryption_key SET encryptions = encryptions + :count WHERE id = :id
    RETURNING encryptions`,
);

const findTokenOfKey = statement<{ id: string }, { generation: number }>(
  'encryption-key.find-token',
  () => `SELECT generation FROM user_group_token WHERE key_id = :id LIMIT 1`,
);

export const countTokens = statement<object, { id: string; tokens: number }>(
  'encryption-key.count-tokens',
  () => `
    SELECT key_id AS id, CAST(count(*) AS integer) AS tokens FROM user_group_token
    WHERE key_id IS NOT NULL GROUP BY key_id ORDER BY key_id`,
);

/** Which keys the database has been written with: their ids and check values, never the keys. */
@Injectable()
export class EncryptionKeyRepository {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** Every recorded key, the oldest first. */
  list(): Promise<RecordedKey[]> {
    return this.statements.read(listKeys, {});
  }

  /** Leaves a key that is recorded under this id already, whichever it is. */
  async record(key: EncryptionKey): Promise<void> {
    const row = { id: key.id, checkValue: keyCheckValue(key), now: Date.now() };
    await this.transactor.run((manager) => this.statements.run(manager, recordKey, row));
  }

  /** False if the key is not recorded, or forgotten already. */
  async forget(manager: EntityManager, id: string): Promise<boolean> {
    const row = { id, now: Date.now() };
    return (await this.statements.run(manager, forgetKey, row)).length > 0;
  }

  /** Ends that a key is forgotten. */
  async remember(id: string): Promise<void> {
    await this.transactor.run((manager) => this.statements.run(manager, rememberKey, { id }));
  }

  /** Counts encryptions with a recorded key; gives how many there are now. @throws DatabaseUnavailable */
  async addEncryptions(id: string, count: number): Promise<number> {
    const [row] = await this.transactor.run((manager) =>
      this.statements.run(manager, addEncryptions, { id, count }),
    );
    return row!.encryptions;
  }

  /** Whether any token is encrypted with the key. */
  async isInUse(id: string): Promise<boolean> {
    return (await this.statements.read(findTokenOfKey, { id })).length > 0;
  }

  /** How many tokens each key has encrypted; retired ones have no ciphertext any more. */
  countTokens(): Promise<{ id: string; tokens: number }[]> {
    return this.statements.read(countTokens, {});
  }
}
