import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until it is so.
 * @param seen what there is in its place, for the message
 * @throws with the text of the condition if it does not become so in time
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  limitMs = 30_000,
  seen: () => unknown = () => '',
): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (let pauseMs = 2; !(await isSo()); pauseMs = Math.min(2 * pauseMs, 20)) {
    if (performance.now() > deadline) {
      throw new Error(`not within ${limitMs} ms: ${String(isSo)} ${String(seen())}`);
    }
    await sleep(pauseMs);
  }
}

/** What `read` finds once it finds anything. @throws with the text of `read` if it finds nothing in time */
export async function soon<T>(read: () => Promise<T[]>): Promise<T[]> {
  let found: T[] = [];
  await until(
    async () => (found = await read()).length > 0,
    5000,
    () => read,
  );
  return found;
}
