import { Logger } from '@nestjs/common';
import { ANYTHING, type Expected, type Extension } from '../common/extensions.ts';
import type { Given } from '../common/ports.ts';
import { type KeyCount, type RateCounter, RateLimitStore } from './rate-limit-store.ts';

/** What a call waits for a store at most. */
const LIMIT_MS = 500;
/** A store that has failed is not asked again for so long. */
const PAUSE_MS = 5000;

/**
 * The store of an extension. While it fails or does not return, this process counts for itself, as it does while
 * Redis is away.
 */
export class ContainedRateLimitStore extends RateLimitStore {
  constructor(
    private readonly given: Given<RateLimitStore>,
    private readonly own: RateLimitStore,
  ) {
    super();
  }

  /** @throws ExtensionFailed */
  counterOf(limit: Parameters<RateLimitStore['counterOf']>[0]): RateCounter {
    const { extension, implementation } = this.given;
    const counter = extension.now('counterOf', () => implementation.counterOf(limit), COUNTER);
    return new ContainedCounter(extension, counter, this.own.counterOf(limit));
  }
}

class ContainedCounter implements RateCounter {
  private readonly logger = new Logger('Extension');
  private pausedUntil = -Infinity;

  constructor(
    private readonly extension: Extension,
    private readonly given: RateCounter,
    private readonly own: RateCounter,
  ) {}

  async count(key: string, points: number): Promise<KeyCount> {
    const run = () => this.given.count(key, points);
    return (await this.ask('count', run, COUNT)) ?? this.own.count(key, points);
  }

  async takeBack(key: string, points: number): Promise<void> {
    const run = async () => {
      await this.given.takeBack(key, points);
      return DONE;
    };
    if (!(await this.ask('takeBack', run, ANYTHING))) await this.own.takeBack(key, points);
  }

  /** Undefined while the store is not to be asked. Never rejects. */
  private async ask<T>(
    call: string,
    run: () => unknown,
    expected: Expected<T>,
  ): Promise<T | undefined> {
    if (performance.now() < this.pausedUntil) return undefined;
    try {
      return await this.extension.within(call, LIMIT_MS, run, expected);
    } catch (err) {
      const isFirst = performance.now() >= this.pausedUntil;
      this.pausedUntil = performance.now() + PAUSE_MS;
      const { name: extension } = this.extension;
      if (isFirst) this.logger.warn({ msg: 'calls are counted in this process', extension, err });
      return undefined;
    }
  }
}

const DONE = 'done';

const COUNTER: Expected<RateCounter> = {
  is: (value): value is RateCounter => {
    const { count, takeBack } = (value ?? {}) as Partial<RateCounter>;
    return typeof count === 'function' && typeof takeBack === 'function';
  },
  what: 'a counter with count and takeBack',
};

const COUNT: Expected<KeyCount> = {
  is: (value): value is KeyCount => {
    const { consumed, resetMs } = (value ?? {}) as Partial<KeyCount>;
    return Number.isFinite(consumed) && Number.isFinite(resetMs);
  },
  what: 'the numbers consumed and resetMs',
};
