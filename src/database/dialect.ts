import type { DataSourceOptions } from 'typeorm';

/** What the two databases spell differently; nothing else in the service knows which one it is on. */
export interface Dialect {
  /** Suffix that locks the selected rows of `alias` against other writers until the transaction ends. */
  lockRows: (alias: string) => string;
  /** Aggregate that collects its argument over all rows into one JSON array. */
  jsonArrayOf: string;
  /** Function that makes one JSON array of its arguments. */
  jsonArray: string;
  /** Column type of raw bytes. */
  binaryType: 'bytea' | 'blob';
  /** Placeholder of the n-th value, counted from 1. */
  placeholder: (n: number) => string;
}

const postgres: Dialect = {
  // Not FOR UPDATE: that would also wait for rows which merely refer to the locked one.
  lockRows: (alias) => `FOR NO KEY UPDATE OF ${alias}`,
  jsonArrayOf: 'json_agg',
  jsonArray: 'json_build_array',
  binaryType: 'bytea',
  placeholder: (n) => `$${n}`,
};

const sqlite: Dialect = {
  // A transaction holds the write lock of the whole database from its first statement.
  lockRows: () => '',
  jsonArrayOf: 'json_group_array',
  jsonArray: 'json_array',
  binaryType: 'blob',
  placeholder: () => '?',
};

export function dialectOf(options: DataSourceOptions): Dialect {
  return options.type === 'postgres' ? postgres : sqlite;
}
