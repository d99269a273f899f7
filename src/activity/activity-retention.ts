import { Injectable } from '@nestjs/common';
import { statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';
import { Transactor } from '../database/transactor.ts';
import { ExpirySweep, type RemoveExpired } from '../database/upkeep/expiry-sweep.ts';

const KEPT_MS = 90 * 86_400_000;

const removeExpired: RemoveExpired = statement(
  'activity.remove-expired',
  () => `
    DELETE FROM activity
    WHERE (workspace_id, hour) IN (
      SELECT workspace_id, hour FROM activity WHERE hour < CAST(:now AS bigint) ORDER BY hour LIMIT :limit)
    RETURNING hour`,
);

/** Removes what is older than 90 days. */
@Injectable()
export class ActivityRetention extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements) {
    super(transactor, statements, removeExpired, KEPT_MS);
  }
}
