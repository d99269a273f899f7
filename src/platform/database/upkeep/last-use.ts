import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { handled } from '../../common/concurrency/handled.ts';
import { currentTime } from '../../common/time.ts';
import type { Statement } from '../statement.ts';
import { Statements } from '../statements.ts';
import { Transactor } from '../transactor.ts';
import { onFlush, type OnFlush } from './shutdown-phases.ts';

const WRITE_EVERY_MS = 60_000;
/**
 * The shortest time between two writes of a row, by whichever process: a little less than the minute, as timers are not
 * exact.
 */
export const BETWEEN_WRITES_MS = 55_000;
/** Delay before the first use of a row is stored. */
const FIRST_USE_MS = 100;
/** Bounds the rows that a process remembers; a remembered row that is used again is not stored as a first use. */
const MAX_SEEN = 50_000;
/** Rows in one transaction, which keeps them locked to its end: few, so that others wait only briefly. */
const BATCH = 100;
/** At the end no batch begins later than this: a hint does not justify a delayed exit. */
const LAST_BATCH_MS = 300;

/**
 * Stores `at`, in milliseconds since 1970, as the last use of the row with these ids, if the row has none or one before
 * `before`.
 */
export type SetLastUse = Statement<
  { id: number; subId: number; at: number; before: number },
  never
>;

interface Use {
  id: number;
  subId: number;
  at: number;
}

/**
 * Collects when each row was last used and stores it once a minute, the first use at once, without delaying requests.
 */
@Injectable()
export abstract class LastUse implements OnApplicationBootstrap, OnFlush {
  private readonly logger = new Logger(this.constructor.name);
  private uses = new Map<string, Use>();
  /** The rows that this process has seen used, and those of them that may never have been used before. */
  private readonly seen = new Set<string>();
  private firstUses: Use[] = [];
  private firstTimer: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private flushed = Promise.resolve();
  private deadline = Infinity;

  protected abstract readonly setLastUse: SetLastUse;

  constructor(
    private readonly transactor: Transactor,
    private readonly statements: Statements,
  ) {}

  /** @param subId second part of the primary key, if it has one */
  record(id: number, subId = 0): void {
    const key = `${id}/${subId}`;
    const use = { id, subId, at: currentTime() };
    this.uses.set(key, use);
    if (this.seen.has(key)) return;
    if (this.seen.size === MAX_SEEN) this.seen.clear();
    this.seen.add(key);
    this.firstUses.push(use);
    this.firstTimer ??= setTimeout(() => void this.flushFirst(), FIRST_USE_MS).unref();
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async [onFlush](): Promise<void> {
    clearInterval(this.timer);
    clearTimeout(this.firstTimer);
    this.deadline = performance.now() + LAST_BATCH_MS;
    // These include the first uses.
    await this.flush(0);
  }

  /** @param betweenMs minimum age of the stored time */
  private flush(betweenMs = BETWEEN_WRITES_MS): Promise<void> {
    return this.inTurn(() => {
      const uses = [...this.uses.values()];
      this.uses = new Map();
      return this.write(uses, ({ at }) => at - betweenMs);
    });
  }

  /** Stores the first uses; a row that has a time keeps it. */
  private flushFirst(): Promise<void> {
    this.firstTimer = undefined;
    return this.inTurn(() => {
      const uses = this.firstUses;
      this.firstUses = [];
      return this.write(uses, () => 0);
    });
  }

  /** Writes after the previous write. */
  private inTurn(write: () => Promise<void>): Promise<void> {
    this.flushed = handled(this.flushed.then(write));
    return this.flushed;
  }

  /** A time that cannot be written, or not before the deadline, is dropped: it is a hint. */
  private async write(uses: Use[], beforeOf: (use: Use) => number): Promise<void> {
    // In different orders, replicas that write the same rows could deadlock.
    uses.sort((one, other) => one.id - other.id || one.subId - other.subId);
    try {
      for (let from = 0; from < uses.length && performance.now() < this.deadline; from += BATCH) {
        await this.transactor.run(async (manager) => {
          for (const use of uses.slice(from, from + BATCH)) {
            const before = beforeOf(use);
            await this.statements.run(manager, this.setLastUse, { ...use, before });
          }
        });
      }
    } catch (err) {
      this.logger.warn({ msg: 'last use not written', err });
    }
  }
}
