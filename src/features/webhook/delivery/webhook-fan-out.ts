import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { currentTime } from '../../../platform/common/time.ts';
import {
  type ChangePosition,
  ChangeReader,
  reachedAt,
} from '../../../core/change-log/change-reader.ts';
import { KEEP_FRESH_MS, readRetained } from '../../../core/change-log/retained-changes.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { ChangeConsumer } from '../../../core/change-log/change-retention.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { EndpointOverflow } from '../endpoint/endpoint-overflow.ts';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository.ts';
import { type MadeDeliveries, NewDeliveries } from './new-deliveries.ts';
import { WebhookBacklogRepository } from './webhook-backlog.repository.ts';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.ts';

const PAGE = 500;
/** Deliveries of one workspace per transaction, so that other workspaces do not wait for more. */
const PART = 1000;

const findPosition = statement<object, { position: string }>(
  'webhook-progress.find',
  () => 'SELECT position FROM webhook_progress WHERE id = 1',
);

const beginProgress = statement<{ next: string }, { id: number }>(
  'webhook-progress.begin',
  () => `
    INSERT INTO webhook_progress (id, position) VALUES (1, :next) ON CONFLICT (id) DO NOTHING
    RETURNING id`,
);

const advance = statement<{ last: string; next: string }, { id: number }>(
  'webhook-progress.advance',
  () => `
    UPDATE webhook_progress SET position = :next WHERE id = 1 AND position = :last RETURNING id`,
);

/** Locks the position for the rest of the transaction, if it has not changed. */
const lockPosition = statement<{ position: string }, { id: number }>(
  'webhook-progress.lock',
  () => `
    UPDATE webhook_progress SET position = :position WHERE id = 1 AND position = :position
    RETURNING id`,
);

interface FanOutPage {
  /** Undefined before the first page. */
  last: ChangePosition | undefined;
  next: ChangePosition;
  made: readonly MadeDeliveries[];
  /** Workspaces that were left out, since they have positions of their own. */
  behind: readonly number[];
  /** Workspaces that get a position of their own, the start of this page. */
  large: readonly number[];
  from: ChangePosition;
}

/** A workspace that was left out has caught up meanwhile. */
class Overtaken extends Error {}

/**
 * Makes one delivery of each change for each endpoint that subscribes to it. Several processes may do so at once: for
 * each part of the change log, one of them stores the deliveries together with the new position, so that none is lost
 * if a process is killed. Reading a part again makes no second delivery. A workspace with many deliveries gets a
 * position of its own, so that no other workspace waits for it.
 */
@Injectable()
export class WebhookFanOut implements ChangeConsumer {
  readonly name = 'webhooks';
  private readonly logger = new Logger(WebhookFanOut.name);
  private storedAt = -Infinity;
  /** Time when the position that this process last read was reached. */
  private reachedAt: number | undefined;

  constructor(
    private readonly reader: ChangeReader,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly backlogs: WebhookBacklogRepository,
    private readonly newDeliveries: NewDeliveries,
    private readonly overflow: EndpointOverflow,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** Age of the last change without deliveries, as far as this process knows; null if it makes none. */
  get lagSeconds(): number | null {
    return this.reachedAt === undefined ? null : (currentTime() - this.reachedAt) / 1000;
  }

  /** Changes before the first endpoint, or beyond retention, need no delivery. */
  async readUntil(): Promise<number | undefined> {
    const oldest = await this.endpoints.findOldestCreation();
    if (oldest === undefined) return undefined;
    const [found] = await this.statements.read(findPosition, {});
    const behind = await this.backlogs.list();
    const positions = [...(found ? [found] : []), ...behind].map(({ position }) => position);
    const reached = found ? Math.min(...positions.map(reachedAt)) : 0;
    return Math.max(reached, oldest, this.newDeliveries.keptSince);
  }

  /**
   * Makes deliveries of the next changes.
   * @returns whether more can follow at once
   * @throws DatabaseUnavailable
   */
  async run(): Promise<boolean> {
    const [found] = await this.statements.read(findPosition, {});
    const last = found?.position;
    const backlogs = await this.backlogs.list();
    const behind = backlogs.map(({ workspaceId }) => workspaceId);
    // If the position is missing or lost, endpoints get all kept events since their creation.
    const { changes, position, hasMore, lost } = await readRetained(this.reader, last, PAGE);
    if (lost) {
      this.logger.warn({
        msg: 'change log was replaced; webhooks may miss events',
        reason: lost.message,
      });
    }
    const isFresh = performance.now() - this.storedAt < KEEP_FRESH_MS;
    if (changes.length > 0 || hasMore || !isFresh) {
      const own = changes.filter(({ workspaceId }) => !behind.includes(workspaceId!));
      const all = [...(await this.newDeliveries.of(own))];
      const large = all.filter(([, { deliveries }]) => deliveries.length > PART).map(([id]) => id);
      const made = all.flatMap(([id, some]) => (large.includes(id) ? [] : [some]));
      const from = last === undefined || lost ? this.reader.start() : last;
      const page = { last, next: position, made, behind, large, from };
      if (!(await this.tryToStore(page))) return true;
      this.storedAt = performance.now();
    }
    this.reachedAt = Math.min(...[position, ...backlogs.map((one) => one.position)].map(reachedAt));
    return (await this.catchUp()) || hasMore;
  }

  /** Makes deliveries of the next changes of the workspace that has been behind longest. @returns whether there was one */
  private async catchUp(): Promise<boolean> {
    const turn = await this.backlogs.takeTurn();
    if (!turn) return false;
    const { workspaceId, position: last } = turn;
    // Read before the changes: if the workspace has none left, all before this position have deliveries.
    const [shared] = await this.statements.read(findPosition, {});
    const { length } = await this.endpoints.listOf([workspaceId]);
    const limit = Math.ceil(PART / Math.max(length, 1));
    const { changes, position, hasMore } = await readRetained(
      this.reader,
      last,
      limit,
      workspaceId,
    );
    const made = [...(await this.newDeliveries.of(changes)).values()];
    await this.transactor.run(async (manager) => {
      const isEnd =
        !hasMore && (await this.statements.run(manager, lockPosition, shared!)).length > 0;
      const isOwn = isEnd
        ? await this.backlogs.end(manager, turn)
        : await this.backlogs.advance(manager, { workspaceId, last, next: position });
      if (isOwn) await this.insert(manager, made);
    });
    return true;
  }

  /** @returns false if a workspace that is left out has caught up meanwhile */
  private async tryToStore(page: FanOutPage): Promise<boolean> {
    try {
      await this.transactor.run((manager) => this.store(manager, page));
      return true;
    } catch (error) {
      if (error instanceof Overtaken) return false;
      throw error;
    }
  }

  /**
   * Skips all changes up to now while there is no endpoint, so that the first one finds little to read.
   * @throws DatabaseUnavailable
   */
  async skip(): Promise<void> {
    this.reachedAt = currentTime();
    if (performance.now() - this.storedAt < KEEP_FRESH_MS) return;
    // The order matters: changes after an endpoint's creation lie after the position.
    const next = await this.reader.end();
    if (await this.endpoints.hasAny()) return;
    const [found] = await this.statements.read(findPosition, {});
    const page = { last: found?.position, next, made: [], behind: [], large: [], from: next };
    await this.transactor.run((manager) => this.store(manager, page));
    this.storedAt = performance.now();
  }

  private async store(manager: EntityManager, page: FanOutPage): Promise<void> {
    const { last, next, made, behind, large, from } = page;
    const advanced =
      last === undefined
        ? await this.statements.run(manager, beginProgress, { next })
        : await this.statements.run(manager, advance, { last, next });
    // Another process has stored the same part.
    if (advanced.length === 0) return;
    // A workspace that catches up holds the position meanwhile.
    if (behind.length > 0 && !(await this.backlogs.haveAll(manager, behind))) throw new Overtaken();
    if (large.length > 0) await this.backlogs.begin(manager, large, from);
    await this.insert(manager, made);
  }

  private async insert(manager: EntityManager, made: readonly MadeDeliveries[]): Promise<void> {
    await this.deliveries.insert(
      manager,
      made.flatMap(({ deliveries }) => deliveries),
    );
    await this.overflow.begin(
      manager,
      made.flatMap(({ skipping }) => skipping),
    );
  }
}
