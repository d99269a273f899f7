import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditActor, AuditLog } from '../../../core/audit/audit-log.ts';
import { WebhookReplayRunning } from '../endpoint/webhook.errors.ts';
import { countInParts, type Total } from '../../../platform/common/http/parameters/total.ts';
import { currentTime, toWireTime } from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { WebhookDelivery } from '../entities/webhook-delivery.entity.ts';
import type { WebhookReplay } from '../entities/webhook-replay.entity.ts';
import { TEST_KIND } from './webhook-delivery.repository.ts';

/** Deliveries per transaction. */
const PART = 1000;

/** The events from `from` until before `to`. */
export interface ReplayedTime {
  endpointId: number;
  from: number;
  to: number;
  includeDelivered: boolean;
}

/** The request and its caller, the last delivery handled, and how many were made due. */
interface Progress extends ReplayedTime {
  actor: AuditActor;
  afterAt: number;
  afterId: number;
  replayed: number;
}

type StoredReplay = Omit<WebhookReplay, 'endpoint'>;

const insertReplay = statement<
  { [Name in keyof StoredReplay]: StoredReplay[Name] },
  { endpointId: number }
>(
  'webhook-replay.insert',
  () => `
    INSERT INTO webhook_replay (endpoint_id, workspace_id, progress, turn_at)
    VALUES (:endpointId, :workspaceId, :progress, :turnAt)
    ON CONFLICT (endpoint_id) DO NOTHING
    RETURNING endpoint_id AS "endpointId"`,
);

const findAny = statement<object, { endpointId: number }>(
  'webhook-replay.find-any',
  () => 'SELECT endpoint_id AS "endpointId" FROM webhook_replay LIMIT 1',
);

/** Gives the turn to the workspace that has waited longest, and in it to the endpoint that has. Returns its row. */
const takeTurn = statement<{ now: number }, Pick<WebhookReplay, 'endpointId' | 'progress'>>(
  'webhook-replay.take-turn',
  ({ isAmong, lockFreeRows }) => {
    const next = `
      SELECT r.endpoint_id FROM webhook_replay r
      ORDER BY (SELECT max(o.turn_at) FROM webhook_replay o WHERE o.workspace_id = r.workspace_id),
        r.turn_at, r.endpoint_id LIMIT 1 ${lockFreeRows('r')}`;
    return `
      UPDATE webhook_replay SET turn_at = :now WHERE ${isAmong('endpoint_id', next)}
      RETURNING endpoint_id AS "endpointId", progress`;
  },
);

const storeProgress = statement<{ endpointId: number; progress: string }>(
  'webhook-replay.store-progress',
  () => 'UPDATE webhook_replay SET progress = :progress WHERE endpoint_id = :endpointId',
);

const endReplay = statement<{ endpointId: number }>(
  'webhook-replay.end',
  () => 'DELETE FROM webhook_replay WHERE endpoint_id = :endpointId',
);

/**
 * Reads on in the order of the index, and filters the range outside: with the range inside, PostgreSQL would expect few
 * rows, take another index and sort.
 */
const findInRange = statement<
  { endpointId: number; until: number; afterAt: number; afterId: number },
  Pick<WebhookDelivery, 'id' | 'occurredAt' | 'state' | 'kind'>
>(
  'webhook-delivery.find-in-range',
  () => `
    SELECT id, occurred_at AS "occurredAt", state, kind
    FROM (
      SELECT d.endpoint_id, d.id, d.occurred_at, d.state, d.kind FROM webhook_delivery d
      WHERE (d.endpoint_id, d.occurred_at, d.id)
        > (CAST(:endpointId AS integer), CAST(:afterAt AS bigint), CAST(:afterId AS bigint))
      ORDER BY d.endpoint_id, d.occurred_at, d.id LIMIT ${PART}) AS following
    WHERE endpoint_id = :endpointId AND occurred_at < CAST(:until AS bigint)
    ORDER BY occurred_at, id`,
);

const replayThese = statement<
  { ids: readonly number[]; withDelivered: number; now: number },
  { id: number }
>(
  'webhook-delivery.replay-these',
  ({ isOneOf }) => `
    UPDATE webhook_delivery SET state = 'pending', due_at = :now, schedule_from = attempts
    WHERE ${isOneOf('id', ':ids', 'bigint')}
      AND (state <> 'delivered' OR CAST(:withDelivered AS integer) = 1) AND kind <> '${TEST_KIND}'
    RETURNING id`,
);

/**
 * Replays periods in the background, part by part; of each process workspaces get turns, and in each its endpoints do. A part is stored together with the progress
 * of the replay, so that another process can continue.
 */
@Injectable()
export class WebhookReplays {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /** Counts the events that a replay would send again, for two seconds at most. */
  count({ endpointId, from, to, includeDelivered }: ReplayedTime): Promise<Total> {
    return countInParts<{ afterAt: number; afterId: number }>(async (after) => {
      const page = { endpointId, until: to, ...(after ?? { afterAt: from, afterId: 0 }) };
      const rows = await this.statements.read(findInRange, page);
      const last = rows.length === PART ? rows.at(-1) : undefined;
      return {
        count: rows.filter(
          ({ state, kind }) => kind !== TEST_KIND && (includeDelivered || state !== 'delivered'),
        ).length,
        end: last && { afterAt: last.occurredAt, afterId: last.id },
      };
    });
  }

  /** Stores a replay for a worker. @throws WebhookReplayRunning while the endpoint has another */
  async begin(
    manager: EntityManager,
    actor: AuditActor & { workspaceId: number },
    time: ReplayedTime,
  ): Promise<void> {
    const { workspaceId, apiTokenId, requestId, address } = actor;
    const known = { workspaceId, apiTokenId, requestId, address };
    const progress = { ...time, actor: known, afterAt: time.from, afterId: 0, replayed: 0 };
    const row = {
      workspaceId,
      endpointId: time.endpointId,
      progress: JSON.stringify(progress satisfies Progress),
      // It has had no turn: its workspace keeps the place that it has.
      turnAt: 0,
    };
    const inserted = await this.statements.run(manager, insertReplay, row);
    if (inserted.length === 0) throw new WebhookReplayRunning();
  }

  /** Does the next part of one replay. @returns whether there was any @throws DatabaseUnavailable */
  async run(): Promise<boolean> {
    if ((await this.statements.read(findAny, {})).length === 0) return false;
    return this.transactor.run(async (manager) => {
      const [turn] = await this.statements.run(manager, takeTurn, { now: currentTime() });
      if (!turn) return false;
      const { endpointId } = turn;
      const progress = JSON.parse(turn.progress) as Progress;
      if (await this.replayPart(manager, progress)) {
        const stored = { endpointId, progress: JSON.stringify(progress) };
        await this.statements.run(manager, storeProgress, stored);
        return true;
      }
      await this.statements.run(manager, endReplay, { endpointId });
      await this.recordEnd(manager, progress);
      return true;
    });
  }

  /** @returns whether others can follow */
  private async replayPart(manager: EntityManager, progress: Progress): Promise<boolean> {
    const { endpointId, to, afterAt, afterId, includeDelivered } = progress;
    const page = { endpointId, until: to, afterAt, afterId };
    const rows = await this.statements.run(manager, findInRange, page);
    const wanted = rows.filter(({ state }) => includeDelivered || state !== 'delivered');
    const ids = wanted.map(({ id }) => id);
    const parameters = { ids, withDelivered: Number(includeDelivered), now: currentTime() };
    progress.replayed += (await this.statements.run(manager, replayThese, parameters)).length;
    const last = rows.at(-1);
    if (last) Object.assign(progress, { afterAt: last.occurredAt, afterId: last.id });
    return rows.length === PART;
  }

  private recordEnd(manager: EntityManager, progress: Progress): Promise<void> {
    const { actor, endpointId, from, to, includeDelivered, replayed } = progress;
    return this.auditLog.record(manager, actor, {
      action: 'webhook_endpoint.replay',
      object: { type: 'webhook_endpoint', id: endpointId },
      details: {
        from: toWireTime(from),
        to: toWireTime(to),
        include_delivered: includeDelivered,
        replayed,
      },
    });
  }
}
