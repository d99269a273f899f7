import { Logger } from '@nestjs/common';
import type {
  Bucket,
  BucketState,
  Taken,
} from '../../platform/common/concurrency/token-buckets.ts';
import type { Expected } from '../../platform/common/extension/extensions.ts';
import type { Given } from '../../platform/common/extension/ports.ts';
import { RateLimitStore } from './rate-limit-store.ts';

/** A call waits for a store this long at most. */
const LIMIT_MS = 500;
/** A store that has failed is not used for this long. */
const PAUSE_MS = 5000;

/**
 * Wraps the store of an extension. While it fails or does not return, this process counts for itself, as it does while
 * Redis is down.
 */
export class ContainedRateLimitStore extends RateLimitStore {
  private readonly logger = new Logger('Extension');
  private pausedUntil = -Infinity;

  constructor(
    private readonly given: Given<RateLimitStore>,
    private readonly own: RateLimitStore,
  ) {
    super();
  }

  async take(buckets: readonly Bucket[], wanted: number): Promise<Taken> {
    if (performance.now() < this.pausedUntil) return this.own.take(buckets, wanted);
    const { extension, implementation } = this.given;
    try {
      const run = () => implementation.take(buckets, wanted);
      return await extension.within('take', LIMIT_MS, run, takenFrom(buckets));
    } catch (err) {
      const isFirst = performance.now() >= this.pausedUntil;
      this.pausedUntil = performance.now() + PAUSE_MS;
      const { name } = extension;
      if (isFirst) {
        this.logger.warn({
          msg: 'rate limit store failed: calls are counted in this process',
          extension: name,
          err,
        });
      }
      return this.own.take(buckets, wanted);
    }
  }
}

function takenFrom({ length }: readonly Bucket[]): Expected<Taken> {
  return {
    is: (value): value is Taken => {
      const { granted, states } = (value ?? {}) as Partial<Taken>;
      return (
        Number.isFinite(granted) &&
        Array.isArray(states) &&
        states.length === length &&
        states.every(isState)
      );
    },
    what: 'the number granted, and the states of all buckets',
  };
}

function isState(value: unknown): value is BucketState {
  const { remaining, resetMs, retryMs } = (value ?? {}) as Partial<BucketState>;
  return [remaining, resetMs, retryMs].every(Number.isFinite);
}
