import { randomUUID } from 'node:crypto';
import { currentTime } from '../../../platform/common/time.ts';
import type { ChangePosition } from '../../../core/change-log/change-reader.ts';
import type { EventConsumerRepository } from './event-consumer.repository.ts';

/** Another process has, or may have, the lease: what was handled under it is not stored. */
class LeaseLost extends Error {
  override readonly message = 'another process may have taken over';
}

/** One subscription's right to handle the events of a consumer, while it keeps renewing it. */
export class ConsumerLease {
  private readonly lease: { name: string; owner: string };
  private position: ChangePosition | undefined;
  private until = 0;

  /** @param ms its duration; the clocks of processes may differ by less than a third of that */
  constructor(
    private readonly consumers: EventConsumerRepository,
    name: string,
    private readonly ms: number,
  ) {
    this.lease = { name, owner: randomUUID() };
  }

  /** Whether this process has the lease, as far as it knows. */
  get isHeld(): boolean {
    return this.position !== undefined;
  }

  /**
   * Acquires the lease if it is free.
   * @returns the position that has been handled; undefined while another process has the lease
   * @throws DatabaseUnavailable
   */
  async take(start: () => ChangePosition): Promise<ChangePosition | undefined> {
    const now = currentTime();
    if (this.position !== undefined && this.until - now > (this.ms * 2) / 3) return this.position;
    this.position = undefined;
    const found = await this.consumers.find(this.lease.name);
    // A backup from before it began was restored: no earlier position exists.
    if (!found) await this.consumers.begin(this.lease.name, start());
    const heldUntil = found && found.leaseOwner !== this.lease.owner ? (found.leaseUntil ?? 0) : 0;
    const claimedAt = currentTime();
    const [until, latest] = [claimedAt + this.ms, claimedAt + 2 * this.ms];
    if (heldUntil > claimedAt && heldUntil <= latest) return undefined;
    this.position = await this.consumers.claim(this.lease, { until, latest });
    this.until = until;
    return this.position;
  }

  /**
   * Renews the lease until `work` has ended.
   * @param work receives a signal that aborts when the lease is lost, or `ending` aborts
   * @throws LeaseLost if it was lost meanwhile; errors of `work`
   */
  async during(ending: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.renew().then(
        (isHeld) => {
          if (!isHeld) lost.abort(new LeaseLost());
        },
        () => {
          if (currentTime() >= this.until) lost.abort(new LeaseLost());
        },
      );
    }, this.ms / 3);
    try {
      await work(AbortSignal.any([ending, lost.signal]));
    } finally {
      clearInterval(renewal);
    }
    lost.signal.throwIfAborted();
  }

  /** Stores the handled position. @throws LeaseLost, DatabaseUnavailable */
  async advance(position: ChangePosition): Promise<void> {
    const until = currentTime() + this.ms;
    if (!(await this.consumers.advance(this.lease, position, until))) throw new LeaseLost();
    this.position = position;
    this.until = until;
  }

  /** Releases the lease, so that any process can continue at once. @throws DatabaseUnavailable */
  async release(): Promise<void> {
    if (this.position === undefined) return;
    this.position = undefined;
    await this.consumers.release(this.lease);
  }

  private async renew(): Promise<boolean> {
    const until = currentTime() + this.ms;
    const isHeld = await this.consumers.renew(this.lease, until);
    if (isHeld) this.until = until;
    return isHeld;
  }
}
