import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { handled } from '../../common/handled.ts';
import type { Statement } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { Transactor } from '../transactor.ts';
import type { OnLastWork } from './last-work.ts';

const WRITE_EVERY_MS = 60_000;
/**
 * The shortest time between two writes of a row, by whichever process: a little less than the
 * minute, as timers are not exact.
 */
export const BETWEEN_WRITES_MS = 55_000;
/** How soon it is stored that a row is used for the first time. */
const FIRST_USE_MS = 100;
/** So many rows a process remembers to have seen; it stores nothing where it asks about one again. */
const MOST_SEEN = 50_000;
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
 * Collects when each row was last used and stores it once a minute, the first use of all at once, adding nothing to
 * the time of requests.
 */
export abstract class LastUse implements OnApplicationBootstrap, OnLastWork {
  private readonly logger = new Logger(this.constructor.name);
  private uses = new Map<string, Use>();
  /** The rows that this process has seen used, and those of them that may never have been used before. */
  private readonly seen = new Set<string>();
  private firstUses: Use[] = [];
  private firstTimer: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private flushed = Promise.resolve();
  private deadline = Infinity;

  constructor(
    private readonly transactor: Transactor,
    private readonly statements: Statements,
    private readonly setLastUse: SetLastUse,
  ) {}

  /** @param subId second part of the primary key, where it has one */
  record(id: number, subId = 0): void {
    const key = `${id}/${subId}`;
    const use = { id, subId, at: Date.now() };
    this.uses.set(key, use);
    if (this.seen.has(key)) return;
    if (this.seen.size === MOST_SEEN) this.seen.clear();
    this.seen.add(key);
    this.firstUses.push(use);
    this.firstTimer ??= setTimeout(() => void this.flushFirst(), FIRST_USE_MS).unref();
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async onLastWork(): Promise<void> {
    clearInterval(this.timer);
    clearTimeout(this.firstTimer);
    this.deadline = Date.now() + LAST_BATCH_MS;
    // The first uses are among these.
    await this.flush(0);
  }

  /** @param betweenMs how much older the stored time has to be */
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

  /** Writes once what came before is written. */
  private inTurn(write: () => Promise<void>): Promise<void> {
    this.flushed = handled(this.flushed.then(write));
    return this.flushed;
  }

  /** A time that cannot be written, or not before the deadline, is dropped: it is a hint. */
  private async write(uses: Use[], beforeOf: (use: Use) => number): Promise<void> {
    uses.sort(inOrder);
    try {
      for (let from = 0; from < uses.length && Date.now() < this.deadline; from += BATCH) {
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

/** Orders the writes: in different orders, replicas that write the same rows could deadlock. */
function inOrder(one: Use, other: Use): number {
  return one.id - other.id || one.subId - other.subId;
}
