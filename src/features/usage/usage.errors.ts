import { problem } from '../../platform/common/problem/problem.ts';

export class UsageBatchReused extends problem(409, 'usage_batch_reused', {
  about: 'A batch with this batch_id and other views was counted; use a new id for each batch.',
}) {}

export class QuotaReached extends problem(429, 'quota_reached', {
  about:
    'The user group has all embed tokens that its limits allow in a day. The day ends after the seconds of Retry-After.',
  detail: 'The user group has all embed tokens that its limits allow in a day.',
}) {
  constructor(retryAfterSeconds: number) {
    super(undefined, { headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}
