import { setTimeout as sleep } from 'node:timers/promises';

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5000;

/**
 * Repeats attempts until the signal aborts, with growing pauses while they fail.
 * @param attempt resolves, when its connection is lost or the signal aborts, to whether it ever succeeded; never
 *   rejects
 */
export async function keepReconnecting(
  signal: AbortSignal,
  attempt: () => Promise<boolean>,
): Promise<void> {
  let pause = MIN_PAUSE_MS;
  do {
    const hasSucceeded = await attempt();
    pause = hasSucceeded ? MIN_PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS);
  } while (await rest(pause * (0.5 + Math.random()), signal));
}

/** Sleeps, and resolves to true; to false, at once, when the signal aborts. */
export async function rest(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}
