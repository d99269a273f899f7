import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { handled } from '../../common/handled.ts';
import { Config } from '../../config/config.ts';
import { ChangeFeed } from '../../database/change-feed.ts';
import { ChangeRetention } from '../../database/upkeep/change-retention.ts';
import type { OnLastAnswer } from '../../database/upkeep/last-work.ts';
import { EndpointOverflow } from '../endpoint/endpoint-overflow.ts';
import {
  type DueEndpoint,
  WebhookEndpointRepository,
} from '../endpoint/webhook-endpoint.repository.ts';
import { WebhookDeliverer } from './webhook-deliverer.ts';
import { WebhookFanOut } from './webhook-fan-out.ts';
import { WebhookReplays } from './webhook-replays.ts';

const EVERY_MS = 1000;
/** It counts many deliveries. */
const RELIEVE_EVERY_MS = 10_000;
/** Changes that are announced one after the other are sent together. */
const GATHERING_MS = 50;

/** Makes deliveries of events and sends them, once a second and when a change is announced. */
@Injectable()
export class WebhookWorker
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnLastAnswer
{
  private readonly logger = new Logger(WebhookWorker.name);
  /** Endpoints that are being sent to. */
  private readonly draining = new Map<number, Promise<void>>();
  /** When sending to an endpoint has begun last, by `performance.now()`: who has waited longest comes first. */
  private readonly lastBegun = new Map<number, number>();
  /** For how many endpoints something was due when this process looked last; null if it does not send. */
  dueEndpoints: number | null = null;
  /** For how many seconds the first of them had been due by then; null as well. */
  overdueSeconds: number | null = null;
  private relievesAt = -Infinity;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** When it looks next, by `performance.now()`. */
  private dueAt = Infinity;
  private hasEndpoints = false;
  private isEnding = false;
  private isFailing = false;

  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly fanOut: WebhookFanOut,
    private readonly replays: WebhookReplays,
    private readonly overflow: EndpointOverflow,
    private readonly deliverer: WebhookDeliverer,
    private readonly changes: ChangeFeed,
    private readonly retention: ChangeRetention,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.retention.keepFor(this.fanOut);
    if (this.config.webhookDelivery === 'off') return;
    const soon = (): void => {
      if (this.hasEndpoints) this.wake(GATHERING_MS);
    };
    this.changes.subscribe({ invalidate: soon, invalidateAll: soon });
    this.wake(0);
  }

  beforeApplicationShutdown(): void {
    this.isEnding = true;
    clearTimeout(this.timer);
    this.deliverer.end();
  }

  /** Waits for the attempts under way; those that last longer are repeated by another process. */
  async onLastAnswer(): Promise<void> {
    await Promise.allSettled([this.looking, ...this.draining.values()]);
  }

  /** Looks again within this time, never later than it was going to. */
  private wake(afterMs: number): void {
    if (this.isEnding || this.looking) return;
    const dueAt = performance.now() + afterMs;
    if (this.timer !== undefined && this.dueAt <= dueAt) return;
    clearTimeout(this.timer);
    this.dueAt = dueAt;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.looking = handled(
        this.look().then((isDue) => {
          this.looking = undefined;
          this.wake(isDue ? 0 : EVERY_MS);
        }),
      );
    }, afterMs).unref();
  }

  /** Never rejects. @returns whether to look again at once */
  private async look(): Promise<boolean> {
    try {
      this.hasEndpoints = await this.endpoints.hasAny();
      if (!this.hasEndpoints) {
        this.note([]);
        await this.fanOut.skip();
        return false;
      }
      const hasMore = await this.fanOut.run();
      const due = await this.endpoints.findDue();
      this.note(due);
      this.beginAll(due);
      const isReplaying = await this.replays.run();
      if (performance.now() >= this.relievesAt) {
        this.relievesAt = performance.now() + RELIEVE_EVERY_MS;
        await this.overflow.end();
      }
      this.isFailing = false;
      return hasMore || isReplaying;
    } catch (err) {
      if (!this.isFailing) this.logger.warn({ msg: 'webhooks are not sent for now', err });
      this.isFailing = true;
      return false;
    }
  }

  private note(due: readonly DueEndpoint[]): void {
    const now = Date.now();
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
        this.logger.warn({ msg: 'results of webhooks are not stored', endpoint: id, err });
      })
      .finally(() => {
        this.draining.delete(id);
        this.wake(GATHERING_MS);
      });
    this.draining.set(id, drained);
  }
}
