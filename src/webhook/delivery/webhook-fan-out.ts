import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Config } from '../../config/config.ts';
import {
  type ChangePosition,
  ChangeReader,
  type ChangeRecord,
  reachedAt,
} from '../../database/change-reader.ts';
import { KEEP_FRESH_MS, readHeld } from '../../database/held-changes.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import type { ChangeConsumer } from '../../database/upkeep/change-retention.ts';
import { Transactor } from '../../database/transactor.ts';
import { toEventView } from '../../event/dto/event-answer.dto.ts';
import { kindsMatching } from '../../event/event-types.ts';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository.ts';
import { type NewDelivery, WebhookDeliveryRepository } from './webhook-delivery.repository.ts';

const PAGE = 500;
const DAY_MS = 86_400_000;
/** The clocks of replicas agree within so much. */
const CLOCK_SKEW_MS = 1000;

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

/**
 * Makes deliveries of changes: one for each endpoint that asks for it. Several processes may do so at
 * once; of each part of the change log one of them stores the deliveries, together with how far it
 * has come, so that none is missing whoever is killed. What is read again makes no second delivery.
 */
@Injectable()
export class WebhookFanOut implements ChangeConsumer {
  readonly name = 'webhooks';
  private readonly logger = new Logger(WebhookFanOut.name);
  private storedAt = -Infinity;
  /** When the position was reached that this process has read up to, in milliseconds since 1970. */
  private reachedAt: number | undefined;

  constructor(
    private readonly reader: ChangeReader,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly config: Config,
  ) {}

  /** How old the last change may be of which no deliveries are stored, as far as this process knows; null if it makes none. */
  get lagSeconds(): number | null {
    return this.reachedAt === undefined ? null : (Date.now() - this.reachedAt) / 1000;
  }

  /** Nobody wants to hear of what has happened before there was an endpoint, or so long ago that it is not kept. */
  async readUntil(): Promise<number | undefined> {
    const oldest = await this.endpoints.findOldestCreation();
    if (oldest === undefined) return undefined;
    const [found] = await this.statements.read(findPosition, {});
    return Math.max(found ? reachedAt(found.position) : 0, oldest, this.keptSince);
  }

  /**
   * Makes deliveries of the next changes.
   * @returns whether more can follow at once
   * @throws DatabaseUnavailable
   */
  async run(): Promise<boolean> {
    const [found] = await this.statements.read(findPosition, {});
    const last = found?.position;
    // Without a position, or with one that is lost, endpoints get what is kept since they were created.
    const { changes, position, hasMore, lost } = await readHeld(this.reader, last, PAGE);
    if (lost) {
      const msg = 'webhooks may miss events: the change log has been replaced';
      this.logger.warn({ msg, err: lost });
    }
    const isFresh = performance.now() - this.storedAt < KEEP_FRESH_MS;
    if (changes.length > 0 || hasMore || !isFresh) {
      const deliveries = await this.deliveriesOf(changes);
      await this.transactor.run((manager) => this.store(manager, last, position, deliveries));
      this.storedAt = performance.now();
    }
    this.reachedAt = reachedAt(position);
    return hasMore;
  }

  /**
   * While there is no endpoint, leaves out what has happened by now, so that the first one finds little
   * to read.
   * @throws DatabaseUnavailable
   */
  async skip(): Promise<void> {
    this.reachedAt = Date.now();
    if (performance.now() - this.storedAt < KEEP_FRESH_MS) return;
    // In this order: what happens after an endpoint is created lies behind the position.
    const next = await this.reader.end();
    if (await this.endpoints.hasAny()) return;
    const [found] = await this.statements.read(findPosition, {});
    await this.transactor.run((manager) => this.store(manager, found?.position, next, []));
    this.storedAt = performance.now();
  }

  /** @param last undefined if no position has been stored yet */
  private async store(
    manager: EntityManager,
    last: ChangePosition | undefined,
    next: ChangePosition,
    deliveries: readonly NewDelivery[],
  ): Promise<void> {
    const advanced =
      last === undefined
        ? await this.statements.run(manager, beginProgress, { next })
        : await this.statements.run(manager, advance, { last, next });
    // Another process has stored what is behind the same position.
    if (advanced.length === 0 || deliveries.length === 0) return;
    await this.deliveries.insert(manager, deliveries);
  }

  /** Deliveries of what has happened before would be removed at once. */
  private get keptSince(): number {
    return Date.now() - this.config.webhookRetentionDays * DAY_MS;
  }

  private async deliveriesOf(changes: readonly ChangeRecord[]): Promise<NewDelivery[]> {
    const workspaceIds = new Set(changes.flatMap(({ workspaceId }) => workspaceId ?? []));
    if (workspaceIds.size === 0) return [];
    // Read after the changes: an endpoint that was there before a change is seen with it.
    const endpoints = await this.endpoints.listOf([...workspaceIds]);
    const wanted = endpoints.map((endpoint) => ({
      ...endpoint,
      isWanted: kindsMatching(endpoint.eventTypes.split(' ')),
    }));
    const { keptSince } = this;
    return changes.flatMap((change) =>
      wanted
        .filter(
          ({ workspaceId, createdAt, isWanted }) =>
            workspaceId === change.workspaceId &&
            change.occurredAt >= Math.max(createdAt - CLOCK_SKEW_MS, keptSince) &&
            isWanted(change.kind),
        )
        .map(({ id }) => toDelivery(id, change)),
    );
  }
}

/** What is sent names what has changed, and holds nothing of it. */
function toDelivery(endpointId: number, change: ChangeRecord): NewDelivery {
  const { id, type, time, ...data } = toEventView(change);
  return {
    endpointId,
    eventId: id,
    kind: type,
    body: JSON.stringify({ type, timestamp: time, data }),
    occurredAt: change.occurredAt,
  };
}
