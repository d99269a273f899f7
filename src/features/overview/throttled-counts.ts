import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { logRepeated } from '../../platform/common/repeated-failures.ts';
import { currentTime } from '../../platform/common/time.ts';
import { onDrained, type OnDrained } from '../../platform/database/upkeep/shutdown-phases.ts';

/** A count, and the time when it began. */
export interface Counted<T> {
  value: T;
  asOf: number;
}

interface KeptCount<T> {
  last?: Counted<T>;
  /** No further count begins before this, by `performance.now`. */
  restUntil: number;
  counting?: Promise<Counted<T>>;
}

/** Counting takes at most a tenth of the time. */
const SHARE = 10;
/** Time a call waits for a new count if there is an old one; enough for small workspaces. */
const WAIT_MS = 250;
/** Maximum of workspaces with a kept count. */
const MAX_KEPT = 1000;

/**
 * Counts for each workspace, on demand, things that take longer the more there are. Each process runs one count per
 * workspace at a time, shared by all callers, and rests ten times as long as it took. A quick count is thus current; a
 * slow one takes a tenth of one connection at most.
 */
export abstract class ThrottledCounts<T> implements OnDrained {
  private readonly logger = new Logger(this.constructor.name);
  private readonly kept = new LRUCache<number, KeptCount<T>>({ max: MAX_KEPT });
  private readonly ending = new AbortController();
  private readonly counting = new Set<Promise<unknown>>();

  async [onDrained](): Promise<void> {
    this.ending.abort();
    await Promise.allSettled(this.counting);
  }

  /** @throws DatabaseUnavailable; the reason of the signal when it aborts */
  protected abstract count(workspaceId: number, signal: AbortSignal): Promise<T>;

  /** Returns the last count, or a new one if it is ready soon; waits for the first. @throws DatabaseUnavailable */
  async read(workspaceId: number): Promise<Counted<T>> {
    const kept = this.begin(workspaceId);
    if (kept.counting) {
      const late = sleep(WAIT_MS, undefined, { ref: false });
      await Promise.race([kept.counting.catch(() => undefined), late]);
    }
    return kept.last ?? (await this.begin(workspaceId).counting!);
  }

  private begin(workspaceId: number): KeptCount<T> {
    const kept: KeptCount<T> = this.kept.get(workspaceId) ?? { restUntil: 0 };
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
        logRepeated(this.logger, 'warn', { msg: 'could not count user groups', workspaceId, err });
      });
    }
    return kept;
  }

  private async run(workspaceId: number, kept: KeptCount<T>): Promise<Counted<T>> {
    const asOf = currentTime();
    const started = performance.now();
    const value = await this.count(workspaceId, this.ending.signal);
    const ended = performance.now();
    kept.restUntil = ended + (ended - started) * SHARE;
    kept.last = { value, asOf };
    return kept.last;
  }
}
