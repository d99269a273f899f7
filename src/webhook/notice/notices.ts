import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type AuditEntry, AuditLog, ofService } from '../../audit/audit-log';
import { toWireTime } from '../../common/time';
import { Config } from '../../config/config';
import { type Statement, statement, Statements } from '../../database/statement';
import { Transactor } from '../../database/transactor';

const EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const BATCH = 200;

interface Window {
  now: number;
  until: number;
  limit: number;
}

interface EndingOverlap {
  subject: string;
  workspaceId: number;
  userGroupId: number;
  providedId: string;
  generation: number;
  validUntil: number;
}

/** Old tokens that somebody has used after they were replaced, and that soon end. */
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

interface ExpiringToken {
  subject: string;
  workspaceId: number;
  id: number;
  expiresAt: number;
}

/** API tokens that end soon and have lived for longer than that; one that was rotated has a successor. */
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

const insertNotice = statement<{ kind: string; subject: string; now: number }, { subject: string }>(
  'notice.insert',
  () => `
    INSERT INTO notice (kind, subject, at) VALUES (:kind, :subject, :now)
    ON CONFLICT (kind, subject) DO NOTHING
    RETURNING subject`,
);

/** A thing and the moment, or the generation, that is announced: another one is announced again. */
function subjectOf(thing: string, moment: string): string {
  return `CAST(${thing} AS text) || '/' || CAST(${moment} AS text)`;
}

/**
 * Announces as events what will happen by the clock, while there is time to do something about it: once,
 * whichever process looks.
 */
@Injectable()
export class Notices implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Notices.name);
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.webhookDelivery === 'off') return;
    this.timer = setInterval(() => {
      this.looking = this.look();
    }, EVERY_MS).unref();
  }

  /** The database closes after the modules that use it. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** Announces what is to be announced by now; what fails is left for the next minute. */
  async look(): Promise<void> {
    try {
      await this.announce(findEndingOverlaps, HOUR_MS, (overlap) => ({
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
      await this.announce(findExpiringTokens, WEEK_MS, ({ id, expiresAt }) => ({
        action: 'api_token.expiring',
        object: { type: 'api_token', id },
        details: { expires_at: toWireTime(expiresAt) },
      }));
    } catch (err) {
      this.logger.warn({ msg: 'what ends soon is not announced for now', err });
    }
  }

  private async announce<Row extends { subject: string; workspaceId: number }>(
    find: Statement<Window, Row>,
    beforehandMs: number,
    toEntry: (row: Row) => AuditEntry,
  ): Promise<void> {
    for (let found = BATCH; found === BATCH;) {
      const now = Date.now();
      const window = { now, until: now + beforehandMs, limit: BATCH };
      const rows = await this.statements.read(find, window);
      found = rows.length;
      if (found === 0) return;
      await this.transactor.run(async (manager) => {
        for (const row of rows) {
          const entry = toEntry(row);
          const notice = { kind: entry.action, subject: row.subject, now };
          // Another process may have announced it meanwhile.
          if ((await this.statements.run(manager, insertNotice, notice)).length === 0) continue;
          await this.auditLog.record(manager, ofService(row.workspaceId), entry);
        }
      });
    }
  }
}
