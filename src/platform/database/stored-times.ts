import type { Dialect } from './dialect.ts';

/** Returns SQL for the time by the clock of the database, which all processes share; `:now` where it has none. */
export function databaseTime({ clock }: Dialect): string {
  return `CAST(${clock ?? ':now'} AS bigint)`;
}

/**
 * Returns SQL for whether a stored time has come: the end of a lease or of a wait. A time twice as far away as any of its
 * kind is that of a clock that was ahead, and has come as well. Within that, the clocks of processes may differ.
 * @param longestMs the longest wait of this kind, in milliseconds
 * @param now the current time in milliseconds since 1970
 */
export function hasCome(column: string, longestMs: number, now = 'CAST(:now AS bigint)'): string {
  return `(${column} <= ${now} OR ${column} > ${now} + ${2 * longestMs})`;
}
