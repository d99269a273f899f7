import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../access/caller.ts';
import { TooManyAtOnce } from '../problem/errors.ts';

/** Delays refusals: a client that retries at once would otherwise occupy the process. */
const REFUSED_AFTER_MS = 500;

/** The limit of one token, workspace or session. */
type Bound = readonly [whose: string, id: number | null, limit: number];

/** Bounds how much of one kind is under way at once in this process. */
export class Slots {
  private readonly taken = new Map<string, number>();
  protected total = 0;

  /** @param what the slots are for, such as "exports" */
  constructor(private readonly what: string) {}

  /**
   * Acquires a slot that counts for each of the bounds.
   * @returns a function that releases the slot; further calls do nothing
   * @throws TooManyAtOnce
   */
  async acquire(bounds: readonly Bound[]): Promise<() => void> {
    const keys = bounds.map(([whose, id]) => `${whose} ${id}`);
    const exceeded = bounds.find(([, , limit], i) => (this.taken.get(keys[i]!) ?? 0) >= limit);
    if (exceeded) {
      const [whose, , limit] = exceeded;
      await sleep(REFUSED_AFTER_MS);
      throw new TooManyAtOnce(limit, `${this.what} of the ${whose}`);
    }
    this.count(keys, 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.count(keys, -1);
      isHeld = false;
    };
  }

  /**
   * Yields the `rows` of at most `limit` calls of a workspace at once. Acquires a slot when the first row is requested,
   * and releases it after the last or when the consumer stops. The operator at the command line is not counted.
   * @throws TooManyAtOnce
   */
  async *within<T>({ workspaceId, apiTokenId }: Caller, limit: number, rows: AsyncIterable<T>): AsyncGenerator<T> {
    const bounds = [['workspace', workspaceId, limit] as const];
    const release = await this.acquire(apiTokenId === null ? [] : bounds);
    try {
      yield* rows;
    } finally {
      release();
    }
  }

  private count(keys: readonly string[], change: 1 | -1): void {
    this.total += change;
    for (const key of keys) {
      const taken = (this.taken.get(key) ?? 0) + change;
      if (taken === 0) this.taken.delete(key);
      else this.taken.set(key, taken);
    }
  }
}

const OF_A_TOKEN = 50;
const OF_A_WORKSPACE = 200;
const OF_THE_PROCESS = 1000;

/** Bounds what keeps a connection. A workspace has at most a third of what is still free, so that no few have all of it. */
export class ConnectionSlots extends Slots {
  /** @param own a bound that is looked at first @throws TooManyAtOnce */
  acquireFor(
    { apiTokenId, workspaceId }: Pick<Caller, 'apiTokenId' | 'workspaceId'>,
    ...own: Bound[]
  ): Promise<() => void> {
    const share = Math.ceil((OF_THE_PROCESS - this.total) / 3);
    return this.acquire([
      ...own,
      ['API token', apiTokenId, OF_A_TOKEN],
      ['workspace', workspaceId, Math.min(OF_A_WORKSPACE, share)],
    ]);
  }
}
