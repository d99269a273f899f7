import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { currentTime } from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { WebhookBacklog } from '../entities/webhook-backlog.entity.ts';

type Backlog = Pick<WebhookBacklog, 'workspaceId' | 'position'>;

const listBacklogs = statement<object, Backlog>(
  'webhook-backlog.list',
  () => 'SELECT workspace_id AS "workspaceId", position FROM webhook_backlog',
);

const insertBacklogs = statement<{ rows: readonly object[]; position: string; now: number }>(
  'webhook-backlog.insert',
  ({ recordsOf }) => `
    INSERT INTO webhook_backlog (workspace_id, position, turn_at)
    SELECT workspace_id, CAST(:position AS text), CAST(:now AS bigint)
    FROM ${recordsOf(':rows', { workspace_id: 'integer' })} WHERE true
    ON CONFLICT (workspace_id) DO NOTHING`,
);

/** Gives the turn to the workspace that has waited longest and that no other process handles. Returns its row. */
const takeTurn = statement<{ now: number }, Backlog>(
  'webhook-backlog.take-turn',
  ({ isAmong, lockFreeRows }) => {
    const next = `
      SELECT b.workspace_id FROM webhook_backlog b
      ORDER BY b.turn_at, b.workspace_id LIMIT 1 ${lockFreeRows('b')}`;
    return `
      UPDATE webhook_backlog SET turn_at = :now WHERE ${isAmong('workspace_id', next)}
      RETURNING workspace_id AS "workspaceId", position`;
  },
);

const advanceBacklog = statement<
  { workspaceId: number; last: string; next: string },
  { workspaceId: number }
>(
  'webhook-backlog.advance',
  () => `
    UPDATE webhook_backlog SET position = :next
    WHERE workspace_id = :workspaceId AND position = :last
    RETURNING workspace_id AS "workspaceId"`,
);

const endBacklog = statement<Backlog, { workspaceId: number }>(
  'webhook-backlog.end',
  () => `
    DELETE FROM webhook_backlog WHERE workspace_id = :workspaceId AND position = :position
    RETURNING workspace_id AS "workspaceId"`,
);

@Injectable()
export class WebhookBacklogRepository {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  list(): Promise<Backlog[]> {
    return this.statements.read(listBacklogs, {});
  }

  async haveAll(manager: EntityManager, workspaceIds: readonly number[]): Promise<boolean> {
    const rows = await this.statements.run(manager, listBacklogs, {});
    const behind = new Set(rows.map(({ workspaceId }) => workspaceId));
    return workspaceIds.every((id) => behind.has(id));
  }

  async begin(
    manager: EntityManager,
    workspaceIds: readonly number[],
    position: string,
  ): Promise<void> {
    const rows = workspaceIds.map((workspace_id) => ({ workspace_id }));
    await this.statements.run(manager, insertBacklogs, { rows, position, now: currentTime() });
  }

  /** Returns the workspace that has waited longest; undefined if none is behind. */
  async takeTurn(): Promise<Backlog | undefined> {
    if ((await this.list()).length === 0) return undefined;
    const [turn] = await this.transactor.apply(takeTurn, { now: currentTime() });
    return turn;
  }

  /** @returns false if another process has advanced it */
  async advance(
    manager: EntityManager,
    parameters: { workspaceId: number; last: string; next: string },
  ): Promise<boolean> {
    return (await this.statements.run(manager, advanceBacklog, parameters)).length > 0;
  }

  /** Returns a workspace to the shared position. @returns false if another process has advanced it */
  async end(manager: EntityManager, backlog: Backlog): Promise<boolean> {
    return (await this.statements.run(manager, endBacklog, backlog)).length > 0;
  }
}
