import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OperatorError } from '../common/operator-error';
import { statement, Statements } from '../database/statement';
import { Transactor } from '../database/transactor';
import { KeyRing, keyCheckValue } from './key-ring';

const record = statement<{ id: string; checkValue: Buffer; now: number }>(
  'encryption-key.record',
  () => `
    INSERT INTO encryption_key (id, check_value, created_at) VALUES (:id, :checkValue, :now)
    ON CONFLICT (id) DO NOTHING`,
);

const listRecorded = statement<object, { id: string; checkValue: Buffer }>(
  'encryption-key.list',
  () => `SELECT id, check_value AS "checkValue" FROM encryption_key ORDER BY id`,
);

const findTokenOfKey = statement<{ id: string }, { generation: number }>(
  'encryption-key.find-token',
  () => `SELECT generation FROM user_group_token WHERE key_id = :id LIMIT 1`,
);

/** Whether the database has been written with a key before. */
export async function hasRecordedKey(statements: Statements): Promise<boolean> {
  return (await statements.read(listRecorded, {})).length > 0;
}

/**
 * Compares the configured keys with those the database was written with, before anything is served:
 * a token that cannot be decrypted should be found by the operator, not by a caller.
 */
@Injectable()
export class KeyCheck implements OnModuleInit {
  constructor(
    private readonly keys: KeyRing,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** @throws OperatorError if a key is another than the recorded one, or one that is in use is missing */
  async onModuleInit(): Promise<void> {
    const { current } = this.keys;
    const recorded = await this.statements.read(listRecorded, {});
    for (const { id, checkValue } of recorded) await this.check(id, checkValue);
    if (recorded.some(({ id }) => id === current.id)) return;
    await this.transactor.run((manager) =>
      this.statements.run(manager, record, {
        id: current.id,
        checkValue: keyCheckValue(current),
        now: Date.now(),
      }),
    );
    // Another replica may have recorded another key under this id in the meantime.
    return this.onModuleInit();
  }

  private async check(id: string, checkValue: Buffer): Promise<void> {
    const key = this.keys.find(id);
    if (key && !keyCheckValue(key).equals(checkValue)) {
      throw new OperatorError(
        `The encryption key "${id}" is not the one this database was written with; restore it, or give a new key a new id.`,
      );
    }
    if (!key && (await this.statements.read(findTokenOfKey, { id })).length > 0) {
      throw new OperatorError(
        `The database holds tokens encrypted with the key "${id}", which is not configured; add it to TOKEN_ENCRYPTION_KEYS.`,
      );
    }
  }
}
