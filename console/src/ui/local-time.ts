import { behindUtc, isUtc } from '../clock.ts';

/** A moment in the format of `datetime-local`: in the chosen zone, with seconds only if it has any. */
export function localOf(at: string | null): string {
  if (!at) return '';
  const moment = new Date(at);
  const local = new Date(moment.getTime() - behindUtc(moment) * 60_000).toISOString();
  return local.slice(0, moment.getSeconds() + moment.getMilliseconds() === 0 ? 16 : 23);
}

/** A time in the format of `datetime-local`: in the chosen zone, to the minute. */
export function localMinute(at: number): string {
  return localOf(new Date(at).toISOString()).slice(0, 16);
}

/** The moment that a field of `datetime-local` has; null if it is empty. */
export function momentOf(local: string): string | null {
  // An address may bring a time with an offset of its own.
  const isWithoutZone = !/(Z|[+-]\d\d:?\d\d)$/.test(local);
  const moment = new Date(isUtc() && isWithoutZone ? `${local}Z` : local);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** The name of the chosen zone: its offset is not the same all year. */
export function zone(): string {
  return isUtc() ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
