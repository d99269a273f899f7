import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../../platform/database/dialect.ts';
import { settingsFrom } from '../../../platform/config/settings.ts';
import { KeysetList, KeysetOrder } from '../../../platform/database/keyset-list.ts';
import { EventSettings } from '../../event/event.settings.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { WebhookAttempt } from '../entities/webhook-attempt.entity.ts';
import type { WebhookDelivery } from '../entities/webhook-delivery.entity.ts';
import type { Page, PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import { DAY_MS, currentTime } from '../../../platform/common/time.ts';
import { hasCome } from '../../../platform/database/stored-times.ts';
import { LEASE_MS } from '../sending/attempt-times.ts';
import { LONGEST_WAIT_MS } from './retry-schedule.ts';
import { ExpirySweep, removeOldest } from '../../../platform/database/upkeep/expiry-sweep.ts';

export type NewDelivery = Pick<
  WebhookDelivery,
  'endpointId' | 'eventId' | 'kind' | 'body' | 'occurredAt'
>;

/** The type of test events, which are in no feed: nothing has happened. */
export const TEST_KIND = 'webhook.test';

/** A delivery whose next attempt belongs to this process. */
export type ClaimedDelivery = Pick<
  WebhookDelivery,
  'id' | 'endpointId' | 'eventId' | 'body' | 'attempts' | 'scheduleFrom'
>;

export type ListedAttempt = Omit<WebhookAttempt, 'delivery' | 'deliveryId' | 'endpointId'> &
  Pick<WebhookDelivery, 'kind' | 'body' | 'state' | 'dueAt'>;

export type MadeAttempt = {
  [Name in 'at' | 'durationMs' | 'status' | 'failure' | 'response']: WebhookAttempt[Name];
};

const NEW_DELIVERY = {
  endpointId: 'integer',
  eventId: 'bigint',
  kind: 'text',
  body: 'text',
  occurredAt: 'bigint',
} as const;

const newDelivery = columnsOf(NEW_DELIVERY);

const insertDeliveries = statement<{ rows: readonly NewDelivery[]; now: number }>(
  'webhook-delivery.insert',
  ({ recordsOf }) => `
    INSERT INTO webhook_delivery (${newDelivery.columns}, state, attempts, schedule_from, due_at)
    SELECT ${newDelivery.members}, 'pending', 0, 0, CAST(:now AS bigint)
    FROM ${recordsOf(':rows', NEW_DELIVERY)} WHERE true
    ON CONFLICT (endpoint_id, event_id) DO NOTHING`,
);

/** A delivery outside the queue: it is never due. */
const insertTest = statement<NewDelivery, ClaimedDelivery>(
  'webhook-delivery.insert-test',
  () => `
    INSERT INTO webhook_delivery (endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from)
    VALUES (:endpointId, :eventId, :kind, :body, :occurredAt, 'pending', 1, 0)
    RETURNING id, endpoint_id AS "endpointId", event_id AS "eventId", body, attempts,
      schedule_from AS "scheduleFrom"`,
);

const claimDeliveries = statement<
  { endpointId: number; now: number; until: number; limit: number },
  ClaimedDelivery
>(
  'webhook-delivery.claim',
  ({ isAmong, lockFreeRows }) => `
    UPDATE webhook_delivery SET attempts = attempts + 1, leased_until = :until
    WHERE ${isAmong(
      'id',
      `SELECT d.id FROM webhook_delivery d
       WHERE d.endpoint_id = :endpointId AND d.due_at <= CAST(:now AS bigint)
         AND (d.leased_until IS NULL OR ${hasCome('d.leased_until', LEASE_MS)})
       ORDER BY d.due_at, d.id LIMIT :limit ${lockFreeRows('d')}`,
    )}
    RETURNING id, endpoint_id AS "endpointId", event_id AS "eventId", body, attempts,
      schedule_from AS "scheduleFrom"`,
);

/** Asks for each endpoint, so that the index of what is due leads to the few. */
const hastenDeliveries = statement<{ now: number }, { id: number }>(
  'webhook-delivery.hasten',
  ({ isAmong }) => `
    UPDATE webhook_delivery SET due_at = :now
    WHERE ${isAmong(
      'id',
      `SELECT d.id FROM webhook_endpoint e JOIN webhook_delivery d ON d.endpoint_id = e.id
       WHERE d.due_at > CAST(:now AS bigint) + ${LONGEST_WAIT_MS}`,
    )}
    RETURNING id`,
);

const beginProbe = statement<{ endpointId: number; known: number; until: number }, { id: number }>(
  'webhook-endpoint.begin-probe',
  () => `
    UPDATE webhook_endpoint SET paused_until = :until
    WHERE id = :endpointId AND paused_until = :known
    RETURNING id`,
);

/** A replay that was requested during the attempt begins when it has ended. */
const settleDelivery = statement<
  { id: number; attempts: number; scheduleFrom: number; state: string; dueAt: number | null },
  { id: number }
>(
  'webhook-delivery.settle',
  () => `
    UPDATE webhook_delivery SET leased_until = NULL,
      state = CASE WHEN schedule_from = CAST(:scheduleFrom AS integer) THEN CAST(:state AS text) ELSE state END,
      due_at = CASE WHEN schedule_from = CAST(:scheduleFrom AS integer) THEN CAST(:dueAt AS bigint) ELSE due_at END
    WHERE id = :id AND attempts = :attempts
    RETURNING id`,
);

/** Inserts nothing if the delivery has been removed meanwhile. */
const insertAttempt = statement<MadeAttempt & { deliveryId: number; number: number }>(
  'webhook-attempt.insert',
  () => `
    INSERT INTO webhook_attempt (delivery_id, number, endpoint_id, event_id, at, duration_ms, status,
      failure, response)
    SELECT id, CAST(:number AS integer), endpoint_id, event_id, CAST(:at AS bigint),
      CAST(:durationMs AS integer), CAST(:status AS integer), CAST(:failure AS text),
      CAST(:response AS text)
    FROM webhook_delivery WHERE id = :deliveryId
    ON CONFLICT (delivery_id, number) DO NOTHING`,
);

const replayOne = statement<{ endpointId: number; eventId: number; now: number }, { id: number }>(
  'webhook-delivery.replay',
  () => `
    UPDATE webhook_delivery SET state = 'pending', due_at = :now, schedule_from = attempts
    WHERE endpoint_id = :endpointId AND event_id = :eventId AND kind <> '${TEST_KIND}'
    RETURNING id`,
);

const ALL_AT_ONCE = 1000;

const attemptsOf = <Given extends Record<keyof Given, number>>(name: string, condition = 'true') =>
  new KeysetList<Given, ListedAttempt>(
    name,
    new KeysetOrder(
      [
        ['at', 'a.at'],
        ['eventId', 'a.event_id'],
        ['number', 'a.number'],
      ],
      'DESC',
    ),
    (page) => `
      SELECT a.number, a.event_id AS "eventId", a.at, a.duration_ms AS "durationMs", a.status,
        a.failure, a.response, d.kind, d.body, d.state, d.due_at AS "dueAt"
      FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id
      WHERE a.endpoint_id = :endpointId AND ${condition} AND ${page}`,
  );
const attempts = attemptsOf<{ endpointId: number }>('webhook-attempt.list');
const attemptsOfEvent = attemptsOf<{ endpointId: number; eventId: number }>(
  'webhook-attempt.list-of-event',
  'a.event_id = :eventId',
);

@Injectable()
export class WebhookDeliveryRepository {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** Inserts deliveries that are due at once; existing ones stay as they are. */
  async insert(manager: EntityManager, deliveries: readonly NewDelivery[]): Promise<void> {
    // Splits the rows, because the time limit applies to each statement.
    for (let from = 0; from < deliveries.length; from += ALL_AT_ONCE) {
      const rows = deliveries.slice(from, from + ALL_AT_ONCE);
      await this.statements.run(manager, insertDeliveries, { rows, now: currentTime() });
    }
  }

  /** Inserts a delivery whose one attempt belongs to the caller. */
  async insertTest(manager: EntityManager, delivery: NewDelivery): Promise<ClaimedDelivery> {
    return (await this.statements.run(manager, insertTest, delivery))[0]!;
  }

  /** Claims at most `limit` deliveries of an endpoint until that time; no other process claims them before. */
  claim(endpointId: number, limit: number, until: number): Promise<ClaimedDelivery[]> {
    return this.transactor.apply(claimDeliveries, { endpointId, now: currentTime(), until, limit });
  }

  /** Makes due now what would be due later than it can be: a clock that was ahead has planned it. */
  async hasten(): Promise<void> {
    await this.transactor.apply(hastenDeliveries, { now: currentTime() });
  }

  /**
   * Claims one delivery of an endpoint that has not responded, and pauses the endpoint until the lease ends, so that no
   * other process sends to it.
   * @param known the end of its last pause
   */
  claimProbe(endpointId: number, known: number, until: number): Promise<ClaimedDelivery[]> {
    return this.transactor.run(async (manager) => {
      const probe = { endpointId, known, until };
      if ((await this.statements.run(manager, beginProbe, probe)).length === 0) return [];
      const claim = { endpointId, now: currentTime(), until, limit: 1 };
      const claimed = await this.statements.run(manager, claimDeliveries, claim);
      if (claimed.length === 0) {
        await this.statements.run(manager, beginProbe, { endpointId, known: until, until: known });
      }
      return claimed;
    });
  }

  /**
   * Ends a claim, and records its attempt. If another process has taken over the lease, nothing else changes.
   * @param dueAt time of the next attempt, or null
   */
  async settle(
    manager: EntityManager,
    { id, attempts, scheduleFrom }: ClaimedDelivery,
    state: WebhookDelivery['state'],
    dueAt: number | null,
    made: MadeAttempt,
  ): Promise<void> {
    const settled = { id, attempts, scheduleFrom, state, dueAt };
    await this.statements.run(manager, settleDelivery, settled);
    await this.statements.run(manager, insertAttempt, {
      deliveryId: id,
      number: attempts,
      ...made,
    });
  }

  /** Makes one delivery due now; returns false if the event has none. */
  async replay(manager: EntityManager, endpointId: number, eventId: number): Promise<boolean> {
    const parameters = { endpointId, eventId, now: currentTime() };
    return (await this.statements.run(manager, replayOne, parameters)).length > 0;
  }

  /** Lists one page of the attempts at an endpoint, or of those with one event, the latest first. */
  listAttempts(
    endpointId: number,
    eventId: number | undefined,
    query: PageQueryDto,
  ): Promise<Page<ListedAttempt>> {
    return eventId === undefined
      ? attempts.page(this.statements, query, { endpointId })
      : attemptsOfEvent.page(this.statements, query, { endpointId, eventId });
  }
}

@Injectable()
export class DeliveryRetention extends ExpirySweep {
  protected readonly removeExpired = removeOldest('webhook_delivery', 'occurred_at', 'id');
  protected override readonly retentionMs =
    settingsFrom(this.config, EventSettings).webhookRetentionDays * DAY_MS;
}
