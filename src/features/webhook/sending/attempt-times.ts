import { DAY_MS } from '../../../platform/common/time.ts';

/** Limit of a whole attempt; Standard Webhooks 1.0 recommends 15 to 30 seconds. */
export const DEADLINE_MS = 15_000;
/** Twice the deadline: leaves time for an attempt and for storing its result. */
export const LEASE_MS = 2 * DEADLINE_MS;
/** The longest `Retry-After` that is respected, and so the longest pause of an endpoint. */
export const MAX_RETRY_AFTER_MS = DAY_MS;
