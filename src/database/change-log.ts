import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { statement, Statements } from './statement';

/** A change as the change feed keeps it. */
export interface RecordedChange {
  /** Null for what concerns every workspace. */
  workspaceId: number | null;
  /** `noun.verb`. */
  kind: string;
  /** Null for what concerns no user group, or all of the workspace. */
  userGroupId: number | null;
  /** The object by the id that the API shows. */
  objectId: string | null;
}

const COLUMNS = {
  workspace_id: 'integer',
  kind: 'text',
  user_group_id: 'integer',
  object_id: 'text',
  occurred_at: 'bigint',
} as const;

const names = Object.keys(COLUMNS).join(', ');

const insertEvents = statement<{ rows: string }>(
  'change-event.insert',
  ({ recordsOf, transactionId }) => `
    INSERT INTO change_event (transaction_id, ${names})
    SELECT ${transactionId}, ${names} FROM ${recordsOf(':rows', COLUMNS)}`,
);

/** Records changes in the transaction that makes them, for every process that has to know of them. */
@Injectable()
export class ChangeLog {
  constructor(private readonly statements: Statements) {}

  /** Adds an event for each change, by one statement. */
  async recordAll(manager: EntityManager, changes: readonly RecordedChange[]): Promise<void> {
    if (changes.length === 0) return;
    const now = Date.now();
    const rows = changes.map(({ workspaceId, kind, userGroupId, objectId }) => ({
      workspace_id: workspaceId,
      kind,
      user_group_id: userGroupId,
      object_id: objectId,
      occurred_at: now,
    }));
    await this.statements.run(manager, insertEvents, { rows: JSON.stringify(rows) });
  }
}
