import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Transactor } from '../database/transactor';
import type { AuditActor, AuditEntry, AuditLog } from './audit-log';
import { Tally } from './tally';

/** What is told together: an event but for how often. */
export type Told = [actor: AuditActor, entry: AuditEntry];

interface Kept {
  told: Told;
  tally: Tally;
}

/** So few that nobody waits long behind them for the one writer of the embedded database. */
const BATCH = 100;
const RETRY_MS = 60_000;

/**
 * Counts what happens too often for a row each, beside the calls, and writes one event for each
 * kind of it: some time after the first, and at the end of the process. It keeps a limited number of
 * kinds, which also bounds the rows that callers can make it write. What the database does not take is
 * tried again; a process that is killed loses what it kept.
 */
export abstract class TalliedEvents implements OnApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private kept = new Map<string, Kept>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly limits: { windowMs: number; keys: number },
  ) {}

  /** The tally of a key; undefined if too many others are kept. */
  protected tallyOf(key: string, told: () => Told): Tally | undefined {
    const known = this.kept.get(key);
    if (known) return known.tally;
    return this.kept.size >= this.limits.keys ? undefined : this.begin(key, told());
  }

  /** As `tallyOf`, even beyond the limit: for what there are few of. */
  protected begin(key: string, told: Told): Tally {
    const tally = this.kept.get(key)?.tally ?? new Tally();
    this.kept.set(key, { told, tally });
    this.timer ??= setTimeout(() => void this.flush(), this.limits.windowMs).unref();
    return tally;
  }

  /** Writes what is kept. */
  flush(): Promise<void> {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
    return this.writing;
  }

  /** After the last answer; the database, a global module, is closed after the modules that use it. */
  async onApplicationShutdown(): Promise<void> {
    await this.writing;
    await this.flush();
    clearTimeout(this.timer);
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const kept = [...this.kept];
    this.kept = new Map();
    try {
      while (kept.length > 0) {
        const events = kept.slice(0, BATCH).map(([, { told, tally }]) => toEvent(told, tally));
        await this.transactor.run((manager) => this.auditLog.recordAll(manager, events));
        kept.splice(0, BATCH);
      }
    } catch (err) {
      this.logger.warn({ msg: 'audit events not written yet', events: kept.length, err });
      for (const [key, { told, tally }] of kept) this.begin(key, told).absorb(tally);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.flush(), RETRY_MS).unref();
    }
  }
}

function toEvent([actor, entry]: Told, tally: Tally): Told {
  return [actor, { ...entry, details: { ...entry.details, ...tally.toDetails() } }];
}
