import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';
import { statement, Statements } from '../statement';
import { Transactor } from '../transactor';
import { ExpirySweep, type RemoveExpired } from './expiry-sweep';

const HOUR_MS = 3_600_000;

/** Looks at the oldest alone: ids are given out nearly in the order of time. */
const removeExpired: RemoveExpired = statement(
  'change-event.remove-expired',
  () => `
    DELETE FROM change_event
    WHERE id IN (
      SELECT id FROM (SELECT id, occurred_at FROM change_event ORDER BY id LIMIT :limit) AS oldest
      WHERE occurred_at < CAST(:now AS bigint))
    RETURNING id`,
);

/** Removes the events of changes whose retention period is over. */
@Injectable()
export class ChangeRetention extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements, config: Config) {
    super(transactor, statements, removeExpired, config.eventRetentionHours * HOUR_MS);
  }
}
