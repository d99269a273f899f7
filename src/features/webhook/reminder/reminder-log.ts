import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditEntry, AuditLog, ofService } from '../../../core/audit/audit-log.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { Reminder } from '../entities/reminder.entity.ts';
import type { EndingReminder } from './ending-reminders.ts';
import { DAY_MS, currentTime } from '../../../platform/common/time.ts';
import { ExpirySweep, removeOldest } from '../../../platform/database/upkeep/expiry-sweep.ts';

const BATCH = 200;

/** An event that tells a workspace of something in time. `subject` names the object and the moment. */
export interface NewReminder {
  workspaceId: number;
  subject: string;
  entry: AuditEntry;
}

type ReminderKey = Pick<Reminder, 'kind' | 'subject'>;

const insertReminders = statement<{ rows: readonly ReminderKey[]; now: number }, ReminderKey>(
  'reminder.insert',
  ({ recordsOf }) => `
    INSERT INTO reminder (kind, subject, at)
    SELECT kind, subject, CAST(:now AS bigint)
    FROM ${recordsOf(':rows', { kind: 'text', subject: 'text' })} WHERE true
    ON CONFLICT (kind, subject) DO NOTHING
    RETURNING kind, subject`,
);

/** Records each reminder once, also if several processes find it. */
@Injectable()
export class ReminderLog {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Records a reminder of everything of a kind that ends soon.
   * @throws DatabaseUnavailable; the next call records the rest
   */
  async remindOfEnding<Row extends { subject: string; workspaceId: number }>({
    find,
    beforehandMs,
    toEntry,
  }: EndingReminder<Row>): Promise<void> {
    for (let found = BATCH; found === BATCH;) {
      const now = currentTime();
      const window = { now, until: now + beforehandMs, limit: BATCH };
      const rows = await this.statements.read(find, window);
      found = rows.length;
      if (found === 0) return;
      const reminders = rows.map((row) => ({ ...row, entry: toEntry(row) }));
      await this.transactor.run((manager) => this.record(manager, reminders));
    }
  }

  /** Stores the reminders that are not stored yet, and records their events. */
  async record(manager: EntityManager, reminders: readonly NewReminder[]): Promise<void> {
    const keyOf = ({ kind, subject }: ReminderKey) => `${kind} ${subject}`;
    const keys = reminders.map(({ subject, entry }) => ({ kind: entry.action, subject }));
    const isNew = new Set((await this.store(manager, keys)).map(keyOf));
    await this.auditLog.recordAll(
      manager,
      reminders
        .filter((_, index) => isNew.has(keyOf(keys[index]!)))
        .map(({ workspaceId, entry }) => [ofService(workspaceId), entry] as const),
    );
  }

  /**
   * Stores reminders without an event.
   * @returns those that were not stored yet; another process may have stored the others meanwhile
   */
  async store(manager: EntityManager, reminders: readonly ReminderKey[]): Promise<ReminderKey[]> {
    if (reminders.length === 0) return [];
    // Sorted, so that two processes that store the same ones do not deadlock.
    const rows = [...reminders].sort((a, b) => (a.subject < b.subject ? -1 : 1));
    return this.statements.run(manager, insertReminders, { rows, now: currentTime() });
  }
}

@Injectable()
export class ReminderRetention extends ExpirySweep {
  protected readonly removeExpired = removeOldest('reminder', 'at', 'kind', 'subject');
  /** Must exceed the longest time between a reminder and its moment, a week. */
  protected override readonly retentionMs = 30 * DAY_MS;
}
