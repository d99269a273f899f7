import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog, ofService } from '../../../core/audit/audit-log.ts';
import { currentTime, toWireTime } from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';

/** Maximum of pending deliveries per endpoint. Each process counts by itself, so that there can be slightly more. */
const MAX_WAITING = 50_000;

const countWaiting = statement<{ id: number }, { count: number }>(
  'webhook-endpoint.count-waiting',
  () => `
    SELECT count(*) AS count FROM (
      SELECT d.id FROM webhook_delivery d
      WHERE d.endpoint_id = :id AND d.due_at IS NOT NULL LIMIT ${MAX_WAITING}) AS waiting`,
);

const beginSkipping = statement<{ ids: readonly number[]; now: number }, { id: number }>(
  'webhook-endpoint.begin-skipping',
  ({ isOneOf }) => `
    UPDATE webhook_endpoint SET skipping_since = :now
    WHERE ${isOneOf('id', ':ids', 'integer')} AND skipping_since IS NULL
    RETURNING id`,
);

interface Skipping {
  id: number;
  workspaceId: number;
  since: number;
}

/** Finds endpoints whose pending deliveries are down to half of the maximum. */
const findRelieved = statement<object, Skipping>(
  'webhook-endpoint.find-relieved',
  () => `
    SELECT e.id, e.workspace_id AS "workspaceId", e.skipping_since AS since FROM webhook_endpoint e
    WHERE e.skipping_since IS NOT NULL AND e.removed_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = e.id AND d.due_at IS NOT NULL
      LIMIT 1 OFFSET ${MAX_WAITING / 2})`,
);

const endSkipping = statement<Pick<Skipping, 'id' | 'since'>, { id: number }>(
  'webhook-endpoint.end-skipping',
  () => `
    UPDATE webhook_endpoint SET skipping_since = NULL
    WHERE id = :id AND skipping_since = :since RETURNING id`,
);

/**
 * Bounds the pending deliveries of an endpoint. Beyond the maximum its events are dropped until half of them are sent.
 * The event `webhook_endpoint.overflow` then tells the endpoint to read the feed, which still has the dropped events.
 */
@Injectable()
export class EndpointOverflow {
  begun = 0;
  private readonly logger = new Logger(EndpointOverflow.name);
  /** Deliveries of an endpoint that can be added before the next count. */
  private readonly room = new Map<number, number>();

  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /** Tells whether an endpoint may get `more` deliveries, and counts them as added. */
  async admits(id: number, more: number): Promise<boolean> {
    let left = (this.room.get(id) ?? 0) - more;
    if (left < 0) {
      const [waiting] = await this.statements.read(countWaiting, { id });
      left = MAX_WAITING - waiting!.count - more;
    }
    this.room.set(id, left);
    return left >= 0;
  }

  async begin(manager: EntityManager, endpointIds: readonly number[]): Promise<void> {
    if (endpointIds.length === 0) return;
    const parameters = { ids: endpointIds, now: currentTime() };
    const begun = await this.statements.run(manager, beginSkipping, parameters);
    this.begun += begun.length;
    for (const { id } of begun) {
      this.logger.warn({
        msg: 'too many pending webhooks; dropping events of the endpoint',
        endpoint: id,
      });
    }
  }

  /** Ends overflows once enough deliveries are sent, and tells the endpoints. @throws DatabaseUnavailable */
  async end(): Promise<void> {
    for (const { id, workspaceId, since } of await this.statements.read(findRelieved, {})) {
      await this.transactor.run(async (manager) => {
        if ((await this.statements.run(manager, endSkipping, { id, since })).length === 0) return;
        await this.auditLog.record(manager, ofService(workspaceId), {
          action: 'webhook_endpoint.overflow',
          object: { type: 'webhook_endpoint', id },
          details: { since: toWireTime(since) },
        });
      });
    }
  }
}
