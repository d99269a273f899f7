import type { PlanQueryDto } from '../dto/plan.dto.ts';
import { PruneRefused } from '../plan.errors.ts';
import type { SetMember, WatchedGroup } from '../plan.repository.ts';
import type { PlannedGroup } from './group-comparison.ts';

/** The share of a set that a plan takes out of use unasked, and the number that it may in a small set. */
const MAX_SHARE = 0.2;
const MAX_FEW = 5;

/** The groups of the set that no line names: those that the plan changes, and the others. */
export interface Pruned {
  changes: PlannedGroup[];
  watched: WatchedGroup[];
}

/** @throws PruneRefused for a plan without lines: a wrong directory looks like it */
export function requireLines({ prune }: PlanQueryDto, lines: number): void {
  if (prune !== 'true' || lines > 0) return;
  throw new PruneRefused(
    'The plan has no line, so that prune would take every group of the set out of use. Suspend or delete them by /api/v1/user-groups/actions if that is meant.',
  );
}

/**
 * Returns what becomes of the groups of the set that no line names.
 * @param members every group of the set
 * @param named the ids of the lines
 * @throws PruneRefused if these are more than the plan may take out of use
 */
export function pruneOf(
  { prune, on_prune: action = 'suspend', max_prune }: PlanQueryDto,
  members: readonly SetMember[],
  named: ReadonlySet<string>,
): Pruned {
  const unnamed = members.filter(({ providedId }) => !named.has(providedId));
  const isDue = ({ suspendedAt }: SetMember) =>
    prune === 'true' && (action === 'delete' || suspendedAt === null);
  const due = unnamed.filter(isDue);
  const most =
    max_prune === undefined
      ? Math.max(MAX_FEW, Math.floor(members.length * MAX_SHARE))
      : Number(max_prune);
  if (due.length > most) {
    throw new PruneRefused(
      `No line names ${due.length} of the ${members.length} groups of the set; a plan takes at most ${most} of them out of use. If they shall go, send max_prune=${due.length}.`,
    );
  }
  return {
    changes: due.map(({ id, providedId, name, version }) => ({
      change: {
        action,
        providedId,
        teamId: id,
        version,
        wanted: action === 'suspend' ? '{"suspended":true}' : '{}',
      },
      view: { action, provided_id: providedId, name },
      joins: false,
    })),
    watched: unnamed.filter((member) => !isDue(member)).map(({ id, version }) => ({ id, version })),
  };
}
