import { Logger } from '@nestjs/common';
import type { Transactor } from '../database/transactor.ts';
import type { OnLastWork } from '../database/upkeep/last-work.ts';
import { WriteBehind } from '../database/upkeep/write-behind.ts';
import type { AuditLog, AuditRecord } from './audit-log.ts';
import { Tally } from './tally.ts';

interface Kept {
  /** The event that the tally becomes, without its counts. */
  event: AuditRecord;
  tally: Tally;
}

/** Few enough that nobody waits long behind them for the one writer of the embedded database. */
const BATCH = 100;
const RETRY_MS = 60_000;

/**
 * Counts, in the background, what happens too often for a row each, and writes one event for each
 * kind: some time after the first occurrence, and at the end of the process. It keeps a limited
 * number of kinds, which also bounds the rows that callers can cause. A failed write is retried; a
 * process that is killed loses its counts.
 */
export abstract class TalliedEvents implements OnLastWork {
  private readonly logger = new Logger(this.constructor.name);
  private kept = new Map<string, Kept>();
  private timer: NodeJS.Timeout | undefined;
  private readonly writing = new WriteBehind(() => this.write());

  constructor(
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly limits: { windowMs: number; keys: number },
  ) {}

  /** Returns the tally of a key, begun if need be; undefined if too many others are kept. */
  protected tallyOf(key: string, toEvent: () => AuditRecord): Tally | undefined {
    const known = this.kept.get(key);
    if (known) return known.tally;
    return this.kept.size >= this.limits.keys ? undefined : this.begin(key, toEvent());
  }

  /** Begins a tally even beyond the limit, for kinds that are few. */
  protected begin(key: string, event: AuditRecord): Tally {
    const tally = this.kept.get(key)?.tally ?? new Tally();
    this.kept.set(key, { event, tally });
    this.timer ??= setTimeout(() => void this.flush(), this.limits.windowMs).unref();
    return tally;
  }

  /** Writes all tallies as events. */
  async flush(): Promise<void> {
    await this.writing.now();
  }

  async onLastWork(): Promise<void> {
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
        await this.transactor.run((manager) => {
          this.auditLog.recordAll(manager, events);
        });
        kept.splice(0, BATCH);
      }
      return true;
    } catch (err) {
      this.logger.warn({ msg: 'audit events not written yet', events: kept.length, err });
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
