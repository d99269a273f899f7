import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { WakeableLoop } from '../../../platform/common/concurrency/wakeable-loop.ts';
import { logRepeated } from '../../../platform/common/repeated-failures.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { WebhookSettings } from '../webhook.settings.ts';
import { ChangeFeed } from '../../../core/change-log/change-feed.ts';
import { ChangeRetention } from '../../../core/change-log/change-retention.ts';
import { onDrained, type OnDrained } from '../../../platform/database/upkeep/shutdown-phases.ts';
import { EndpointOverflow } from '../endpoint/endpoint-overflow.ts';
import {
  type DueEndpoint,
  WebhookEndpointRepository,
} from '../endpoint/webhook-endpoint.repository.ts';
import { WebhookDeliverer } from './webhook-deliverer.ts';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.ts';
import { WebhookFanOut } from './webhook-fan-out.ts';
import { WebhookReplays } from './webhook-replays.ts';

const EVERY_MS = 1000;
/** Rare, because it looks at many deliveries. */
const RELIEVE_EVERY_MS = 10_000;
/** Gathers changes that are announced one after the other. */
const GATHERING_MS = 50;

/** Makes deliveries of events and sends them, once a second and when a change is announced. */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap, BeforeApplicationShutdown, OnDrained {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly draining = new Map<number, Promise<void>>();
  /** Start of the last turn of each endpoint, by `performance.now()`; the one that has waited longest comes first. */
  private readonly lastBegun = new Map<number, number>();
  /** Number of endpoints with a due delivery at the last check; null if this process does not send. */
  dueEndpoints: number | null = null;
  /** Time since the first of them was due, at the last check; null if this process does not send. */
  overdueSeconds: number | null = null;
  private relievesAt = -Infinity;
  private readonly loop = new WakeableLoop(
    () => this.look(),
    (err) => {
      if (this.loop.failures === 1) {
        this.logger.warn({ msg: 'webhook worker failed; retrying', err });
      }
      return EVERY_MS;
    },
  );
  private hasEndpoints = false;
  private isEnding = false;

  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly fanOut: WebhookFanOut,
    private readonly replays: WebhookReplays,
    private readonly overflow: EndpointOverflow,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly deliverer: WebhookDeliverer,
    private readonly changes: ChangeFeed,
    private readonly retention: ChangeRetention,
    private readonly settings: WebhookSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.retention.keepFor(this.fanOut);
    if (!this.settings.webhookDelivery) return;
    const soon = (): void => {
      if (this.hasEndpoints) this.loop.wake(GATHERING_MS);
    };
    this.changes.subscribe({ invalidate: soon, invalidateAll: soon });
    this.loop.wake(0);
  }

  beforeApplicationShutdown(): void {
    this.isEnding = true;
    void this.loop.stop();
    this.deliverer.end();
  }

  /** Waits for running attempts. Another process repeats those that do not end in time. */
  async [onDrained](): Promise<void> {
    await Promise.allSettled([this.loop.stop(), ...this.draining.values()]);
  }

  private async look(): Promise<number> {
    this.hasEndpoints = await this.endpoints.hasAny();
    if (!this.hasEndpoints) {
      this.note([]);
      await this.fanOut.skip();
      return EVERY_MS;
    }
    const hasMore = await this.fanOut.run();
    const due = await this.endpoints.findDue();
    this.note(due);
    this.beginAll(due);
    // A part that fails must not hold up deliveries.
    const isReplaying = await this.replays.run().catch((err: unknown) => {
      logRepeated(this.logger, 'warn', { msg: 'webhook replay failed; retrying', err });
      return false;
    });
    if (performance.now() >= this.relievesAt) {
      this.relievesAt = performance.now() + RELIEVE_EVERY_MS;
      await this.overflow.end();
      await this.deliveries.hasten();
    }
    return hasMore || isReplaying ? 0 : EVERY_MS;
  }

  private note(due: readonly DueEndpoint[]): void {
    const now = currentTime();
    this.dueEndpoints = due.length;
    this.overdueSeconds = (now - Math.min(now, ...due.map(({ dueAt }) => dueAt))) / 1000;
  }

  private beginAll(due: readonly DueEndpoint[]): void {
    const known = new Set(due.map(({ id }) => id));
    for (const id of this.lastBegun.keys()) if (!known.has(id)) this.lastBegun.delete(id);
    const begunAt = ({ id }: DueEndpoint) => this.lastBegun.get(id) ?? -Infinity;
    const inTurn = due.toSorted((a, b) => begunAt(a) - begunAt(b));
    for (const endpoint of inTurn) if (endpoint.pausedUntil === null) this.begin(endpoint);
    for (const endpoint of inTurn) this.begin(endpoint);
  }

  private begin(endpoint: DueEndpoint): void {
    const { id } = endpoint;
    if (this.isEnding || this.draining.has(id)) return;
    const draining = this.deliverer.drain(endpoint);
    if (!draining) return;
    this.lastBegun.set(id, performance.now());
    const drained = draining
      .catch((err: unknown) => {
        logRepeated(this.logger, 'warn', {
          msg: 'could not store the results of webhooks',
          endpoint: id,
          err,
        });
      })
      .finally(() => {
        this.draining.delete(id);
        this.loop.wake(GATHERING_MS);
      });
    this.draining.set(id, drained);
  }
}
