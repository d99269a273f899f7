import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { logRepeated } from '../../common/repeated-failures.ts';
import type { OnLastAnswer } from '../../database/upkeep/last-work.ts';

/** What was counted, and when the counting began. */
export interface Counted<T> {
  value: T;
  asOf: number;
}

interface Kept<T> {
  last?: Counted<T>;
  /** Nobody counts again before this moment, of `performance.now`. */
  restUntil: number;
  counting?: Promise<Counted<T>>;
}

/** A count takes at most one part of the time in so many. */
const SHARE = 10;
/** How long a call waits for a count where there is one before: those of small workspaces are there by then. */
const WAIT_MS = 250;
/** Of how many workspaces the last count is kept. */
const MAX_KEPT = 1000;

/**
 * Counts for each workspace, on demand, what takes the longer the more there is: one count of a
 * workspace at a time in this process, for all who ask, and the next not before it has rested for
 * ten times as long as it took. So a count is as good as new where it is quick, and where it is not
 * it takes a tenth of one connection at most.
 */
export abstract class AgeingCounts<T> implements OnLastAnswer {
  private readonly logger = new Logger(this.constructor.name);
  private readonly kept = new LRUCache<number, Kept<T>>({ max: MAX_KEPT });
  private readonly ending = new AbortController();
  private readonly counting = new Set<Promise<unknown>>();

  async onLastAnswer(): Promise<void> {
    this.ending.abort();
    await Promise.allSettled(this.counting);
  }

  /** @throws DatabaseUnavailable; the reason of the signal when it aborts */
  protected abstract count(workspaceId: number, signal: AbortSignal): Promise<T>;

  /**
   * The last count, or the one that is due if it is there soon; the first is waited for.
   * @throws DatabaseUnavailable
   */
  protected async read(workspaceId: number): Promise<Counted<T>> {
    const last = await this.readSoon(workspaceId);
    return last ?? (await this.begin(workspaceId).counting!);
  }

  /** The last count, or the one that is due if it is there soon; undefined while the first is under way. */
  protected async readSoon(workspaceId: number): Promise<Counted<T> | undefined> {
    const kept = this.begin(workspaceId);
    if (kept.counting) await settledWithin(kept.counting, WAIT_MS);
    return kept.last;
  }

  /** Begins a count if one is due. */
  private begin(workspaceId: number): Kept<T> {
    const kept: Kept<T> = this.kept.get(workspaceId) ?? { restUntil: 0 };
    this.kept.set(workspaceId, kept);
    if (!kept.counting && (!kept.last || performance.now() >= kept.restUntil)) {
      const counting = this.run(workspaceId, kept);
      kept.counting = counting;
      this.counting.add(counting);
      const forget = () => {
        delete kept.counting;
        this.counting.delete(counting);
      };
      counting.then(forget, (err: unknown) => {
        forget();
        if (this.ending.signal.aborted) return;
        logRepeated(this.logger, 'warn', { msg: 'not counted', workspaceId, err });
      });
    }
    return kept;
  }

  private async run(workspaceId: number, kept: Kept<T>): Promise<Counted<T>> {
    const asOf = Date.now();
    const started = performance.now();
    const value = await this.count(workspaceId, this.ending.signal);
    const ended = performance.now();
    kept.restUntil = ended + (ended - started) * SHARE;
    kept.last = { value, asOf };
    return kept.last;
  }
}

/** Waits for a promise, whatever becomes of it, but not for longer. */
async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise.catch(() => undefined), late]);
  clearTimeout(timer);
}
