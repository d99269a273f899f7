import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits by the real clock, where nothing else can show what is promised. The test must hold however much longer the wait
 * takes.
 * @param reason for the reader: the promise that needs the time
 */
export async function inRealTime(ms: number, reason: string): Promise<void> {
  if (reason === '') throw new Error('a wait has a reason');
  await sleep(ms);
}

/** Measures how long some work takes by the real clock, for tests that `LONG_TESTS` asks for on a machine of their own. */
export async function measuredMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
