/**
 * SQL for PostgreSQL's snapshots: which transactions a statement sees. A snapshot has seen every number
 * below its `xmax` but for those in its list, which were under way.
 */

/** The first number that a snapshot has not seen given out. */
export const xmaxOf = (snapshot: string) =>
  `CAST(CAST(pg_snapshot_xmax(${snapshot}) AS text) AS bigint)`;

/** The numbers below it that had not ended. */
export const openIn = (snapshot: string) =>
  `CAST(CAST(pg_snapshot_xip(${snapshot}) AS text) AS bigint)`;

/**
 * Identifies the server by which a snapshot means something: it differs after a restart, a crash (which
 * does away with the statistics), a failover, and for another table. A standby does not tell the
 * position in its log, but fails.
 */
export const SERVER = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
  left(pg_walfile_name(pg_current_wal_lsn()), 8), CAST('change_event' AS regclass)::oid,
  (SELECT oid FROM pg_database WHERE datname = current_database()))`;

/** A snapshot in parts. */
export interface Snapshot {
  xmax: number;
  open: number[];
}

/** @param text as PostgreSQL spells it: `xmin:xmax:open,open` */
export function parseSnapshot(text: string): Snapshot {
  const [, xmax, open = ''] = text.split(':');
  return { xmax: Number(xmax), open: open === '' ? [] : open.split(',').map(Number) };
}

export function snapshotText({ xmax, open }: Snapshot): string {
  return `${Math.min(xmax, ...open)}:${xmax}:${open.join(',')}`;
}
