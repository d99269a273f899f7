import { Injectable } from '@nestjs/common';
import { statement } from '../../../platform/database/statement.ts';
import { ExpirySweep, type RemoveExpired } from '../../../platform/database/upkeep/expiry-sweep.ts';

/** Small enough that no caller waits for it. */
const BATCH = 1000;

const findRemoved = statement<{ now: number }, { id: number }>(
  'webhook-endpoint.find-removed',
  () => 'SELECT id FROM webhook_endpoint WHERE removed_at <= CAST(:now AS bigint) ORDER BY id',
);

/**
 * Continues after the previous batch: removed rows stay in the index while any snapshot is open, such as a backup's,
 * and each batch would scan all of them. Reads on in the order of the index, and filters the endpoint outside: with the
 * filter inside, PostgreSQL would sort.
 */
const removeDeliveries = statement<
  { id: number; afterAt: number; afterId: number },
  { id: number; occurredAt: number }
>(
  'webhook-endpoint.remove-deliveries',
  ({ isAmong }) => `
    DELETE FROM webhook_delivery
    WHERE ${isAmong(
      'id',
      `SELECT id FROM (
         SELECT d.endpoint_id, d.id FROM webhook_delivery d
         WHERE (d.endpoint_id, d.occurred_at, d.id)
           > (CAST(:id AS integer), CAST(:afterAt AS bigint), CAST(:afterId AS bigint))
         ORDER BY d.endpoint_id, d.occurred_at, d.id LIMIT ${BATCH}) AS following
       WHERE endpoint_id = :id`,
    )}
    RETURNING id, occurred_at AS "occurredAt"`,
);

/** Removes endpoints without deliveries; deliveries created meanwhile are left for the next sweep. */
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
 * Removes deleted endpoints: first their deliveries and attempts, in batches, since there can be millions, then the
 * rows with their secrets.
 */
@Injectable()
export class RemovedEndpoints extends ExpirySweep {
  protected readonly removeExpired = removeEndpoints;

  protected override async *removeBatches(now: number): AsyncGenerator<number> {
    for (const { id } of await this.statements.read(findRemoved, { now })) {
      yield* this.removeDeliveries(id);
    }
    yield* super.removeBatches(now);
  }

  private async *removeDeliveries(id: number): AsyncGenerator<number> {
    let last = { occurredAt: -1, id: 0 };
    for (let batch = BATCH; batch > 0; yield batch) {
      const after = { afterAt: last.occurredAt, afterId: last.id };
      const rows = await this.transactor.apply(removeDeliveries, { id, ...after });
      batch = rows.length;
      last = rows.reduce((one, other) => (isBehind(other, one) ? other : one), last);
    }
  }
}

function isBehind(one: { occurredAt: number; id: number }, other: typeof one): boolean {
  return one.occurredAt === other.occurredAt
    ? one.id > other.id
    : one.occurredAt > other.occurredAt;
}
