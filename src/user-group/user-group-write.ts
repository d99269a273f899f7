import type { UserGroupState } from './user-group.repository';
import type { WantedUserGroup } from './wanted-user-group';

/** A write of one group, and what is to be told of the group that results. */
export interface UserGroupWrite<T> {
  providedId: string;
  /** Whether `wish` speaks about the mapping, or `tell` tells it. */
  withMapping: boolean;
  /**
   * What the group is to become. It is asked once more when the group is locked, and may throw.
   * @param stored the group as it is; undefined if it is not there
   */
  wish: (stored: UserGroupState | undefined) => WantedUserGroup;
  /** What it throws takes the write back. @param token gives the group's token, @throws TokenForgotten */
  tell: (group: UserGroupState, token: () => string) => T;
}

export interface WrittenUserGroup<T> {
  id: number;
  created: boolean;
  told: T;
}

/** What the contract tells of a group. */
export interface ReadableUserGroup {
  id: number;
  token: string;
  name: string;
}

/** The contract tells the token: where it cannot be shown, nothing is written. */
export function toReadableWrite(wanted: WantedUserGroup): UserGroupWrite<ReadableUserGroup> {
  return {
    providedId: wanted.providedId,
    withMapping: wanted.mapping !== undefined,
    wish: () => wanted,
    tell: toReadable,
  };
}

export function toReadable({ id, name }: UserGroupState, token: () => string): ReadableUserGroup {
  return { id, name, token: token() };
}
