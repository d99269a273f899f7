import type { Caller } from '../../../platform/common/access/caller.ts';
import type { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import type { UserGroupState } from '../group/user-group-fields.ts';
import type { GroupToWrite, StoredUserGroup } from '../group/user-group.repository.ts';
import type { Flaw } from '../status/user-group-status.ts';
import type { UserGroupChange, Wanted } from './user-group-change.ts';

export interface UserGroupWrite {
  caller: Caller;
  providedId: string;
  /**
   * Decides on the new state of the group; an error refuses this write alone. Called once or more, as often as the group
   * is read, so it has no side effects.
   * @param stored the existing group, or undefined; then it must not return 'removal'
   */
  plan: (stored: StoredUserGroup | undefined) => Wanted;
  /**
   * The flaw of the group, or null for none, without which the write is refused; undefined if it does not matter. Lists
   * find groups by the flaws that were stored, which follow a change of the rules.
   */
  flaw?: Flaw | null | undefined;
  /** Whether it wants no mapping, and rarely changes anything: the group is read without its mapping at first. */
  isLookUp?: boolean;
  /** Whether the response contains the group's token: if the token cannot be read, nothing is stored. */
  showsToken: boolean;
  /** A token issued elsewhere that `plan` wants. */
  newToken?: string | undefined;
  /** Details of each audit event besides the team_id. */
  details?: object;
}

/** A write that waits for its wave. */
export interface QueuedWrite extends UserGroupWrite {
  /** The group as it was read, and the change if it is decided; undefined if it is to be read, at first or again. */
  read: (GroupToWrite & { change?: UserGroupChange }) | undefined;
  /** Whether the write has lost a race. */
  isRetry: boolean;
}

export interface WrittenUserGroup {
  /** `updated` also for a removal. */
  result: 'created' | 'updated' | 'unchanged';
  group: UserGroupState;
  /** The version of the rules that judge the group. */
  rulesVersion: number;
  /** The group's token, if the response contains it, or if the write has replaced it. */
  token: string | undefined;
  /** Whether the write has replaced the group's token. */
  isRotated?: boolean;
}

/**
 * Decrypts the current token of a stored group, if the response contains it.
 * @throws UserGroupTokenForgotten, UserGroupTokenUnreadable
 */
export function readToken(
  cipher: UserGroupTokenCipher,
  { caller, showsToken }: UserGroupWrite,
  stored: StoredUserGroup,
): string | undefined {
  if (!showsToken) return undefined;
  return cipher.decrypt(stored, { workspaceId: caller.workspaceId, tokenHash: stored.tokenHash });
}
