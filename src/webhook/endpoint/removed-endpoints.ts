import { Injectable } from '@nestjs/common';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';
import { ExpirySweep, type RemoveExpired } from '../../database/upkeep/expiry-sweep.ts';

/** Small enough that no caller waits for it. */
const BATCH = 1000;

const findRemoved = statement<{ now: number }, { id: number }>(
  'webhook-endpoint.find-removed',
  () => 'SELECT id FROM webhook_endpoint WHERE removed_at <= CAST(:now AS bigint) ORDER BY id',
);

/**
 * Goes on behind the batch before: what that has removed stays in the index for as long as anybody
 * has a snapshot, as a backup has, and each batch would pass by all of it. What follows in the order of
 * the index is read as far as it belongs to the endpoint: with that inside, PostgreSQL would sort.
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

/** Those that have nothing left: what was made of changes meanwhile is for the next sweep. */
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
    super(transactor, statements, removeEndpoints);
  }

  protected override async *removeBatches(now: number): AsyncGenerator<number> {
    for (const { id } of await this.statements.read(findRemoved, { now })) {
      yield* this.removeDeliveries(id);
    }
    yield* super.removeBatches(now);
  }

  private async *removeDeliveries(id: number): AsyncGenerator<number> {
    let last = { occurredAt: -1, id: 0 };
    for (let batch = BATCH; batch > 0; yield batch) {
      const parameters = { id, afterAt: last.occurredAt, afterId: last.id };
      const rows = await this.transactor.run((manager) =>
        this.statements.run(manager, removeDeliveries, parameters),
      );
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
