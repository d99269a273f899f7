import { Injectable } from '@nestjs/common';
import { statement, Statements } from '../../database/statement';
import { Transactor } from '../../database/transactor';
import { ExpirySweep, type RemoveExpired } from '../../database/upkeep/expiry-sweep';

/** Of one endpoint after the other, so that an index leads to them. */
const removeDeliveries: RemoveExpired = statement(
  'webhook-endpoint.remove-deliveries',
  ({ isAmong }) => `
    DELETE FROM webhook_delivery
    WHERE ${isAmong(
      'id',
      `SELECT d.id FROM webhook_delivery d
       WHERE d.endpoint_id = (
         SELECT e.id FROM webhook_endpoint e
         WHERE e.removed_at <= CAST(:now AS bigint)
           AND EXISTS (SELECT 1 FROM webhook_delivery of_it WHERE of_it.endpoint_id = e.id)
         ORDER BY e.id LIMIT 1)
       ORDER BY d.occurred_at, d.id LIMIT :limit`,
    )}
    RETURNING id`,
);

const removeEndpoints: RemoveExpired = statement(
  'webhook-endpoint.remove',
  ({ isAmong }) => `
    DELETE FROM webhook_endpoint
    WHERE ${isAmong(
      'id',
      `SELECT e.id FROM webhook_endpoint e
       WHERE e.removed_at <= CAST(:now AS bigint)
         AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = e.id)
       LIMIT :limit`,
    )}
    RETURNING id`,
);

/**
 * Removes endpoints that were deleted: first their deliveries with the attempts, in batches, since there can be
 * millions, and then their secrets with the rest.
 */
@Injectable()
export class RemovedEndpoints extends ExpirySweep {
  constructor(transactor: Transactor, statements: Statements) {
    super(transactor, statements, [removeDeliveries, removeEndpoints]);
  }
}
