import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditEntry, AuditLog, ofService } from '../../audit/audit-log.ts';
import { type Statement, statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';
import type { Notice } from './notice.entity.ts';

const BATCH = 200;

/** Something that is to be announced: `subject` says of what and of which moment of it. */
export interface Announcement {
  workspaceId: number;
  subject: string;
  entry: AuditEntry;
}

/** The moments of which something is to be announced. */
export interface Window {
  now: number;
  until: number;
  limit: number;
}

type NoticeKey = Pick<Notice, 'kind' | 'subject'>;

const insertNotices = statement<{ rows: readonly NoticeKey[]; now: number }, NoticeKey>(
  'notice.insert',
  ({ recordsOf }) => `
    INSERT INTO notice (kind, subject, at)
    SELECT kind, subject, CAST(:now AS bigint)
    FROM ${recordsOf(':rows', { kind: 'text', subject: 'text' })} WHERE true
    ON CONFLICT (kind, subject) DO NOTHING
    RETURNING kind, subject`,
);

/** Makes the text of a subject: a thing and the moment, or the generation, so that another one is announced again. */
export function subjectOf(thing: string, moment: string): string {
  return `CAST(${thing} AS text) || '/' || CAST(${moment} AS text)`;
}

/** Announces each thing once, whichever process has found it. */
@Injectable()
export class Announcements {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Announces everything that will happen within a time from now, and that `find` has not seen announced.
   * @throws DatabaseUnavailable; what is left can be announced later
   */
  async announceEnding<Row extends { subject: string; workspaceId: number }>(
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
      const announcements = rows.map((row) => ({
        workspaceId: row.workspaceId,
        subject: row.subject,
        entry: toEntry(row),
      }));
      await this.transactor.run((manager) => this.announce(manager, announcements));
    }
  }

  /** Records the events of what nobody has announced yet. */
  async announce(manager: EntityManager, announcements: readonly Announcement[]): Promise<void> {
    const keyOf = ({ kind, subject }: NoticeKey) => `${kind} ${subject}`;
    const keys = announcements.map(({ subject, entry }) => ({ kind: entry.action, subject }));
    const isNew = new Set((await this.note(manager, keys)).map(keyOf));
    this.auditLog.recordAll(
      manager,
      announcements
        .filter((_, index) => isNew.has(keyOf(keys[index]!)))
        .map(({ workspaceId, entry }) => [ofService(workspaceId), entry] as const),
    );
  }

  /**
   * Stores notices without an event.
   * @returns those that were not there yet; another process may have stored them meanwhile
   */
  async note(manager: EntityManager, notices: readonly NoticeKey[]): Promise<NoticeKey[]> {
    if (notices.length === 0) return [];
    // In one order: two processes that store the same ones would else deadlock.
    const rows = [...notices].sort((a, b) => (a.subject < b.subject ? -1 : 1));
    return this.statements.run(manager, insertNotices, {
      rows,
      now: Date.now(),
    });
  }
}
