import type { EntityManager } from 'typeorm';
import type { Caller } from '../../common/caller.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import type { Mapping } from './mapping.ts';

/** What callers write of a user group. */
export interface UserGroupContent {
  name: string;
  /** Schema id to data source, as it was sent. */
  mapping: Mapping;
  properties: JsonObject;
  suspended: boolean;
}

/** A change of one user group that is about to be stored. */
export interface UserGroupChangeRequest {
  /** What changes the content is an `update`, also where it suspends or resumes at once, as an import can. */
  kind: 'create' | 'update' | 'suspend' | 'resume' | 'delete';
  /** Who makes it, in the workspace of the transaction. */
  caller: Caller;
  /** The id that callers know the group by. */
  userGroupId: string;
  /** Null for one that is to be created. */
  teamId: number | null;
  /** Null for one that is to be created. */
  before: UserGroupContent | null;
  /** Null for one that is to be deleted. */
  after: UserGroupContent | null;
}

/** The transaction in which changes are stored. */
export interface UserGroupChangeTransaction {
  /** Of all the changes. */
  workspaceId: number;
  /** What is written through it is committed together with the changes, or not at all. */
  manager: EntityManager;
}

/** A change that is not to be stored. */
export interface UserGroupChangeRefusal {
  /** One of the changes that were asked about, the object itself. */
  change: UserGroupChangeRequest;
  /** Why, for the caller to read. */
  detail: string;
}

/**
 * Has the last word on changes of user groups. A port: an application can give its own, such as one that
 * holds the limits of a plan. It is asked about every creation, update, suspension, resumption and
 * deletion, whatever the operation, an import included; not about rotations and other changes of tokens
 * alone, nor about a write that would change nothing.
 */
export abstract class UserGroupChangeGuard {
  /**
   * Called inside the transaction, with the groups that exist locked, when everything else has been checked
   * and nothing is stored. Callers that write at the same time share a transaction, so it gets several
   * changes, each of another group. What is refused is answered as `change_refused`, and its neighbours are
   * stored. A transaction that loses a race is rolled back and asked about again. What it throws is stored
   * by nobody: the changes are tried again in smaller transactions, until the one it throws for is alone.
   * @param transaction the one way to the database; nothing else may be awaited, because locks are held,
   *   and on SQLite every other write waits
   * @returns those that it refuses; what was written for them is to be left out, since neighbours are committed
   */
  abstract beforeChange(
    changes: readonly UserGroupChangeRequest[],
    transaction: UserGroupChangeTransaction,
  ): Promise<readonly UserGroupChangeRefusal[]>;
}
