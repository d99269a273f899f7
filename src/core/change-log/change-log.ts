import type { Dialect } from '../../platform/database/dialect.ts';

/** Members of a recorded change; a record without a change has no `kind`. */
export const CHANGE = {
  publicId: 'bigint',
  /** Null for what concerns every workspace. */
  workspaceId: 'integer',
  /** `noun.verb`. */
  kind: 'text',
  /** Null for what concerns no user group, or all of the workspace. */
  userGroupId: 'integer',
  /** The object by the id that the API shows. */
  changedId: 'text',
  /** The id that the object had before; null unless the change is of the id. */
  previousId: 'text',
  /** Null as `userGroupId`; of the group, or the generation where its tokens have changed. */
  version: 'bigint',
  occurredAt: 'bigint',
} as const;

/** Records the changes in the rows of `records` in their own transaction, for other processes and readers. */
export function insertChanges({ transactionId }: Dialect, records: string): string {
  return `
    INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, user_group_id, object_id,
      previous_object_id, version, occurred_at)
    SELECT ${transactionId}, "publicId", "workspaceId", kind, "userGroupId", "changedId", "previousId", version, "occurredAt"
    FROM ${records} WHERE kind IS NOT NULL`;
}
