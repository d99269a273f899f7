import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Bounds a test that fails, and says nothing about one that passes: a busy machine may take seconds for anything. */
const LIMIT_MS = 100_000;

/**
 * Waits until the condition is true. The longer that takes, the less often it looks: a condition that makes calls
 * then stays within their rate limit, and leaves the machine to what it waits for.
 * @param seen gives the state that the message shows
 * @throws with the text of the condition if it does not become true in time
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  seen: () => unknown = () => '',
): Promise<void> {
  const begun = performance.now();
  for (let pauseMs = 2; !(await isSo()); pauseMs *= 2) {
    const waitedMs = performance.now() - begun;
    if (waitedMs > LIMIT_MS) {
      throw new Error(`not within ${LIMIT_MS} ms: ${String(isSo)} ${String(seen())}`);
    }
    pauseMs = Math.min(pauseMs, 20 + waitedMs / 20);
    await sleep(pauseMs);
  }
}

/** The result of `read` once it is not empty. @throws with the text of `read` if it stays empty for too long */
export async function soon<T>(read: () => Promise<T[]>): Promise<T[]> {
  let found: T[] = [];
  await until(
    async () => (found = await read()).length > 0,
    () => read,
  );
  return found;
}

/**
 * The result of `read` once it is the wanted one, or one that an asymmetric matcher (`expect.stringContaining`) wants.
 * @throws with both if it does not become the wanted one in time
 */
export async function readUntil<T>(wanted: T, read: () => Promise<T>): Promise<T> {
  let found: T;
  await until(
    async () => isWanted((found = await read()), wanted),
    () => `wanted: ${inspect(wanted)}, found: ${inspect(found)}`,
  );
  return found!;
}

function isWanted(found: unknown, wanted: unknown): boolean {
  if (isMatcher(wanted)) return wanted.asymmetricMatch(found);
  if (!Array.isArray(wanted)) return JSON.stringify(found) === JSON.stringify(wanted);
  return (
    Array.isArray(found) &&
    found.length === wanted.length &&
    wanted.every((element, index) => isWanted(found[index], element))
  );
}

function isMatcher(wanted: unknown): wanted is { asymmetricMatch: (found: unknown) => boolean } {
  return typeof wanted === 'object' && wanted !== null && 'asymmetricMatch' in wanted;
}

/**
 * Asks all the time until the result is true.
 * @returns when the last question with another result was asked, by `performance.now()`: each that was asked later has
 *   the result. However long the machine holds up a question, this is no later than the service has known.
 * @throws with the text of the question if the result does not become true in time
 */
export async function lastAskedBefore(isSo: () => Promise<boolean>): Promise<number> {
  const deadline = performance.now() + LIMIT_MS;
  for (let last = -Infinity; ;) {
    const askedAt = performance.now();
    if (await isSo()) return last;
    last = askedAt;
    if (askedAt > deadline) throw new Error(`not within ${LIMIT_MS} ms: ${String(isSo)}`);
    await sleep(5);
  }
}

/** Waits until the clock shows a later time than this one: what happens afterwards has a later time, to the millisecond. */
export async function untilAfter(time = Date.now()): Promise<void> {
  while (Date.now() <= time) await sleep(1);
}
