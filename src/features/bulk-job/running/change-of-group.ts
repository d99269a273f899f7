import { UserGroupNotFound } from '../../../core/user-group/group/user-group.errors.ts';
import type { StoredUserGroup } from '../../../core/user-group/group/user-group.repository.ts';
import type { Wanted } from '../../../core/user-group/writing/user-group-change.ts';
import type { WrittenUserGroup } from '../../../core/user-group/writing/user-group-write.ts';
import { PreconditionFailed } from '../../../platform/common/problem/errors.ts';
import type { ServiceError } from '../../../platform/common/problem/problem.ts';
import { wantedOf } from '../../bulk/bulk-change.ts';
import { wantedByLine } from '../../bulk/import-lines.ts';
import type { BulkJobResult } from '../entities/bulk-job-result.entity.ts';
import { placedDetail } from '../lines/placed-detail.ts';
import type { HeldJob } from './bulk-job-leases.ts';
import type { GroupOfPart } from './bulk-job-parts.ts';

export type Result = Omit<BulkJobResult, 'jobId'>;

/** Returns what a job wants of a group. @throws UserGroupNotFound, PreconditionFailed */
export function wantedBy(
  { action, request, undoOf }: HeldJob,
  group: GroupOfPart,
  stored: StoredUserGroup | undefined,
): Wanted {
  const { left } = group;
  // Each part of an import has lines.
  if (action === 'import') return wantedByLine(group.line!);
  if (stored && left && (stored.id !== left.teamId || stored.version !== left.versionAfter)) {
    throw new PreconditionFailed(`The group has changed since the job ${undoOf} changed it.`);
  }
  if (action === 'restore') return restored(group, stored);
  const isForEnded = request.filters?.status === 'no_valid_token';
  return wantedOf({ action, ...request, isForEnded }, group, stored);
}

/** Undoes a line of an import: its group is still as the import has left it. */
function restored(group: GroupOfPart, stored: StoredUserGroup | undefined): Wanted {
  if (!stored) throw new UserGroupNotFound();
  if (isRemoved(group)) {
    if (stored.generation === 1) return 'removal';
    throw new PreconditionFailed('The token of the group was replaced after the import.');
  }
  if (group.before) return group.before;
  throw new PreconditionFailed(
    group.left?.tokenReplaced === 1 && group.left.versionBefore === group.left.versionAfter
      ? 'The import has replaced the token of the group, and nothing else: the token before it does not come back.'
      : 'The version of the group before the import is not kept any more.',
  );
}

/** Tells whether an undo deletes the group, because the import has created it. */
function isRemoved({ left }: GroupOfPart): boolean {
  return left?.versionBefore === null;
}

/** @param before the group as the write has found it, if there was one */
export function toResult(
  { action }: HeldJob,
  group: GroupOfPart,
  before: StoredUserGroup | undefined,
  outcome: { value: WrittenUserGroup } | { error: ServiceError },
): Result {
  const known = {
    place: group.place,
    providedId: group.id,
    teamId: before?.id ?? null,
    versionBefore: before?.version ?? null,
    tokenReplaced: 0,
  };
  if ('error' in outcome) {
    const { spec, message, violations } = outcome.error;
    const reason = { code: spec.code, detail: placedDetail(message, violations) };
    return { ...known, result: 'refused', ...reason, versionAfter: known.versionBefore };
  }
  const { result, group: after, isRotated } = outcome.value;
  const isDeleted = action === 'delete' || (action === 'restore' && isRemoved(group));
  return {
    ...known,
    teamId: after.id,
    result: result === 'updated' ? 'changed' : result,
    code: null,
    detail: null,
    versionAfter: isDeleted ? null : after.version,
    tokenReplaced: action === 'import' && isRotated ? 1 : 0,
  };
}
