import Sqlite from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { URL } from 'node:url';
import pg from 'pg';
import { keyList } from './keys.mjs';

const ENCRYPTION_KEYS = keyList('k1');
const END_LIMIT_MS = 60_000;
const END_STEP_MS = 10;

// A database here is: the directory and the variables a server needs to use it, `query`, which
// reads it past the server, `damage`, which lists what the database itself finds wrong, and
// `connections` and `ended`, by which one waits until what a killed server had begun is over.

/** @param parent the directory in which its own is made */
export async function createSqlite(parent = tmpdir()) {
  const dir = createDir(parent);
  const query = async (sql) => {
    const file = new Sqlite(join(dir, 'user-groups.sqlite'), { readonly: true });
    try {
      return file.prepare(sql).all();
    } finally {
      file.close();
    }
  };
  return {
    dir,
    env: { DATA_DIR: dir },
    query,
    damage: async () => {
      const findings = (await query('PRAGMA integrity_check')).map((row) => row.integrity_check);
      const orphans = await query('PRAGMA foreign_key_check');
      return [
        ...findings.filter((finding) => finding !== 'ok'),
        ...orphans.map(({ table, rowid }) => `row ${rowid} of ${table} refers to nothing`),
      ];
    },
    // A transaction on SQLite ends with its process.
    connections: async () => [],
    ended: async () => undefined,
    drop: async () => removeDir(dir),
  };
}

/** @param {string} [template] the name of a database that nobody is connected to, to begin with a copy of it */
export async function createPostgres(adminUrl, template = 'template1') {
  const name = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
  await queryPostgres(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return postgresAt(adminUrl, name);
}

/** The database of this name, which is there. */
export function postgresAt(adminUrl, name) {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const dir = createDir();
  const query = (sql, values) => queryPostgres(url.href, sql, values);
  return {
    dir,
    env: { DATA_DIR: dir, DATABASE_URL: url.href, TOKEN_ENCRYPTION_KEYS: ENCRYPTION_KEYS },
    query,
    damage: async () => [],
    connections: async () => {
      const rows = await query(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND backend_type = 'client backend'`,
      );
      return rows.map(({ pid }) => pid);
    },
    ended: (pids) => waitUntilEnded(query, pids),
    drop: async () => {
      removeDir(dir);
      await queryPostgres(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** PostgreSQL may still commit what the killed server had sent; until then nothing can be compared. */
async function waitUntilEnded(query, pids) {
  const deadline = Date.now() + END_LIMIT_MS;
  for (;;) {
    const sql = 'SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::integer[])';
    if ((await query(sql, [pids])).length === 0) return;
    if (Date.now() > deadline) throw new Error('PostgreSQL keeps connections of a killed server');
    await sleep(END_STEP_MS);
  }
}

/**
 * Runs one statement on a connection of its own.
 * @param {string} url of the database
 * @param {string} sql
 * @param {unknown[]} [values]
 * @returns {Promise<any[]>} the rows
 */
export async function queryPostgres(url, sql, values) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 100_000 });
  // Without a listener a connection that breaks later would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function createDir(parent = tmpdir()) {
  return mkdtempSync(join(parent, 'user-groups-durability-'));
}

function removeDir(dir) {
  rmSync(dir, { recursive: true, force: true });
}
