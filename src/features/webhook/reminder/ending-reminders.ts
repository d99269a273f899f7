import type { AuditEntry } from '../../../core/audit/audit-log.ts';
import { currentTime, DAY_MS, HOUR_MS, toWireTime } from '../../../platform/common/time.ts';
import { type Statement, statement } from '../../../platform/database/statement.ts';
import { IS_PREDECESSOR } from '../../../core/user-group/token/user-group-token.repository.ts';

const WEEK_MS = 7 * DAY_MS;

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
        g.id AS "userGroupId", g.provided_id AS "providedId", t.generation, t.valid_until AS "validUntil"
      FROM user_group_token t JOIN user_group g ON g.id = t.user_group_id
      WHERE t.valid_until > CAST(:now AS bigint) AND t.valid_until <= CAST(:until AS bigint)
        AND t.revoked_at IS NULL AND t.last_introspected_at >= t.retired_at AND ${IS_PREDECESSOR}
        AND NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = g.workspace_id
          AND (t.epoch < w.tokens_epoch OR t.created_at < w.tokens_ended_before))
        AND NOT EXISTS (SELECT 1 FROM reminder r WHERE r.kind = 'user_group_token.overlap_ending'
          AND r.subject = ${subjectOf('t.user_group_id', 't.generation')})
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

interface EndingGroup {
  subject: string;
  workspaceId: number;
  userGroupId: number;
  providedId: string;
  version: number;
  validUntil: number;
}

/**
 * Reminds of groups that end, unless the end was set when less time than this was left, or the next reminder is due: a
 * group that was suspended meanwhile gets that one alone.
 */
const endingGroups = (beforehandMs: number, nextMs: number): EndingReminder<EndingGroup> => {
  const days = beforehandMs / DAY_MS;
  const subject = `${subjectOf('g.id', 'g.valid_until')} || '/${days}'`;
  return {
    find: statement(
      `reminder.find-ending-groups:${days}`,
      () => `
        SELECT ${subject} AS subject, g.workspace_id AS "workspaceId", g.id AS "userGroupId",
          g.provided_id AS "providedId", g.version, g.valid_until AS "validUntil"
        FROM user_group g
        WHERE g.valid_until > CAST(:now AS bigint) + ${nextMs} AND g.valid_until <= CAST(:until AS bigint)
          AND g.suspended_at IS NULL AND g.valid_until - coalesce(g.valid_until_set_at, g.created_at) > ${beforehandMs}
          AND NOT EXISTS (SELECT 1 FROM reminder r WHERE r.kind = 'user_group.expiring' AND r.subject = ${subject})
        ORDER BY g.valid_until LIMIT :limit`,
    ),
    beforehandMs,
    toEntry: ({ providedId, userGroupId, version, validUntil }) => ({
      action: 'user_group.expiring',
      object: { type: 'user_group', id: providedId },
      userGroupId,
      version,
      details: {
        team_id: userGroupId,
        valid_until: toWireTime(validUntil),
        days_left: Math.ceil((validUntil - currentTime()) / DAY_MS),
      },
    }),
  };
};

export const groupsEndingInAWeek = endingGroups(WEEK_MS, DAY_MS);
export const groupsEndingInADay = endingGroups(DAY_MS, 0);

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
          SELECT 1 FROM reminder r WHERE r.kind = 'api_token.expiring'
            AND r.subject = ${subjectOf('t.id', 't.expires_at')})
      ORDER BY t.expires_at LIMIT :limit`,
  ),
  beforehandMs: WEEK_MS,
  toEntry: ({ id, expiresAt }) => ({
    action: 'api_token.expiring',
    object: { type: 'api_token', id },
    details: { expires_at: toWireTime(expiresAt) },
  }),
};

/** Returns SQL for a subject: an object and its moment or generation, so that a later moment gets a reminder of its own. */
function subjectOf(object: string, moment: string): string {
  return `CAST(${object} AS text) || '/' || CAST(${moment} AS text)`;
}
