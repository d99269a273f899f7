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
/** Rows in one transaction, which keeps them locked to its end: few, so that others wait only briefly. */
const BATCH = 100;
/** At the end no batch begins later than this: a hint does not justify a delayed exit. */
const LAST_BATCH_MS = 300;

/** Stores `at`, in milliseconds since 1970, as the last use of the row with these ids. */
export type SetLastUse = Statement<{ id: number; subId: number; at: number }, never>;

interface Use {
  id: number;
  subId: number;
  at: number;
}

/**
 * Collects when each row was last used and stores it once a minute, adding nothing to the time of
 * requests.
 */
export abstract class LastUse implements OnApplicationBootstrap, OnLastWork {
  private readonly logger = new Logger(this.constructor.name);
  private uses = new Map<string, Use>();
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
    this.uses.set(`${id}/${subId}`, { id, subId, at: Date.now() });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async onLastWork(): Promise<void> {
    clearInterval(this.timer);
    this.deadline = Date.now() + LAST_BATCH_MS;
    await this.flush();
  }

  /** Stores the collected times, once those of the flush before are stored. */
  private flush(): Promise<void> {
    this.flushed = handled(this.flushed.then(() => this.write()));
    return this.flushed;
  }

  /** A time that cannot be written, or not before the deadline, is dropped: it is a hint. */
  private async write(): Promise<void> {
    const uses = [...this.uses.values()].sort(inOrder);
    if (uses.length === 0) return;
    this.uses = new Map();
    try {
      for (let from = 0; from < uses.length && Date.now() < this.deadline; from += BATCH) {
        await this.transactor.run(async (manager) => {
          for (const use of uses.slice(from, from + BATCH)) {
            await this.statements.run(manager, this.setLastUse, { ...use });
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
