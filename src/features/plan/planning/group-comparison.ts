import type { DeclaredVariable } from '../../../core/mapping/variables.ts';
import {
  toWanted,
  type WantedUserGroup,
  withDefaults,
} from '../../../core/user-group/group/user-group-fields.ts';
import type { StoredUserGroup } from '../../../core/user-group/group/user-group.repository.ts';
import { changeOf, isNothing } from '../../../core/user-group/writing/user-group-change.ts';
import type { LineOfGroup } from '../../bulk/import-lines.ts';
import type { DesiredUserGroup } from '../dto/plan.dto.ts';
import type { PlanConflictView, PlannedChangeView } from '../dto/plan-response.dto.ts';
import type { NewChange, WatchedGroup } from '../plan.repository.ts';
import { plannedDifferences } from './planned-differences.ts';

/** A group that a plan changes: as it is stored, and as it is shown. */
export interface PlannedGroup {
  change: Omit<NewChange, 'place'>;
  view: PlannedChangeView;
  /** Whether the group joins the set. */
  joins: boolean;
}

type Comparison = { watched: WatchedGroup } | { conflict: PlanConflictView } | PlannedGroup;

interface Terms {
  set: string;
  /** Whether groups of another set, or of none, are taken over. */
  adopts: boolean;
  /** The variables that the workspace declares: the values of secret ones are not shown. */
  variables: readonly DeclaredVariable[];
}

/** Returns every field of the group of a line: a field that it leaves out has its default. */
export function wantedOfLine(dto: DesiredUserGroup, set: string): WantedUserGroup {
  const wanted = withDefaults(toWanted(dto));
  return {
    ...wanted,
    valid_until: wanted.valid_until ?? null,
    suspended: dto.suspended ?? false,
    managed_by: set,
  };
}

/** Compares a line with its group. @param stored with its mapping; undefined if there is none, and a new one can have the id */
export function compareWithLine(
  { line, id, dto }: LineOfGroup<DesiredUserGroup>,
  stored: StoredUserGroup | undefined,
  { set, adopts, variables }: Terms,
): Comparison {
  if (stored && stored.managedBy !== set && !adopts) {
    return { conflict: { provided_id: id, line, managed_by: stored.managedBy } };
  }
  const wanted = wantedOfLine(dto, set);
  const change = changeOf(stored, wanted, id);
  if (stored && isNothing(change)) return { watched: { id: stored.id, version: stored.version } };
  const action = stored ? 'update' : 'create';
  return {
    change: {
      action,
      providedId: id,
      teamId: stored?.id ?? null,
      version: stored?.version ?? null,
      wanted: JSON.stringify(wanted),
    },
    view: {
      action,
      provided_id: id,
      name: stored?.name ?? dto.name,
      line,
      ...(stored && plannedDifferences(change, variables)),
    },
    joins: stored?.managedBy !== set,
  };
}
