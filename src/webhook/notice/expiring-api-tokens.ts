import { Injectable } from '@nestjs/common';
import { toWireTime } from '../../common/time.ts';
import { statement } from '../../database/statement.ts';
import { Announcements, subjectOf, type Window } from './announcements.ts';

const WEEK_MS = 7 * 86_400_000;

interface ExpiringToken {
  subject: string;
  workspaceId: number;
  id: number;
  expiresAt: number;
}

const findExpiringTokens = statement<Window, ExpiringToken>(
  'notice.find-expiring-api-tokens',
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
);

/** Announces API tokens that end soon and have lived for longer than that; one that was rotated has a successor. */
@Injectable()
export class ExpiringApiTokenNotice {
  constructor(private readonly announcements: Announcements) {}

  /** @throws DatabaseUnavailable */
  async look(): Promise<void> {
    await this.announcements.announceEnding(findExpiringTokens, WEEK_MS, ({ id, expiresAt }) => ({
      action: 'api_token.expiring',
      object: { type: 'api_token', id },
      details: { expires_at: toWireTime(expiresAt) },
    }));
  }
}
