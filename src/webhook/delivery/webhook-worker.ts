import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../../config/config';
import { ChangeFeed } from '../../database/change-feed';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository';
import { WebhookDeliverer } from './webhook-deliverer';
import { WebhookFanOut } from './webhook-fan-out';

const EVERY_MS = 1000;
/** Changes that are announced one after the other are sent together. */
const GATHERING_MS = 20;
/** As many endpoints a process sends to at a time. */
const MOST_ENDPOINTS = 50;
/** For attempts under way when the process ends; those that last longer are repeated by another. */
const LAST_ATTEMPTS_MS = 3000;

/** Makes deliveries of events and sends them, once a second and when a change is announced. */
@Injectable()
export class WebhookWorker
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly logger = new Logger(WebhookWorker.name);
  /** Endpoints that are being sent to. */
  private readonly draining = new Map<number, Promise<void>>();
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private hasEndpoints = false;
  private isEnding = false;
  private isFailing = false;

  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly fanOut: WebhookFanOut,
    private readonly deliverer: WebhookDeliverer,
    private readonly changes: ChangeFeed,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
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

  /** The database, a global module, closes after the modules that use it. */
  async onApplicationShutdown(): Promise<void> {
    const underWay = Promise.allSettled([this.looking, ...this.draining.values()]);
    await Promise.race([underWay, sleep(LAST_ATTEMPTS_MS, undefined, { ref: false })]);
  }

  private wake(afterMs: number): void {
    clearTimeout(this.timer);
    if (this.isEnding || this.looking) return;
    this.timer = setTimeout(() => {
      this.looking = this.look().then((isDue) => {
        this.looking = undefined;
        this.wake(isDue ? 0 : EVERY_MS);
      });
    }, afterMs).unref();
  }

  /** Never rejects. @returns whether to look again at once */
  private async look(): Promise<boolean> {
    try {
      this.hasEndpoints = await this.endpoints.hasAny();
      if (!this.hasEndpoints) {
        await this.fanOut.skip();
        return false;
      }
      const hasMore = await this.fanOut.run();
      for (const id of await this.endpoints.findDue()) this.begin(id);
      this.isFailing = false;
      return hasMore;
    } catch (err) {
      if (!this.isFailing) this.logger.warn({ msg: 'webhooks are not sent for now', err });
      this.isFailing = true;
      return false;
    }
  }

  private begin(id: number): void {
    if (this.isEnding || this.draining.has(id) || this.draining.size >= MOST_ENDPOINTS) return;
    const drained = this.deliverer
      .drain(id)
      .catch((err: unknown) => {
        this.logger.warn({ msg: 'results of webhooks are not stored', endpoint: id, err });
      })
      .finally(() => {
        this.draining.delete(id);
      });
    this.draining.set(id, drained);
  }
}
