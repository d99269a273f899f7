import { problem } from '../../platform/common/problem/problem.ts';

export class PlanNotFound extends problem(404, 'plan_not_found', {
  about:
    'The workspace has no plan of this number: it is older than 24 hours, or 30 newer ones have replaced it. Make the plan again.',
}) {}

export class PlanStale extends problem(409, 'plan_stale', {
  about:
    'A group of the plan, the groups of its set, or the rules of the workspace have changed since the plan was made. Nothing was applied. Make the plan again, and look at what has changed.',
}) {}

export class PlanApplied extends problem(409, 'plan_applied', {
  about: 'The plan has been applied before. Make the plan again to see what differs now.',
}) {}

export class PlanInConflict extends problem(409, 'plan_in_conflict', {
  about:
    'The plan names groups that belong to another set or to none. Nothing was applied. Take them out of the lines, or make the plan with `adopt=true`, which takes them over.',
}) {}

export class PlanInUse extends problem(409, 'plan_in_use', {
  about:
    'Another call applies a plan of the same set at this moment. Nothing was applied. Repeat the call; it is refused if the other call has changed a group of the plan.',
}) {}

export class PruneRefused extends problem(422, 'prune_refused', {
  about:
    'The plan would suspend or delete more groups that no line names than it may, or it has no line at all. The detail has the numbers. If all of them shall go, send `max_prune`.',
  detail:
    'No line names 30 of the 100 groups of the set; a plan takes at most 20 of them out of use. If they shall go, send max_prune=30.',
}) {}

export class PlanTooLarge extends problem(422, 'plan_too_large', {
  about:
    'A plan has at most 10,000 lines, and 2,000 groups and 8 MiB that change, in a set of at most 20,000 groups. Make plans of fewer lines, without `prune`, one after the other, or use several sets.',
}) {}
