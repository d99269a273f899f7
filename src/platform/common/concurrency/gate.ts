import type { Caller } from '../access/caller.ts';
import { DatabaseUnavailable, TooManyAtOnce } from '../problem/errors.ts';
import { FairQueue } from './fair-queue.ts';

/**
 * The kind of turn of a call. A call that ends access takes an `ending` turn: no other call takes one, and no API token
 * has two, so that a stolen token cannot keep its owner from ending it.
 */
export type Turn = 'any' | 'ending';

/** The owner of a call: an API token of a workspace, or a client without a workspace. */
export type Waiter = Pick<Caller, 'workspaceId' | 'apiTokenId'> | string;

/** Concurrent calls of one workspace outside of the lanes. */
const CALLS_AT_ONCE = 2;
/** Concurrent calls of one API token that end access, and of its workspace. */
const ENDING_OF_TOKEN = 1;
const ENDING_AT_ONCE = 2;
const MAX_WAIT_MS = 1500;
/** The longest wait for a turn; the call itself has time limits of its own. */
export const GATE_LIMIT = { waitMs: MAX_WAIT_MS };

/**
 * A failed call keeps its turn this long while others wait: refusals cost so little that their number alone could
 * occupy the process.
 */
const FAILED_MS = 5;

class Queue extends FairQueue<number | null> {
  /** Time of the last call that the database served, by `performance.now()`. */
  servedAt = -Infinity;
}

/**
 * Runs at most two calls of a workspace, or of a client without one, at once. Its API tokens have a turn each, and the
 * calls of one token go in the order of their arrival. Lanes are not counted. A call that holds a turn must not wait for
 * another.
 */
export class Gate {
  private readonly queues = new Map<string, Queue>();
  private readonly maxWaitMs = GATE_LIMIT.waitMs;

  /** @throws the errors of `enter` and of `work` */
  async run<T>(waiter: Waiter, work: () => Promise<T>, turn?: Turn): Promise<T> {
    const leave = await this.enter(waiter, turn);
    try {
      const result = await work();
      leave();
      return result;
    } catch (error) {
      leave(error);
      throw error;
    }
  }

  /**
   * Waits for a turn, which lasts until the returned function is called, with the error if the call has failed.
   * @throws TooManyAtOnce if other calls of the workspace take too long; DatabaseUnavailable if the database serves none
   *   of them meanwhile
   */
  async enter(waiter: Waiter, turn: Turn = 'any'): Promise<(error?: unknown) => void> {
    const [key, owner] =
      typeof waiter === 'string'
        ? [`client ${waiter}`, null]
        : [`${turn} ${waiter.workspaceId}`, waiter.apiTokenId];
    const queue = this.queues.get(key) ?? newQueue(turn);
    this.queues.set(key, queue);
    if (!queue.tryBegin(owner)) {
      await this.wait(queue, owner, typeof waiter === 'string' ? 'client' : 'workspace');
    }
    return (error) => {
      if (!(error instanceof DatabaseUnavailable)) queue.servedAt = performance.now();
      const pass = () => {
        queue.end(owner);
        if (queue.isIdle) this.queues.delete(key);
      };
      if (error === undefined) pass();
      // Looks for others in the next turn of the event loop: a call that is refused at once ends before they arrive.
      else {
        setImmediate(() => {
          if (queue.isAwaited) setTimeout(pass, FAILED_MS);
          else pass();
        });
      }
    };
  }

  /** Resolves when a call that ends hands its turn over. */
  private wait(queue: Queue, owner: number | null, whose: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const timer = setTimeout(() => {
        giveUp();
        const isServed = queue.servedAt >= since;
        reject(
          isServed
            ? new TooManyAtOnce(queue.atOnce, `calls of the ${whose}`)
            : new DatabaseUnavailable(new Error(`not started within ${this.maxWaitMs} ms`)),
        );
      }, this.maxWaitMs);
      const giveUp = queue.wait(owner, () => {
        clearTimeout(timer);
        // Starts in another turn of the event loop: calls that are refused at once would take a whole one.
        setImmediate(resolve);
      });
    });
  }
}

function newQueue(turn: Turn): Queue {
  return turn === 'ending' ? new Queue(ENDING_AT_ONCE, ENDING_OF_TOKEN) : new Queue(CALLS_AT_ONCE);
}
