import { Injectable } from '@nestjs/common';
import { statement, Statements } from '../../database/statement';
import { Transactor } from '../../database/transactor';
import { ExpirySweep, type RemoveExpired } from '../../database/upkeep/expiry-sweep';

const removeDeliveries: RemoveExpired = statement(
  'webhook-endpoint.remove-deliveries',
  ({ isAmong }) => `
    DELETE FROM webhook_delivery
    WHERE ${isAmong(
      'id',
      `SELECT d.id FROM webhook_endpoint e JOIN webhook_delivery d ON d.endpoint_id = e.id
       WHERE e.removed_at <= CAST(:now AS bigint) LIMIT :limit`,
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
