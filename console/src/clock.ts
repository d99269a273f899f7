import { keptChoice } from './kept-choice.ts';

/** The zone in which times are shown and written. */
export const clock = keptChoice('console-clock', ['local', 'UTC']);

export const isUtc = () => clock.value === 'UTC';

/** Returns a formatter of times in the chosen zone. */
export function format(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  const local = new Intl.DateTimeFormat(undefined, options);
  const utc = new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' });
  return (at) => (isUtc() ? utc : local).format(at);
}

/** Returns how many minutes the chosen zone is behind UTC at a moment. */
export const behindUtc = (at: Date) => (isUtc() ? 0 : at.getTimezoneOffset());
