import { Injectable } from '@nestjs/common';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';
import { ExpirySweep, type RemoveExpired } from '../../database/upkeep/expiry-sweep.ts';

/** Longer than anything is announced beforehand. */
const KEPT_MS = 30 * 86_400_000;

const removeExpired: RemoveExpired = statement(
  'notice.remove-expired',
  ({ isAmong }) => `
    DELETE FROM notice
    WHERE at < CAST(:now AS bigint) AND ${isAmong(
      'subject',
      'SELECT subject FROM notice WHERE at < CAST(:now AS bigint) ORDER BY at LIMIT :limit',
    )}
    RETURNING subject`,
);

/** Removes what notes that was announced long ago. */
@Injectable()
export class NoticeRetention extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements) {
    super(transactor, statements, removeExpired, KEPT_MS);
  }
}
