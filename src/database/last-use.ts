import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Statement, Statements } from './statement';
import type { Transactor } from './transactor';

const WRITE_EVERY_MS = 60_000;
/** A row is not written again sooner, whichever process was asked: a little less, as timers are not exact. */
export const BETWEEN_WRITES_MS = 55_000;
/** A transaction keeps its rows locked to the end; others wait for them, but not for long. */
const BATCH = 100;
const LAST_FLUSH_MS = 1000;

/** Stores `at`, in milliseconds since 1970, as the last use of the row with these ids. */
export type SetLastUse = Statement<{ id: number; subId: number; at: number }, never>;

interface Use {
  id: number;
  subId: number;
  at: number;
}

/** Remembers when each row was last used and writes it down once a minute, on no request's time. */
export abstract class LastUse implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private uses = new Map<string, Use>();
  private timer: NodeJS.Timeout | undefined;

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

  /** After the last answer; the database, a global module, is closed after the modules that use it. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    // A hint is not worth being killed for.
    await Promise.race([this.flush(), sleep(LAST_FLUSH_MS, undefined, { ref: false })]);
  }

  /** A time that cannot be written is dropped: it is a hint for people, and the next minute brings another. */
  private async flush(): Promise<void> {
    const uses = [...this.uses.values()].sort(inOrder);
    if (uses.length === 0) return;
    this.uses = new Map();
    try {
      for (let from = 0; from < uses.length; from += BATCH) {
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

/** Replicas that write the same rows in the same order wait for each other; in any other they could deadlock. */
function inOrder(one: Use, other: Use): number {
  return one.id - other.id || one.subId - other.subId;
}
