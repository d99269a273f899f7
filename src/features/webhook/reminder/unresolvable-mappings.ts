import { Injectable } from '@nestjs/common';
import { DAY_MS, currentTime } from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import {
  type BrokenMapping,
  BrokenMappings,
  type DeletedEntry,
} from '../../group-checks/broken-mappings.ts';
import { type NewReminder, ReminderLog } from './reminder-log.ts';

/** Must be shorter than reminders are kept, or an old deletion would be handled again. */
const LOOK_BACK_MS = 7 * DAY_MS;
/** Deletions per scan of the groups of a workspace. */
const BATCH = 500;

interface Deletion {
  publicId: number;
  kind: 'schema.delete' | 'data_source.delete';
  workspaceId: number;
  objectId: string;
  before: string;
}

interface Deleted extends DeletedEntry {
  event: Deletion;
}

const OPEN_DELETIONS = `
  e.kind IN ('data_source.delete', 'schema.delete') AND e.occurred_at > CAST(:since AS bigint)
  AND NOT EXISTS (
    SELECT 1 FROM reminder r WHERE r.kind = e.kind AND r.subject = CAST(e.public_id AS text))`;

const findWorkspaces = statement<{ since: number }, { workspaceId: number }>(
  'reminder.find-workspaces-with-deletions',
  () => `
    SELECT DISTINCT e.workspace_id AS "workspaceId" FROM change_event e
    WHERE ${OPEN_DELETIONS} ORDER BY e.workspace_id`,
);

const findDeletions = statement<{ workspaceId: number; since: number; limit: number }, Deletion>(
  'reminder.find-deletions',
  () => `
    SELECT e.public_id AS "publicId", e.kind, e.workspace_id AS "workspaceId",
      e.object_id AS "objectId", a.before
    FROM change_event e
    JOIN audit_event a ON a.workspace_id = e.workspace_id AND a.object_id = e.object_id
      AND a.public_id = e.public_id
    WHERE e.workspace_id = :workspaceId AND ${OPEN_DELETIONS}
    ORDER BY e.id LIMIT :limit`,
);

/**
 * Reminds of groups that no longer resolve because a schema or data source was deleted under the policy `open`. Runs
 * outside the transaction of the deletion, since a workspace may have any number of groups. A deletion counts as
 * handled once all groups are checked; after a crash the next pass reminds of the rest.
 */
@Injectable()
export class UnresolvableMappingReminder {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly mappings: BrokenMappings,
    private readonly reminders: ReminderLog,
  ) {}

  /**
   * Handles at most `BATCH` deletions of each workspace; the next pass handles the rest.
   * @throws DatabaseUnavailable; the reason of the signal when it aborts
   */
  async remind(signal: AbortSignal): Promise<void> {
    const since = currentTime() - LOOK_BACK_MS;
    for (const { workspaceId } of await this.statements.read(findWorkspaces, { since })) {
      const parameters = { workspaceId, since, limit: BATCH };
      const deletions = await this.statements.read(findDeletions, parameters);
      await this.handle(workspaceId, deletions, signal);
    }
  }

  private async handle(
    workspaceId: number,
    deletions: readonly Deletion[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.mappings.visit(
      workspaceId,
      deletions.map(toDeleted),
      (manager, found) => this.reminders.record(manager, found.map(toReminder)),
      signal,
    );
    const handled = deletions.map(({ kind, publicId }) => ({ kind, subject: String(publicId) }));
    await this.transactor.run((manager) => this.reminders.store(manager, handled));
  }
}

function toDeleted(event: Deletion): Deleted {
  const { provided_id: providedId } = JSON.parse(event.before) as { provided_id: string };
  const type = event.kind === 'schema.delete' ? 'schema' : 'data_source';
  return { type, id: Number(event.objectId), providedId, event };
}

function toReminder(found: BrokenMapping<Deleted>): NewReminder {
  const { userGroupId, providedId, version, schemaId, deleted } = found;
  const { event, type, id } = deleted;
  return {
    workspaceId: event.workspaceId,
    subject: `${event.publicId}/${userGroupId}`,
    entry: {
      action: 'user_group.mapping_unresolvable',
      object: { type: 'user_group', id: providedId },
      userGroupId,
      version,
      details: {
        team_id: userGroupId,
        schema_id: schemaId,
        deleted: { type, id, provided_id: deleted.providedId },
      },
    },
  };
}
