import { Injectable } from '@nestjs/common';
import { toWireTime } from '../../common/time.ts';
import { statement } from '../../database/statement.ts';
import { Announcements, subjectOf, type Window } from './announcements.ts';

const HOUR_MS = 3_600_000;

interface EndingOverlap {
  subject: string;
  workspaceId: number;
  userGroupId: number;
  providedId: string;
  generation: number;
  validUntil: number;
}

const findEndingOverlaps = statement<Window, EndingOverlap>(
  'notice.find-ending-overlaps',
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
);

/** Announces old tokens that somebody has used after they were replaced, and that soon end. */
@Injectable()
export class EndingOverlapNotice {
  constructor(private readonly announcements: Announcements) {}

  /** @throws DatabaseUnavailable */
  async look(): Promise<void> {
    await this.announcements.announceEnding(findEndingOverlaps, HOUR_MS, (overlap) => ({
      action: 'user_group_token.overlap_ending',
      object: { type: 'user_group', id: overlap.providedId },
      userGroupId: overlap.userGroupId,
      version: overlap.generation,
      details: {
        team_id: overlap.userGroupId,
        generation: overlap.generation,
        valid_until: toWireTime(overlap.validUntil),
      },
    }));
  }
}
