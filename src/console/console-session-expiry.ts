import { Injectable } from '@nestjs/common';
import { statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';
import { Transactor } from '../database/transactor.ts';
import { ExpirySweep, type RemoveExpired } from '../database/upkeep/expiry-sweep.ts';
import { IDLE_MS } from './session-life.ts';

/** Nothing that has ended is used any more, so this finds every session that has ended, however it did. */
const removeExpired: RemoveExpired = statement(
  'console-session.remove-expired',
  ({ isAmong }) => `
    DELETE FROM console_session
    WHERE ${isAmong(
      'id',
      'SELECT id FROM console_session WHERE last_used_at < CAST(:now AS bigint) ORDER BY last_used_at LIMIT :limit',
    )}
    RETURNING id`,
);

/** Removes sessions that have ended. */
@Injectable()
export class ConsoleSessionExpiry extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements) {
    super(transactor, statements, removeExpired, IDLE_MS);
  }
}
