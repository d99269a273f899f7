import { handled } from '../../common/handled.ts';

const AT_ONCE = 2;

/**
 * Yields what `work` makes of each item, in order and as soon as it is there; meanwhile it works on the
 * item behind it, if that has come. An error ends it once nothing is under way any more, and what was
 * made before it has been yielded.
 */
export async function* oneAhead<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const iterator = items[Symbol.asyncIterator]();
  const working: Promise<R>[] = [];
  let next: Promise<IteratorResult<T>> | undefined = handled(iterator.next());
  try {
    while (next || working.length > 0) {
      if (next && working.length < AT_ONCE && (await isFirst(next, working[0]))) {
        const arrived: IteratorResult<T> = await next;
        if (!arrived.done) void working.push(handled(work(arrived.value)));
        next = arrived.done ? undefined : handled(iterator.next());
      } else {
        yield await working[0]!;
        void working.shift();
      }
    }
  } finally {
    await Promise.allSettled(working);
    // Not awaited: it would wait for an item that may never come.
    if (iterator.return) void handled(iterator.return());
  }
}

/** Whether an item comes before the oldest work has ended; an error there waits for that work. */
async function isFirst(
  next: Promise<unknown>,
  oldest: Promise<unknown> | undefined,
): Promise<boolean> {
  if (!oldest) return true;
  const settled = (promise: Promise<unknown>, value: boolean) =>
    promise.then(
      () => value,
      () => false,
    );
  return Promise.race([settled(next, true), settled(oldest, false)]);
}
