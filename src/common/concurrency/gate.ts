import { DatabaseUnavailable, TooManyAtOnce } from '../problem/errors.ts';

/** Concurrent calls of one workspace outside of the lanes. */
const CALLS_AT_ONCE = 2;
/** Limits the wait for a turn; the call itself has time limits of its own. */
const MAX_WAIT_MS = 1500;

/**
 * A failed call keeps its turn this long while others wait: refusals cost so little that their number alone could
 * occupy the process.
 */
const FAILED_MS = 5;

interface Queue {
  running: number;
  /** Each function starts a call. */
  waiting: Set<() => void>;
  /** Time of the last call that the database served, by `performance.now()`. */
  servedAt: number;
}

/**
 * Runs at most two calls of a key at once, in the order of their arrival. The key is a workspace, or a client without
 * one. Lanes are not counted. A call that holds a turn must not wait for another.
 */
export class Gate {
  private readonly queues = new Map<number | string, Queue>();

  /** @throws the errors of `enter` and of `work` */
  async run<T>(key: number | string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(key);
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
   * @throws TooManyAtOnce if other calls of the key take too long; DatabaseUnavailable if the database serves none of
   *   them meanwhile
   */
  async enter(key: number | string): Promise<(error?: unknown) => void> {
    const queue = this.queues.get(key) ?? { running: 0, waiting: new Set(), servedAt: -Infinity };
    this.queues.set(key, queue);
    if (queue.running < CALLS_AT_ONCE) queue.running++;
    else await wait(queue, typeof key === 'number' ? 'workspace' : 'client');
    return (error) => {
      if (!(error instanceof DatabaseUnavailable)) queue.servedAt = performance.now();
      const pass = () => this.pass(key, queue);
      if (error === undefined) pass();
      // Looks for others in the next turn of the event loop: a call that is refused at once ends before they arrive.
      else
        setImmediate(() => {
          if (queue.waiting.size === 0) pass();
          else setTimeout(pass, FAILED_MS);
        });
    };
  }

  private pass(key: number | string, queue: Queue): void {
    const [next] = queue.waiting;
    if (next) next();
    else if (--queue.running === 0) this.queues.delete(key);
  }
}

/** Resolves when a call that ends hands its turn over. */
function wait(queue: Queue, whose: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const timer = setTimeout(() => {
      queue.waiting.delete(begin);
      const isServed = queue.servedAt >= since;
      reject(
        isServed
          ? new TooManyAtOnce(CALLS_AT_ONCE, `calls of the ${whose}`)
          : new DatabaseUnavailable(new Error(`not started within ${MAX_WAIT_MS} ms`)),
      );
    }, MAX_WAIT_MS);
    const begin = () => {
      clearTimeout(timer);
      queue.waiting.delete(begin);
      // Starts in another turn of the event loop: calls that are refused at once would take a whole one.
      setImmediate(resolve);
    };
    queue.waiting.add(begin);
  });
}
