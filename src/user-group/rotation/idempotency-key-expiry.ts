import { Injectable } from '@nestjs/common';
import { ExpirySweep, type RemoveExpired } from '../../database/upkeep/expiry-sweep.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';
import { LIFE_MS } from './idempotency-keys.ts';

const removeExpired: RemoveExpired = statement(
  'idempotency-key.remove-expired',
  () => `
    DELETE FROM idempotency_key
    WHERE (workspace_id, key_hash) IN (
      SELECT workspace_id, key_hash FROM idempotency_key
      WHERE created_at <= CAST(:now AS bigint) - ${LIFE_MS} ORDER BY created_at LIMIT :limit)
    RETURNING generation`,
);

/** Removes the keys that are no longer remembered. */
@Injectable()
export class IdempotencyKeyExpiry extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements) {
    super(transactor, statements, removeExpired);
  }
}
