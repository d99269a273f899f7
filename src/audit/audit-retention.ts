import { Injectable } from '@nestjs/common';
import { ExpirySweep, type RemoveExpired } from '../database/upkeep/expiry-sweep.ts';
import { statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';
import { Transactor } from '../database/transactor.ts';

/** The database rejects a whole batch if one of its rows is not yet expired by its own clock. */
const CLOCK_SKEW_MS = 60_000;

const removeExpired: RemoveExpired = statement(
  'audit-event.remove-expired',
  () => `
    DELETE FROM audit_event
    WHERE id IN (SELECT id FROM audit_event WHERE keep_until < CAST(:now AS bigint) - ${CLOCK_SKEW_MS} ORDER BY keep_until LIMIT :limit)
    RETURNING id`,
);

/** Removes the events whose retention period is over. */
@Injectable()
export class AuditRetention extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements) {
    super(transactor, statements, removeExpired);
  }
}
