/**
 * SQL for PostgreSQL's snapshots. A snapshot sees every transaction number below its `xmax`, except for those in its
 * list, which were open.
 */

/** The first number that was not assigned yet. */
export const xmaxOf = (snapshot: string) =>
  `CAST(CAST(pg_snapshot_xmax(${snapshot}) AS text) AS bigint)`;

/** The numbers below it of open transactions. */
export const openIn = (snapshot: string) =>
  `CAST(CAST(pg_snapshot_xip(${snapshot}) AS text) AS bigint)`;

/**
 * Identifies the server on which a snapshot is valid: it differs after a restart, a crash (which resets the
 * statistics), a failover, and for another table. Fails on a standby, which does not know the position in its log.
 */
export const SERVER = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
  left(pg_walfile_name(pg_current_wal_lsn()), 8), CAST('change_event' AS regclass)::oid,
  (SELECT oid FROM pg_database WHERE datname = current_database()))`;

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
