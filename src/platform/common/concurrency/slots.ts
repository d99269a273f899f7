import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../access/caller.ts';
import { TooManyAtOnce } from '../problem/errors.ts';

/** Delays refusals: a client that retries at once would otherwise occupy the process. */
const REFUSED_AFTER_MS = 500;

/** The limit of one token, workspace or session. */
type Bound = readonly [whose: string, id: number | null, limit: number];

/** Multiplies the limit of an API token to that of its workspace. */
const TOKENS_OF_WORKSPACE = 3;

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
    const exceeded = bounds.find(([whose, id, limit]) => this.takenBy(whose, id) >= limit);
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
   * Yields the `rows` of at most `limit` calls of an API token at once, and of three times as many of its workspace.
   * Holds a slot from the first row that is requested until the last, or until the consumer stops. Does not apply to
   * the command line.
   * @throws TooManyAtOnce
   */
  within<T>(caller: Caller, limit: number, rows: AsyncIterable<T>): AsyncGenerator<T> {
    return this.holding(rows, caller, () => {
      const ofWorkspace = TOKENS_OF_WORKSPACE * limit;
      const free = ofWorkspace - this.takenBy('workspace', caller.workspaceId);
      return [
        ['workspace', caller.workspaceId, ofWorkspace],
        // Leaves half of what is free to other tokens, however many slots this one has.
        ['API token', caller.apiTokenId, Math.min(limit, Math.ceil(free / 2))],
      ];
    });
  }

  /** Does the same for calls that are bounded for each API token alone. @throws TooManyAtOnce */
  ofToken<T>(caller: Caller, limit: number, rows: AsyncIterable<T>): AsyncGenerator<T> {
    return this.holding(rows, caller, () => [['API token', caller.apiTokenId, limit]]);
  }

  private async *holding<T>(
    rows: AsyncIterable<T>,
    { apiTokenId }: Caller,
    boundsOf: () => readonly Bound[],
  ): AsyncGenerator<T> {
    const release = await this.acquire(apiTokenId === null ? [] : boundsOf());
    try {
      yield* rows;
    } finally {
      release();
    }
  }

  private takenBy(whose: string, id: number | null): number {
    return this.taken.get(`${whose} ${id}`) ?? 0;
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

/** Limits open connections. A workspace gets at most a third of the free ones, so a few workspaces cannot take all. */
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
