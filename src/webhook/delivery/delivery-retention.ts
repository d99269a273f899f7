import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';
import { ExpirySweep, type RemoveExpired } from '../../database/upkeep/expiry-sweep.ts';

const DAY_MS = 86_400_000;

const removeExpired: RemoveExpired = statement(
  'webhook-delivery.remove-expired',
  ({ isAmong }) => `
    DELETE FROM webhook_delivery
    WHERE ${isAmong(
      'id',
      `SELECT id FROM webhook_delivery WHERE occurred_at < CAST(:now AS bigint)
       ORDER BY occurred_at LIMIT :limit`,
    )}
    RETURNING id`,
);

/** Removes the deliveries of events whose retention period is over, with their attempts. */
@Injectable()
export class DeliveryRetention extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements, config: Config) {
    super(transactor, statements, removeExpired, config.webhookRetentionDays * DAY_MS);
  }
}
