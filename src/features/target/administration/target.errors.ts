import { problem } from '../../../platform/common/problem/problem.ts';

export class TooManyTargets extends problem(409, 'too_many_targets', {
  about: 'The workspace has 50 targets, as many as it may have. Delete one first.',
}) {}
