import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { VersionKey } from './user-group-history.repository.ts';

/** The event of a version. `name` is that of the API token, or of its person. */
export interface VersionEvent extends VersionKey {
  actorType: string;
  apiTokenId: number | null;
  name: string | null;
  details: string;
}

/** Compares the first members of the details up to the comma after them; the last member has none. */
const findEvents = statement<
  {
    workspaceId: number;
    objectId: string;
    versions: readonly (VersionKey & { first: string })[];
  },
  VersionEvent
>(
  'user-group-version.find-events',
  ({ recordsOf }) => `
    SELECT r.id, r.version, e.actor_type AS "actorType", e.api_token_id AS "apiTokenId", t.name, e.details
    FROM audit_event e
    JOIN ${recordsOf(':versions', { id: 'integer', version: 'integer', first: 'text' })}
      ON substr(replace(e.details, '}', ','), 1, length(r.first)) = r.first
    LEFT JOIN api_token t ON t.id = e.api_token_id
    WHERE e.workspace_id = :workspaceId AND e.object_id = :objectId AND e.action LIKE 'user_group.%'`,
);

/** Tells who has made versions, as long as the audit log has their events. */
@Injectable()
export class VersionAuthors {
  constructor(
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
  ) {}

  /** Adds its event to each state of groups of one id. */
  async addTo<State extends VersionKey>(
    workspaceId: number,
    providedId: string,
    states: readonly State[],
  ): Promise<(State & { event: VersionEvent | undefined })[]> {
    const versions = states.map(({ id, version }) => {
      return { id, version, first: `{"team_id":${id},"version":${version},` };
    });
    const objectId = this.auditLog.redactId(providedId) ?? providedId;
    const events = await this.statements.read(findEvents, { workspaceId, objectId, versions });
    return states.map((state) => ({
      ...state,
      event: events.find(({ id, version }) => id === state.id && version === state.version),
    }));
  }
}
