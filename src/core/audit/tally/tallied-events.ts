import { Logger } from '@nestjs/common';
import type { Transactor } from '../../../platform/database/transactor.ts';
import { onFlush, type OnFlush } from '../../../platform/database/upkeep/shutdown-phases.ts';
import { WriteBehind } from '../../../platform/database/upkeep/write-behind.ts';
import type { AuditLog, AuditRecord } from '../audit-log.ts';
import { Tally } from './tally.ts';

interface KeptTally {
  event: AuditRecord;
  tally: Tally;
}

/** Small enough that nobody waits long for the single writer of SQLite. */
const BATCH = 100;
const RETRY_MS = 60_000;

/**
 * Counts frequent events in the background, and writes one event of each kind: some time after the first occurrence,
 * and when the process ends. Keeps a limited number of kinds, which also bounds the rows that callers can cause.
 * Retries a failed write; a killed process loses its counts.
 */
export abstract class TalliedEvents implements OnFlush {
  private readonly logger = new Logger(this.constructor.name);
  private kept = new Map<string, KeptTally>();
  private timer: NodeJS.Timeout | undefined;
  private readonly writing = new WriteBehind(() => this.write());

  constructor(
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly limits: { windowMs: number; keys: number },
  ) {}

  /** Returns the tally of a key, creating it if necessary; undefined if there are too many others. */
  protected tallyOf(key: string, toEvent: () => AuditRecord): Tally | undefined {
    const known = this.kept.get(key);
    if (known) return known.tally;
    return this.kept.size >= this.limits.keys ? undefined : this.begin(key, toEvent());
  }

  /** Creates a tally even beyond the limit, for a small number of kinds. */
  protected begin(key: string, event: AuditRecord): Tally {
    const tally = this.kept.get(key)?.tally ?? new Tally();
    this.kept.set(key, { event, tally });
    this.timer ??= setTimeout(() => void this.flush(), this.limits.windowMs).unref();
    return tally;
  }

  /** Writes an event of its own, now. @throws AuditUnavailable, DatabaseUnavailable */
  protected recordNow([actor, entry]: AuditRecord, tally: Tally): Promise<void> {
    return this.transactor.run((manager) =>
      this.auditLog.recordAll(manager, [withCounts([actor, entry], tally)]),
    );
  }

  async flush(): Promise<void> {
    await this.writing.now();
  }

  async [onFlush](): Promise<void> {
    await this.writing.last();
    clearTimeout(this.timer);
  }

  private async write(): Promise<boolean> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const kept = [...this.kept];
    this.kept = new Map();
    try {
      while (kept.length > 0) {
        const events = kept.slice(0, BATCH).map(([, { event, tally }]) => withCounts(event, tally));
        await this.transactor.run((manager) => this.auditLog.recordAll(manager, events));
        kept.splice(0, BATCH);
      }
      return true;
    } catch (err) {
      this.logger.warn({ msg: 'could not write audit events; retrying', events: kept.length, err });
      for (const [key, { event, tally }] of kept) this.begin(key, event).absorb(tally);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.flush(), RETRY_MS).unref();
      return false;
    }
  }
}

function withCounts([actor, entry]: AuditRecord, tally: Tally): AuditRecord {
  return [actor, { ...entry, details: { ...entry.details, ...tally.toDetails() } }];
}
