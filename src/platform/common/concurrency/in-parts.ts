import { setImmediate } from 'node:timers/promises';

const AT_ONCE = 50;

/** Returns the results of `work` for each part of the items, in order; lets other work of the process run in between. */
export async function inParts<T, R>(
  items: readonly T[],
  work: (part: T[]) => R[] | Promise<R[]>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    if (from > 0) await setImmediate();
    results.push(...(await work(items.slice(from, from + AT_ONCE))));
  }
  return results;
}
