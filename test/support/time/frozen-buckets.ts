import { TokenBuckets } from '../../../src/platform/common/concurrency/token-buckets.ts';

/** Stops the clock of all token buckets of this process, so that they refill only by what the test passes. */
export function withFrozenBuckets(): { pass: (ms: number) => void } {
  let now = 1_800_000_000_000;
  beforeAll(() => {
    jest.spyOn(TokenBuckets.prototype, 'now').mockImplementation(() => now);
  });
  return {
    pass: (ms) => {
      now += ms;
    },
  };
}
