/** The largest time by which a clock may go back; beyond it, it is not believed. */
const TOLERANCE_MS = 100;

/** A moment by both clocks: one may stand still while the machine sleeps, the other can be set. */
export interface Moment {
  /** The value of `performance.now()`. */
  monotonic: number;
  /** The value of `Date.now()`. */
  wall: number;
}

export function now(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Whether less than `ms` have passed since the moment, by both clocks; never of a moment that is still to come. */
export function isWithin(ms: number, since: Moment, until = now()): boolean {
  const steady = until.monotonic - since.monotonic;
  const told = until.wall - since.wall;
  return steady < ms && told < ms && steady > -TOLERANCE_MS && told > -TOLERANCE_MS;
}
