import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../core/audit/audit-log.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import type {
  UserGroupVersionState,
  VersionKey,
} from '../../core/user-group/history/user-group-history.repository.ts';

/** The event of a version. `name` is that of the API token, or of its person. */
export interface VersionEvent extends VersionKey {
  actorType: string;
  apiTokenId: number | null;
  name: string | null;
  details: string;
}

/** Parses the details of each event once: an id can have any number of events. */
const findEvents = statement<
  { workspaceId: number; objectIds: readonly string[]; versions: readonly VersionKey[] },
  VersionEvent
>(
  'user-group-version.find-events',
  ({ isOneOf, recordsOf, numberIn }) => `
    WITH happened AS MATERIALIZED (
      SELECT actor_type, api_token_id, details, ${numberIn('details', 'team_id')} AS team_id,
        ${numberIn('details', 'version')} AS version
      FROM audit_event
      WHERE workspace_id = :workspaceId AND ${isOneOf('object_id', ':objectIds')} AND action LIKE 'user_group.%'
    )
    SELECT r.id, r.version, e.actor_type AS "actorType", e.api_token_id AS "apiTokenId", t.name, e.details
    FROM ${recordsOf(':versions', { id: 'integer', version: 'integer' })}
    JOIN happened e ON e.team_id = r.id AND e.version = r.version
    LEFT JOIN api_token t ON t.id = e.api_token_id`,
);

/** Tells who has made versions, as long as the audit log has their events. */
@Injectable()
export class VersionAuthors {
  constructor(
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
  ) {}

  /** Adds its event to each state. */
  async addTo<State extends UserGroupVersionState>(
    workspaceId: number,
    states: readonly State[],
  ): Promise<(State & { event: VersionEvent | undefined })[]> {
    const versions = states.map(({ id, version }) => ({ id, version }));
    const ids = new Set(states.map(({ providedId }) => providedId));
    const objectIds = [...ids].map((id) => this.auditLog.redactId(id) ?? id);
    const events = await this.statements.read(findEvents, { workspaceId, objectIds, versions });
    return states.map((state) => ({
      ...state,
      event: events.find(({ id, version }) => id === state.id && version === state.version),
    }));
  }
}
