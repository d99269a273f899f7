/**
 * Returns SQL for whether a stored time has come: the end of a lease or of a wait. A time further away than any of its kind
 * is that of a clock that was ahead, and has come as well.
 * @param longestMs the longest wait of this kind, in milliseconds
 * @param now the current time in milliseconds since 1970
 */
export function hasCome(column: string, longestMs: number, now = 'CAST(:now AS bigint)'): string {
  return `(${column} <= ${now} OR ${column} > ${now} + ${longestMs})`;
}
