import type { EntityManager } from 'typeorm';
import type { Caller } from '../../../platform/common/access/caller.ts';
import type { UserGroupContent } from '../group/user-group-fields.ts';

/** A change of one user group that is about to be stored. */
export interface UserGroupChangeRequest {
  /** Changes of content are an `update`, also if they suspend or resume at the same time, as an import can. */
  kind: 'create' | 'update' | 'suspend' | 'resume' | 'rename' | 'delete';
  /** The caller, in the workspace of the transaction. */
  caller: Caller;
  /** The id that callers know the group by. */
  userGroupId: string;
  /** The id that a rename gives the group; otherwise absent. */
  newUserGroupId?: string;
  /** Null for a creation. */
  teamId: number | null;
  /** Null for a creation. */
  before: UserGroupContent | null;
  /** Null for a deletion. */
  after: UserGroupContent | null;
}

/** The transaction of the changes, for reads and writes of a guard. */
export interface UserGroupChangeTransaction {
  /** The workspace of all changes. */
  workspaceId: number;
  /** Writes through it are committed together with the changes, or not at all. */
  manager: EntityManager;
}

/** A refusal of one change. */
export interface UserGroupChangeRefusal {
  /** The object itself of the given changes. */
  change: UserGroupChangeRequest;
  /** The reason, for the caller to read. */
  detail: string;
}

/**
 * Has the last word on changes of user groups. A port: an application can provide its own, such as one that holds the limits
 * of a plan. It is asked about every creation, update, suspension, resumption, rename and deletion, by any operation, including an
 * import; not about rotations and other changes of tokens alone, nor about a write that would change nothing.
 */
export abstract class UserGroupChangeGuard {
  /**
   * Called inside the transaction, with existing groups locked, when everything else has been checked and nothing is
   * stored. Callers that write at the same time share a transaction, so it gets several changes, of different groups.
   * A refused change gets `change_refused`, and the others are stored. A transaction that loses a race is rolled back
   * and asked about again. If it throws, nothing is stored: the changes are retried in smaller transactions, until the
   * one that it throws for is alone.
   * @param transaction the only way to the database; nothing else may be awaited, because locks are held, and on SQLite
   *   every other write waits
   * @returns the refused changes; write nothing for them, since the others are committed
   */
  abstract beforeChange(
    changes: readonly UserGroupChangeRequest[],
    transaction: UserGroupChangeTransaction,
  ): Promise<readonly UserGroupChangeRefusal[]>;
}
