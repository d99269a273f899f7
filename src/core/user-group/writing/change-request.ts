import type { Caller } from '../../../platform/common/access/caller.ts';
import { contentOf, type UserGroupState } from '../group/user-group-fields.ts';
import { changesContent, type UserGroupChange } from './user-group-change.ts';
import type { UserGroupChangeRequest } from '../guard/user-group-change-guard.ts';

/** Returns the change as a guard is asked about it. @param after the group as the change leaves it, with its mapping */
export function requestOf(
  caller: Caller,
  userGroupId: string,
  change: UserGroupChange,
  after: UserGroupState,
): UserGroupChangeRequest {
  const { stored, isRemoval } = change;
  return {
    kind: kindOf(change),
    caller,
    userGroupId,
    teamId: stored?.id ?? null,
    before: stored ? contentOf(stored) : null,
    after: isRemoval ? null : contentOf(after),
  };
}

function kindOf(change: UserGroupChange): UserGroupChangeRequest['kind'] {
  if (!change.stored) return 'create';
  if (change.isRemoval) return 'delete';
  if (changesContent(change)) return 'update';
  return change.suspended!.is ? 'suspend' : 'resume';
}
