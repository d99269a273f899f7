import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../core/audit/audit-log.ts';
import type { EmbedTokenClaims } from '../../core/embed-token/embed-token.ts';
import type { UserGroupSnapshot } from '../../core/user-group/snapshot/user-group-snapshot.repository.ts';
import type { TokenGeneration } from '../../core/user-group/token/user-group-token.repository.ts';
import { MINUTE_MS, toWireTime } from '../../platform/common/time.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import type { InspectionView } from './dto/inspection.dto.ts';

/** The event of a report that has ended a token. */
interface Report {
  action: 'user_group_token.leaked' | 'embed_token.leaked' | 'api_token.leaked';
  /** The ids of the object, as the API has shown it. */
  objectIds: readonly string[];
  /** The first members of the details, which tell tokens of one object apart. */
  details?: object;
  /** The time of the event lies within; by default it can be any. */
  from?: number;
  to?: number;
}

/** The time of the report; empty if there was none, or if its event is no longer kept. */
type LeakedAt = Pick<InspectionView, 'leaked_at'>;

/** Compares the first members up to the comma after them; the last member has none. */
const findReport = statement<
  {
    workspaceId: number;
    action: string;
    objectIds: readonly string[];
    first: string;
    from: number;
    to: number;
  },
  { occurredAt: number }
>(
  'leak-report.find',
  ({ isOneOf }) => `
    SELECT occurred_at AS "occurredAt" FROM audit_event
    WHERE workspace_id = :workspaceId AND ${isOneOf('object_id', ':objectIds')} AND action = :action
      AND occurred_at >= CAST(:from AS bigint) AND occurred_at < CAST(:to AS bigint)
      AND substr(replace(details, '}', ','), 1, length(CAST(:first AS text))) = CAST(:first AS text)
    ORDER BY occurred_at DESC, id DESC LIMIT 1`,
);

const findFormerIds = statement<
  { workspaceId: number; userGroupId: number },
  { providedId: string }
>(
  'leak-report.find-former-ids',
  () => `
    SELECT DISTINCT provided_id AS "providedId" FROM user_group_version
    WHERE user_group_id = :userGroupId AND workspace_id = :workspaceId`,
);

/** Tells of a token whether a report of leaks has ended it, as long as the audit log has the event. */
@Injectable()
export class LeakReports {
  constructor(
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
  ) {}

  /** A token that is current has not been ended; of the others the row has the time of the end. */
  async ofUserGroupToken(
    { workspaceId, userGroupId }: { workspaceId: number; userGroupId: number },
    providedId: string,
    { generation, retiredAt, revokedAt }: TokenGeneration,
  ): Promise<LeakedAt> {
    const from = revokedAt ?? retiredAt;
    if (from === null) return {};
    return this.find(workspaceId, {
      action: 'user_group_token.leaked',
      objectIds: await this.idsOf(workspaceId, userGroupId, providedId),
      details: { team_id: userGroupId, generation },
      // The event follows the end within its transaction.
      from,
      to: from + MINUTE_MS,
    });
  }

  async ofEmbedToken(
    workspaceId: number,
    { iat, jti, sub, team_id, gen: generation }: EmbedTokenClaims,
    group: UserGroupSnapshot | undefined,
  ): Promise<LeakedAt> {
    if (!group?.revokedEmbedTokens.includes(jti)) return {};
    return this.find(workspaceId, {
      action: 'embed_token.leaked',
      objectIds: [sub, ...(await this.idsOf(workspaceId, team_id, group.providedId))],
      details: { team_id, generation, jti },
      from: iat * 1000 - MINUTE_MS,
    });
  }

  async ofApiToken(workspaceId: number, id: number): Promise<LeakedAt> {
    return this.find(workspaceId, { action: 'api_token.leaked', objectIds: [String(id)] });
  }

  /** Returns the ids that a group has had: the event has the one of its time. */
  private async idsOf(
    workspaceId: number,
    userGroupId: number,
    providedId: string,
  ): Promise<string[]> {
    const former = await this.statements.read(findFormerIds, { workspaceId, userGroupId });
    return [providedId, ...former.map((row) => row.providedId)];
  }

  private async find(
    workspaceId: number,
    { action, objectIds, details = {}, from = 0, to = Number.MAX_SAFE_INTEGER }: Report,
  ): Promise<LeakedAt> {
    const members = JSON.stringify(details).slice(0, -1);
    const [found] = await this.statements.read(findReport, {
      workspaceId,
      action,
      objectIds: objectIds.map((id) => this.auditLog.redactId(id) ?? id),
      first: members === '{' ? '{' : `${members},`,
      from,
      to,
    });
    return found ? { leaked_at: toWireTime(found.occurredAt) } : {};
  }
}
