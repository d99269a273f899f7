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

/** What `read` finds once it finds anything, within some seconds. */
export async function soon<T>(read: () => Promise<T[]>): Promise<T[]> {
  const until = performance.now() + 5000;
  for (;;) {
    const found = await read();
    if (found.length > 0 || performance.now() > until) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
