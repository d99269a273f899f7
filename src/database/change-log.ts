import type { Dialect } from './dialect.ts';

/** What a record of a change has, as columns of `r`; one that is no change has no `change_kind`. */
export const CHANGE_COLUMNS = {
  public_id: 'bigint',
  /** Null for what concerns every workspace. */
  workspace_id: 'integer',
  /** `noun.verb`. */
  change_kind: 'text',
  /** Null for what concerns no user group, or all of the workspace. */
  user_group_id: 'integer',
  /** The object by the id that the API shows. */
  changed_id: 'text',
  /** Null as `user_group_id`; of the group, or the generation where its tokens have changed. */
  version: 'bigint',
  occurred_at: 'bigint',
} as const;

/** Records the changes of `r` in the transaction that makes them, for every process that has to know of them. */
export function insertChanges({ transactionId }: Dialect): string {
  return `
    INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, user_group_id, object_id, version,
      occurred_at)
    SELECT ${transactionId}, public_id, workspace_id, change_kind, user_group_id, changed_id, version, occurred_at
    FROM r WHERE change_kind IS NOT NULL`;
}
