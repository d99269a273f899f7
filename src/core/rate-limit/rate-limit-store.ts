import type { Bucket, Taken } from '../../platform/common/concurrency/token-buckets.ts';

/**
 * Counts calls for rate limits. A port: an application can provide its own, such as one that uses the gateway in front
 * of all its services.
 */
export abstract class RateLimitStore {
  /**
   * Takes as many of the `wanted` tokens as every bucket has beyond its reserve, from each of them at the same time. A
   * store that is down must refuse nobody.
   */
  abstract take(buckets: readonly Bucket[], wanted: number): Promise<Taken>;
}
