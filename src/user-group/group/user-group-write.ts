import type { Caller } from '../../common/caller.ts';
import type { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import type { StoredUserGroup, UserGroupState } from './user-group.repository.ts';
import type { WantedUserGroup } from './wanted-user-group.ts';

/** A write of one group. */
export interface UserGroupWrite {
  caller: Caller;
  providedId: string;
  /**
   * Decides what the group is to become. Called before the group is locked and again under the lock;
   * what it throws refuses this write alone.
   * @param stored the group as it is; undefined if it is not there
   */
  plan: (stored: UserGroupState | undefined) => WantedUserGroup;
  /** Whether `plan` reads or sets the mapping, or the answer shows it. */
  withMapping: boolean;
  /** Whether the answer shows the group's token: where that cannot be read, nothing is stored. */
  showsToken: boolean;
  /** What each event in the audit log says besides the team_id. */
  details?: object;
}

/** A write that waits for its wave. */
export type QueuedWrite = UserGroupWrite & {
  /** Whether the group was there when it was looked for: then it is locked, else inserted. */
  isKnown: boolean;
  /** The token that it sets, if it does. */
  newToken: string | undefined;
};

export interface WrittenUserGroup {
  result: 'created' | 'updated' | 'unchanged';
  /** The group as it is now. */
  group: UserGroupState;
  /** The group's token, if the write shows it. */
  token: string | undefined;
  /** Whether the write has replaced the group's token. */
  isRotated?: boolean;
}

/**
 * The current token of a stored group, if the write shows it.
 * @throws UserGroupTokenForgotten, UserGroupTokenUnreadable
 */
export function readToken(
  cipher: UserGroupTokenCipher,
  { caller, showsToken }: UserGroupWrite,
  stored: StoredUserGroup,
): string | undefined {
  if (!showsToken) return undefined;
  const { id: userGroupId, generation } = stored;
  return cipher.decrypt(stored, { workspaceId: caller.workspaceId, userGroupId, generation });
}
