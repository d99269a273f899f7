import { Injectable } from '@nestjs/common';
import { ExpirySweep, type RemoveExpired } from '../database/expiry-sweep';
import { statement, Statements } from '../database/statement';
import { Transactor } from '../database/transactor';

/** The database refuses a whole batch for one row that is not over by its own clock. */
const CLOCK_SKEW_MS = 60_000;

const removeExpired: RemoveExpired = statement(
  'audit-event.remove-expired',
  () => `
    DELETE FROM audit_event
    WHERE id IN (SELECT id FROM audit_event WHERE keep_until < CAST(:now AS bigint) - ${CLOCK_SKEW_MS} ORDER BY keep_until LIMIT :limit)
    RETURNING id`,
);

/** Removes the events whose time of retention is over. */
@Injectable()
export class AuditRetention extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements) {
    super(transactor, statements, removeExpired);
  }
}
