import { TokenBuckets } from '../../../src/platform/common/concurrency/token-buckets.ts';
import { databaseClock } from '../../../src/platform/common/time.ts';
import { SweepTime } from '../../../src/platform/database/upkeep/sweep-time.ts';

const NEITHER_CLOCK_NOR_TIMEOUT = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
] as const;

/** For `doNotFake` of fake timers: what only waits for a time is faked, and time itself goes on. */
export const ALL_BUT_TIMEOUTS = [...NEITHER_CLOCK_NOR_TIMEOUT, 'Date'] as const;

/** For `doNotFake`: what time it is can be set, and goes on from there; what waits is not faked. */
export const ALL_BUT_THE_CLOCK = [
  ...NEITHER_CLOCK_NOR_TIMEOUT,
  'setTimeout',
  'clearTimeout',
] as const;

/**
 * Stops the time by which the service limits how long a call waits, for the rest of the test: calls that are many for a
 * busy machine are all served.
 */
export function stopTimeLimits(): void {
  const faked: readonly string[] = ['performance'];
  const now = performance.now();
  jest.useFakeTimers({ doNotFake: ALL_BUT_TIMEOUTS.filter((name) => !faked.includes(name)) });
  // A faked clock begins at 0, and a clock that goes back would empty the room of the rate limits.
  jest.advanceTimersByTime(now);
}

/** Moves the clock forward for the rest of the test. Timers wait no less. */
export function passTime(ms: number): void {
  jest.useFakeTimers({ now: Date.now() + ms, doNotFake: [...ALL_BUT_THE_CLOCK] });
  passed += ms;
  // Nobody sets its clock.
  filling ??= jest
    .spyOn(TokenBuckets.prototype, 'now')
    .mockImplementation(() => performance.now() + passed);
}

/** Stops the clock for the rest of the test: nothing is due, and nothing ends, before `passTime`. */
export function stopTime(): void {
  passTime(0);
}

/** Sets the clock to a time, in milliseconds or as an ISO text, and stops it there for the rest of the test. */
export function goTo(time: number | string): void {
  stopTime();
  const ms = new Date(time).getTime() - Date.now();
  passTime(ms);
}

let hearing: jest.SpyInstance;
let filling: jest.SpyInstance | undefined;
let passed = 0;

beforeEach(() => {
  // PostgreSQL would tell the time that the test has changed.
  hearing = jest.spyOn(databaseClock, 'hear').mockImplementation(() => undefined);
  // Meanwhile the time would have passed hour by hour.
  jest.spyOn(SweepTime.prototype, 'reach').mockImplementation(() => Promise.resolve(Date.now()));
});

afterEach(() => {
  jest.useRealTimers();
  hearing.mockRestore();
  filling?.mockRestore();
  filling = undefined;
  passed = 0;
});
