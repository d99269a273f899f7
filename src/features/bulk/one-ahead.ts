import { handled } from '../../platform/common/concurrency/handled.ts';

/**
 * Yields the result of `work` for each item, in order and as soon as it is ready, while it works on the next item if
 * that has arrived. An error ends it once all work has ended and all results before it have been yielded.
 * @param atOnce the most items that are worked on at the same time
 */
export async function* oneAhead<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  atOnce = 2,
): AsyncGenerator<R> {
  const iterator = items[Symbol.asyncIterator]();
  const working: Promise<R>[] = [];
  let next: Promise<IteratorResult<T>> | undefined = handled(iterator.next());
  try {
    while (next || working.length > 0) {
      if (next && working.length < atOnce && (await isFirst(next, working[0]))) {
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
    // Does not await it, because the item may never come.
    if (iterator.return) void handled(iterator.return());
  }
}

/** Tells whether an item arrives before the oldest work ends; an error of the iterator waits for that work. */
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
