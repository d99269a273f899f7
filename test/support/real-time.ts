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
