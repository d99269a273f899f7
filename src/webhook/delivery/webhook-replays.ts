import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditActor, AuditLog } from '../../audit/audit-log.ts';
import { WebhookReplayRunning } from '../../common/errors.ts';
import { toWireTime } from '../../common/time.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';
import type { WebhookDelivery } from './webhook-delivery.entity.ts';
import type { WebhookReplay } from './webhook-replay.entity.ts';

/** Deliveries of one part. */
const PART = 1000;

/** The events of a time, from `since` until before `until`, in milliseconds since 1970. */
export interface ReplayedTime {
  endpointId: number;
  since: number;
  until: number;
  includeDelivered: boolean;
}

/** What was asked for and by whom, behind which delivery it goes on, and how many it has made due. */
interface Progress extends ReplayedTime {
  actor: AuditActor;
  afterAt: number;
  afterId: number;
  replayed: number;
}

type StoredReplay = Omit<WebhookReplay, 'endpoint'>;

const insertReplay = statement<
  { [Name in keyof StoredReplay]: StoredReplay[Name] },
  { workspaceId: number }
>(
  'webhook-replay.insert',
  () => `
    INSERT INTO webhook_replay (workspace_id, endpoint_id, progress, turn_at)
    VALUES (:workspaceId, :endpointId, :progress, :turnAt)
    ON CONFLICT (workspace_id) DO NOTHING
    RETURNING workspace_id AS "workspaceId"`,
);

const findAny = statement<object, { workspaceId: number }>(
  'webhook-replay.find-any',
  () => 'SELECT workspace_id AS "workspaceId" FROM webhook_replay LIMIT 1',
);

/** The one that has waited longest, of those that no other process is at. */
const takeTurn = statement<{ now: number }, Pick<WebhookReplay, 'workspaceId' | 'progress'>>(
  'webhook-replay.take-turn',
  ({ isAmong, lockFreeRows }) => `
    UPDATE webhook_replay SET turn_at = :now
    WHERE ${isAmong(
      'workspace_id',
      `SELECT r.workspace_id FROM webhook_replay r
       ORDER BY r.turn_at, r.workspace_id LIMIT 1 ${lockFreeRows('r')}`,
    )}
    RETURNING workspace_id AS "workspaceId", progress`,
);

const storeProgress = statement<{ workspaceId: number; progress: string }>(
  'webhook-replay.store-progress',
  () => 'UPDATE webhook_replay SET progress = :progress WHERE workspace_id = :workspaceId',
);

const endReplay = statement<{ workspaceId: number }>(
  'webhook-replay.end',
  () => 'DELETE FROM webhook_replay WHERE workspace_id = :workspaceId',
);

/**
 * What follows in the order of the index, as far as it belongs to the range: with the range inside,
 * PostgreSQL would expect little, and take another index and sort.
 */
const findInRange = statement<
  { endpointId: number; until: number; afterAt: number; afterId: number },
  Pick<WebhookDelivery, 'id' | 'occurredAt' | 'state'>
>(
  'webhook-delivery.find-in-range',
  () => `
    SELECT id, occurred_at AS "occurredAt", state
    FROM (
      SELECT d.endpoint_id, d.id, d.occurred_at, d.state FROM webhook_delivery d
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
      AND (state <> 'delivered' OR CAST(:withDelivered AS integer) = 1)
    RETURNING id`,
);

/**
 * Replays times in the background, part by part: workspaces take turns. A part is stored together with how far
 * the replay has come, so that another process goes on with it.
 */
@Injectable()
export class WebhookReplays {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /** Stores a replay for a worker. @throws WebhookReplayRunning while the workspace has another */
  async begin(actor: AuditActor & { workspaceId: number }, time: ReplayedTime): Promise<void> {
    const { workspaceId, apiTokenId, requestId, address } = actor;
    const known = { workspaceId, apiTokenId, requestId, address };
    const progress = { ...time, actor: known, afterAt: time.since, afterId: 0, replayed: 0 };
    const row = {
      workspaceId,
      endpointId: time.endpointId,
      progress: JSON.stringify(progress satisfies Progress),
      turnAt: Date.now(),
    };
    const inserted = await this.transactor.run((manager) =>
      this.statements.run(manager, insertReplay, row),
    );
    if (inserted.length === 0) throw new WebhookReplayRunning();
  }

  /** Does the next part of one replay. @returns whether there was any @throws DatabaseUnavailable */
  async run(): Promise<boolean> {
    if ((await this.statements.read(findAny, {})).length === 0) return false;
    return this.transactor.run(async (manager) => {
      const [turn] = await this.statements.run(manager, takeTurn, { now: Date.now() });
      if (!turn) return false;
      const { workspaceId } = turn;
      const progress = JSON.parse(turn.progress) as Progress;
      if (await this.replayPart(manager, progress)) {
        const stored = { workspaceId, progress: JSON.stringify(progress) };
        await this.statements.run(manager, storeProgress, stored);
        return true;
      }
      await this.statements.run(manager, endReplay, { workspaceId });
      this.recordEnd(manager, progress);
      return true;
    });
  }

  /** @returns whether others can follow */
  private async replayPart(manager: EntityManager, progress: Progress): Promise<boolean> {
    const { endpointId, until, afterAt, afterId, includeDelivered } = progress;
    const page = { endpointId, until, afterAt, afterId };
    const rows = await this.statements.run(manager, findInRange, page);
    const wanted = rows.filter(({ state }) => includeDelivered || state !== 'delivered');
    const ids = wanted.map(({ id }) => id);
    const parameters = { ids, withDelivered: Number(includeDelivered), now: Date.now() };
    progress.replayed += (await this.statements.run(manager, replayThese, parameters)).length;
    const last = rows.at(-1);
    if (last) Object.assign(progress, { afterAt: last.occurredAt, afterId: last.id });
    return rows.length === PART;
  }

  private recordEnd(manager: EntityManager, progress: Progress): void {
    const { actor, endpointId, since, until, includeDelivered, replayed } = progress;
    this.auditLog.record(manager, actor, {
      action: 'webhook_endpoint.replay',
      object: { type: 'webhook_endpoint', id: endpointId },
      details: {
        since: toWireTime(since),
        until: toWireTime(until),
        include_delivered: includeDelivered,
        replayed,
      },
    });
  }
}
