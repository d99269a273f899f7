import { problem } from '../../platform/common/problem/problem.ts';

export class UsageBatchReused extends problem(409, 'usage_batch_reused', {
  about: 'A batch with this batch_id and other views was counted; use a new id for each batch.',
}) {}
