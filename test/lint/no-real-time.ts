// Cases that the rule `no-real-time` must report, and cases it must not.
import { setImmediate, setTimeout as wait } from 'node:timers/promises';

interface Matchers {
  toBeLessThan: (limit: number) => void;
  toBeGreaterThan: (limit: number) => void;
}

declare function expect(found: unknown): Matchers & { not: Matchers };
declare function sleep(ms: number): Promise<void>;
declare function passTime(ms: number): void;
declare function work(): Promise<number>;
declare function until(isSo: () => boolean): Promise<void>;

export async function waitsForATime(): Promise<void> {
  // eslint-disable-next-line local/no-real-time
  await wait(20);
  // eslint-disable-next-line local/no-real-time
  await sleep(20);
  // eslint-disable-next-line local/no-real-time
  await new Promise((resolve) => setTimeout(resolve, 20));
  // eslint-disable-next-line local/no-real-time
  globalThis.setTimeout(() => void work(), 20);
}

export async function comparesTimes(): Promise<void> {
  const began = performance.now();
  // eslint-disable-next-line local/no-real-time
  while (performance.now() < began + 1000) await work();
  // eslint-disable-next-line local/no-real-time
  expect(Date.now() - began).toBeLessThan(1000);
  // eslint-disable-next-line local/no-real-time
  expect(Math.ceil(Date.now() / 1000)).not.toBeGreaterThan(5);
  // eslint-disable-next-line local/no-real-time
  const tookMs = performance.now() - began;
  // eslint-disable-next-line local/no-real-time
  expect(began + 1000 - performance.now()).toBeLessThan(1000);
  // eslint-disable-next-line local/no-real-time
  expect(tookMs).toBeLessThan(1000);
  // eslint-disable-next-line local/no-real-time
  if (tookMs / 2 > 1000) await work();
}

export function setsAClockThatGoesOn(end: number): void {
  // eslint-disable-next-line local/no-real-time
  passTime(end - Date.now());
}

export async function waitsForAnEvent(isSo: () => boolean): Promise<object> {
  await until(isSo);
  await setImmediate();
  expect(await work()).toBeLessThan(3);
  setTimeout(() => void work(), 0);
  return {
    changedAt: performance.now(),
    expiresAt: Date.now() + 1000,
    yesterday: Date.now() - 86_400_000,
  };
}
