import { problem } from '../../platform/common/problem/problem.ts';

export class PlanNotFound extends problem(404, 'plan_not_found', {
  about:
    'The workspace has no plan of this number. Plans are kept for 24 hours, and the newest 30.',
}) {}

export class PlanStale extends problem(409, 'plan_stale', {
  about:
    'Groups of the plan, its set, or the rules of the workspace have changed since it was made. Nothing was applied. Make the plan again.',
}) {}

export class PlanApplied extends problem(409, 'plan_applied', {
  about: 'The plan has been applied before.',
}) {}

export class PlanInConflict extends problem(409, 'plan_in_conflict', {
  about:
    'The plan names groups of another set or of none. Take them out of the lines, or make the plan with `adopt=true`.',
}) {}

export class PlanInUse extends problem(409, 'plan_in_use', {
  about: 'Another call applies a plan of the same set at this moment. Repeat the call.',
}) {}

export class PruneRefused extends problem(422, 'prune_refused', {
  about:
    'More groups without a line than a plan may suspend or delete, or no line at all. If all of them shall go, send `max_prune`.',
  detail:
    'No line names 30 of the 100 groups of the set; a plan takes at most 20 of them out of use. If they shall go, send max_prune=30.',
}) {}

export class PlanTooLarge extends problem(422, 'plan_too_large', {
  about:
    'A plan has at most 10,000 lines of 32 MiB, 2,000 changed groups of 8 MiB, and 20,000 in the set. Use several sets, or fewer lines without `prune`.',
}) {}
