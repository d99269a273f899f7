import type { AuditEntry } from '../../audit/audit-log.ts';
import { DAY_MS, HOUR_MS, toWireTime } from '../../common/time.ts';
import { type Statement, statement } from '../../database/statement.ts';

/** The period whose moments are due for a reminder. */
interface Window {
  now: number;
  until: number;
  limit: number;
}

/** A kind of reminder of what ends soon. */
export interface EndingReminder<Row extends { subject: string; workspaceId: number }> {
  find: Statement<Window, Row>;
  beforehandMs: number;
  toEntry: (row: Row) => AuditEntry;
}

interface EndingOverlap {
  subject: string;
  workspaceId: number;
  userGroupId: number;
  providedId: string;
  generation: number;
  validUntil: number;
}

/** Reminds of replaced tokens that are still in use and end within an hour. */
export const endingOverlaps: EndingReminder<EndingOverlap> = {
  find: statement(
    'reminder.find-ending-overlaps',
    () => `
      SELECT ${subjectOf('t.user_group_id', 't.generation')} AS subject, g.workspace_id AS "workspaceId",
        g.id AS "userGroupId", g.provided_id AS "providedId", t.generation,
        t.valid_until AS "validUntil"
      FROM user_group_token t JOIN user_group g ON g.id = t.user_group_id
      WHERE t.valid_until > CAST(:now AS bigint) AND t.valid_until <= CAST(:until AS bigint)
        AND t.revoked_at IS NULL AND t.last_introspected_at >= t.retired_at
        AND NOT EXISTS (
          SELECT 1 FROM notice n WHERE n.kind = 'user_group_token.overlap_ending'
            AND n.subject = ${subjectOf('t.user_group_id', 't.generation')})
      ORDER BY t.valid_until LIMIT :limit`,
  ),
  beforehandMs: HOUR_MS,
  toEntry: ({ providedId, userGroupId, generation, validUntil }) => ({
    action: 'user_group_token.overlap_ending',
    object: { type: 'user_group', id: providedId },
    userGroupId,
    version: generation,
    details: { team_id: userGroupId, generation, valid_until: toWireTime(validUntil) },
  }),
};

const WEEK_MS = 7 * DAY_MS;

interface ExpiringToken {
  subject: string;
  workspaceId: number;
  id: number;
  expiresAt: number;
}

/** Reminds of API tokens that expire within a week, unless they were rotated or issued for a week or less. */
export const expiringApiTokens: EndingReminder<ExpiringToken> = {
  find: statement(
    'reminder.find-expiring-api-tokens',
    () => `
      SELECT ${subjectOf('t.id', 't.expires_at')} AS subject, t.workspace_id AS "workspaceId", t.id,
        t.expires_at AS "expiresAt"
      FROM api_token t
      WHERE t.expires_at > CAST(:now AS bigint) AND t.expires_at <= CAST(:until AS bigint)
        AND t.expires_at - t.created_at > ${WEEK_MS}
        AND t.revoked_at IS NULL AND t.superseded_by IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM notice n WHERE n.kind = 'api_token.expiring'
            AND n.subject = ${subjectOf('t.id', 't.expires_at')})
      ORDER BY t.expires_at LIMIT :limit`,
  ),
  beforehandMs: WEEK_MS,
  toEntry: ({ id, expiresAt }) => ({
    action: 'api_token.expiring',
    object: { type: 'api_token', id },
    details: { expires_at: toWireTime(expiresAt) },
  }),
};

/** Returns SQL for a subject: a thing and its moment or generation, so that a later moment gets a reminder of its own. */
function subjectOf(thing: string, moment: string): string {
  return `CAST(${thing} AS text) || '/' || CAST(${moment} AS text)`;
}
