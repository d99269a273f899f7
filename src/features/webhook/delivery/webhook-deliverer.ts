import { toEventId } from '../../../core/audit/event-id.ts';
import { Injectable, Logger } from '@nestjs/common';
import { WebhookSecretUnreadable } from '../endpoint/webhook.errors.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { WebhookSettings } from '../webhook.settings.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { WebhookSecretCipher } from '../endpoint/webhook-secret-cipher.ts';
import { EndpointHealth } from '../endpoint/endpoint-health.ts';
import {
  type DueEndpoint,
  type StoredWebhookEndpoint,
  WebhookEndpointRepository,
} from '../endpoint/webhook-endpoint.repository.ts';
import { AddressRules } from '../sending/address-rules.ts';
import { DEADLINE_MS, LEASE_MS } from '../sending/attempt-times.ts';
import { signatureOf } from '../sending/signature.ts';
import { type Message, type Sent, WebhookSender } from '../sending/webhook-sender.ts';
import { AttemptSlots, type HeldSlots } from './attempt-slots.ts';
import { pauseAfter, waitAfter } from './retry-schedule.ts';
import {
  type ClaimedDelivery,
  type MadeAttempt,
  WebhookDeliveryRepository,
} from './webhook-delivery.repository.ts';

/** Attempts at one endpoint at a time, by each process, once one got a response. */
const AT_ONCE = 10;
/** After this, other endpoints have their turn. */
const MAX_DRAIN_MS = 2000;
const GONE = 410;

type Result = Sent | { failure: 'secret_unreadable'; status?: undefined };

@Injectable()
export class WebhookDeliverer {
  /** Attempts of this process by result. */
  readonly counts = { delivered: 0, refused: 0, no_response: 0 };
  /** Called for each attempt of this process; does nothing unless set. */
  observe: (seconds: number, result: keyof WebhookDeliverer['counts']) => void = () => undefined;
  private readonly logger = new Logger(WebhookDeliverer.name);
  private readonly sender: WebhookSender;
  private readonly slots = new AttemptSlots();
  private isEnding = false;

  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly health: EndpointHealth,
    private readonly cipher: WebhookSecretCipher,
    private readonly transactor: Transactor,
    settings: WebhookSettings,
  ) {
    const rules = new AddressRules(settings.webhookAllowedCidrs);
    this.sender = new WebhookSender({
      rules,
      allowHttp: settings.webhookAllowHttp,
      deadlineMs: DEADLINE_MS,
    });
  }

  end(): void {
    this.isEnding = true;
  }

  /**
   * Sends pending deliveries to one endpoint until there are none, it is off or paused, its turn is over, or no slot is
   * free. Returns undefined if no slot is free at first.
   * @throws DatabaseUnavailable; unfinished attempts are then repeated when their lease ends
   */
  drain({ id, workspaceId, pausedUntil }: DueEndpoint): Promise<void> | undefined {
    const slots = this.slots.acquire(workspaceId, {
      hasResponded: pausedUntil === null,
      wanted: 1,
    });
    return slots && this.drainBy(id, slots);
  }

  /** Reserves an attempt at an endpoint outside its queue; returns undefined if no slot is free. */
  reserve({ workspaceId, pausedUntil }: StoredWebhookEndpoint): HeldSlots | undefined {
    return this.isEnding
      ? undefined
      : this.slots.acquire(workspaceId, { hasResponded: pausedUntil === null, wanted: 1 });
  }

  /** Makes the one attempt of a delivery that is not in the queue. The health of the endpoint stays as it is. */
  async attemptOnce(
    endpoint: StoredWebhookEndpoint,
    delivery: ClaimedDelivery,
  ): Promise<MadeAttempt & { isDelivered: boolean }> {
    const { made, isDelivered } = await this.make(endpoint, delivery);
    await this.transactor.run((manager) =>
      this.deliveries.settle(manager, delivery, isDelivered ? 'delivered' : 'failed', null, made),
    );
    return { ...made, isDelivered };
  }

  private async drainBy(id: number, first: HeldSlots): Promise<void> {
    const end = performance.now() + MAX_DRAIN_MS;
    for (let slots: HeldSlots | undefined = first; slots;) {
      let goesOn: boolean;
      try {
        goesOn = await this.sendBatch(id, slots);
      } finally {
        slots.release();
      }
      if (!goesOn || this.isEnding || performance.now() >= end) return;
      slots = this.slots.acquire(first.workspaceId, { hasResponded: true, wanted: AT_ONCE });
    }
  }

  /** @returns whether something was sent, and no attempt caused a pause */
  private async sendBatch(id: number, slots: HeldSlots): Promise<boolean> {
    const endpoint = await this.endpoints.findForSending(id);
    if (!endpoint) return false;
    const until = currentTime() + LEASE_MS;
    let claimed: ClaimedDelivery[];
    if (endpoint.pausedUntil === null) {
      claimed = await this.deliveries.claim(id, slots.count, until);
    } else {
      claimed = await this.deliveries.claimProbe(id, endpoint.pausedUntil, until);
      endpoint.pausedUntil = until;
    }
    slots.keep(claimed.length);
    const attempts = claimed.map((delivery) => this.attempt(endpoint, delivery));
    // Awaits all, even if storing the result of one has failed.
    const results = await Promise.allSettled(attempts);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return claimed.length > 0 && results.every((result) => 'value' in result && !result.value);
  }

  /** @returns whether the endpoint is paused now */
  private async attempt(
    endpoint: StoredWebhookEndpoint,
    delivery: ClaimedDelivery,
  ): Promise<boolean> {
    const { result, made, isDelivered } = await this.make(endpoint, delivery);
    const { at, status, durationMs } = made;
    const outcome = isDelivered ? 'delivered' : status === null ? 'no_response' : 'refused';
    this.counts[outcome]++;
    this.observe(durationMs / 1000, outcome);
    const retryAfterMs = result.failure === undefined ? result.retryAfterMs : null;
    // A missing key is not the fault of the endpoint.
    const pauseMs =
      isDelivered || result.failure === 'secret_unreadable'
        ? undefined
        : pauseAfter(status, retryAfterMs, at - (endpoint.failingSince ?? at));
    await this.transactor.run(async (manager) => {
      if (isDelivered) {
        await this.deliveries.settle(manager, delivery, 'delivered', null, made);
        await this.health.succeed(manager, endpoint);
        return;
      }
      const waitMs = waitAfter(delivery.attempts - delivery.scheduleFrom, retryAfterMs);
      const dueAt = waitMs === undefined ? null : currentTime() + waitMs;
      await this.deliveries.settle(manager, delivery, dueAt ? 'pending' : 'failed', dueAt, made);
      if (status === GONE) await this.health.disable(manager, endpoint, 'gone');
      else await this.health.fail(manager, endpoint, pauseMs);
    });
    return pauseMs !== undefined;
  }

  /** Makes one attempt, and stores nothing. */
  private async make(
    endpoint: StoredWebhookEndpoint,
    delivery: ClaimedDelivery,
  ): Promise<{ result: Result; made: MadeAttempt; isDelivered: boolean }> {
    const at = currentTime();
    const begun = performance.now();
    const result = await this.send(endpoint, delivery);
    const { status = null } = result;
    const made = {
      at,
      durationMs: Math.round(performance.now() - begun),
      status,
      failure: result.failure ?? null,
      // A response may repeat the values of headers, in any form.
      response:
        result.failure === undefined && endpoint.headerNames === '' ? result.response : null,
    };
    return { result, made, isDelivered: status !== null && status >= 200 && status < 300 };
  }

  private async send(endpoint: StoredWebhookEndpoint, delivery: ClaimedDelivery): Promise<Result> {
    try {
      return await this.sender.send(this.toMessage(endpoint, delivery));
    } catch (error) {
      if (!(error instanceof WebhookSecretUnreadable)) throw error;
      this.logger.error({ msg: 'could not sign a webhook', endpoint: endpoint.id, err: error });
      return { failure: 'secret_unreadable' };
    }
  }

  /** @throws WebhookSecretUnreadable */
  private toMessage(endpoint: StoredWebhookEndpoint, { eventId, body }: ClaimedDelivery): Message {
    const { secret, oldSecret, headers } = this.cipher.decrypt(endpoint, endpoint);
    const isOverlap = (endpoint.oldSecretUntil ?? 0) > currentTime();
    const secrets = oldSecret !== undefined && isOverlap ? [secret, oldSecret] : [secret];
    const id = toEventId(eventId);
    const timestamp = Math.floor(currentTime() / 1000);
    return {
      url: endpoint.url,
      body,
      headers: {
        ...headers,
        'User-Agent': 'user-group-service',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf({ id, timestamp, body }, secrets),
      },
    };
  }
}
