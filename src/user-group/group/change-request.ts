import type { Caller } from '../../common/caller.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import { readResolvedMapping, type SentEntry } from '../../registry/mapping/resolved-mapping.ts';
import { toSentMapping } from './mapping.ts';
import { changesContent, type UserGroupChange } from './user-group-change.ts';
import type { UserGroupChangeRequest, UserGroupContent } from './user-group-change-guard.ts';
import type { UserGroupState } from './user-group.repository.ts';

/** What an application's guard is shown of a group: objects of its own, through which nothing can be changed. */
export function contentOf(
  { name, properties, suspendedAt }: UserGroupState,
  mapping: readonly SentEntry[],
): UserGroupContent {
  return {
    name,
    mapping: toSentMapping(mapping),
    properties: JSON.parse(properties) as JsonObject,
    suspended: suspendedAt !== null,
  };
}

/** A creation, or a change that leaves the group as `after`. */
export function requestOf(
  caller: Caller,
  userGroupId: string,
  change: UserGroupChange,
  after: UserGroupContent,
): UserGroupChangeRequest {
  const { stored } = change;
  return {
    kind: kindOf(change),
    caller,
    userGroupId,
    teamId: stored?.id ?? null,
    before: stored ? storedContent(stored) : null,
    after,
  };
}

/** @param stored with its mapping */
export function deletionOf(
  caller: Caller,
  userGroupId: string,
  stored: UserGroupState,
): UserGroupChangeRequest {
  const before = storedContent(stored);
  return { kind: 'delete', caller, userGroupId, teamId: stored.id, before, after: null };
}

function storedContent(stored: UserGroupState): UserGroupContent {
  return contentOf(stored, readResolvedMapping(stored.mapping));
}

function kindOf(change: UserGroupChange): UserGroupChangeRequest['kind'] {
  if (!change.stored) return 'create';
  if (changesContent(change)) return 'update';
  return change.suspended!.is ? 'suspend' : 'resume';
}
