import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../lab/cluster.mjs';
import { backNow, serve, underLoad } from './under-load.mjs';

const AWAY_MS = 3000;
/** Longer than the service waits for any answer. */
const SILENT_MS = 6000;
const TERMINATIONS = 5;
const LOCKED_MS = 15_000;

/** Each on one PostgreSQL of its own, with one service. */
export const outages = {
  stop: on(async ({ cluster }) => {
    await cluster.stop();
    await sleep(AWAY_MS);
    await cluster.start();
  }),

  'kill -9': on(async ({ cluster }) => {
    await cluster.killPostmaster();
    await sleep(AWAY_MS);
    await cluster.start();
  }),

  halt: on(async ({ cluster }) => {
    cluster.pause();
    await sleep(SILENT_MS);
    cluster.resume();
  }),

  'connections ended': on(
    async ({ cluster }) => {
      for (let round = 0; round < TERMINATIONS; round++) {
        await endConnections(cluster);
        await sleep(AWAY_MS / TERMINATIONS);
      }
    },
    // Most connections are idle at that moment, and replaced before anyone is refused.
    { mustRefuse: false },
  ),

  'read-only': on(async ({ cluster }) => {
    await setReadOnly(cluster, 'on');
    await sleep(AWAY_MS);
    await setReadOnly(cluster, 'off');
  }),

  'no connections left': on(async ({ cluster }) => {
    const others = await takeEveryConnection(cluster);
    await sleep(AWAY_MS);
    await Promise.all(others.map((client) => client.end()));
  }),

  'a lock held': on(async ({ cluster }) => {
    const other = await cluster.connect();
    await other.query('BEGIN; LOCK TABLE user_group IN EXCLUSIVE MODE');
    await sleep(SILENT_MS);
    await other.query('ROLLBACK');
    await other.end();
  }),
};

/** Several times, since each finds the writes under way at another point. */
export function everyTableLocked(rounds) {
  return on(async ({ cluster }) => {
    const other = await cluster.connect();
    for (let round = 0; round < rounds; round++) {
      await lockEveryTable(other);
      await sleep(LOCKED_MS);
      await other.query('ROLLBACK');
      await sleep(AWAY_MS);
    }
    await other.end();
  });
}

/** Begins a transaction with the locks of a migration or of VACUUM FULL. */
const LOCK_EVERY_TABLE = `BEGIN;
  DO $$ BEGIN EXECUTE (SELECT format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', string_agg(oid::regclass::text, ', '))
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace); END $$`;

/** Repeats what a deadlock with the writes under way has ended. */
async function lockEveryTable(client) {
  for (;;) {
    try {
      return await client.query(LOCK_EVERY_TABLE);
    } catch (error) {
      if (error.code !== '40P01') throw error;
      await client.query('ROLLBACK');
    }
  }
}

function on(outage, limits) {
  return async () => {
    const cluster = await Cluster.create({ max_connections: 40 });
    const server = await serve(cluster);
    return underLoad(
      { server, cluster },
      async () => {
        await outage({ cluster });
        return backNow();
      },
      limits,
    );
  };
}

async function endConnections(cluster) {
  await cluster.administer(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'user_groups'`,
  );
}

async function setReadOnly(cluster, value) {
  await cluster.administer(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await cluster.administer('SELECT pg_reload_conf()');
}

/** Others take those of the service too, as soon as it loses them, and those kept for superusers. */
async function takeEveryConnection(cluster) {
  const others = [await cluster.connect('postgres')];
  const end = `SELECT count(pg_terminate_backend(pid))::integer AS ended FROM pg_stat_activity
    WHERE datname = 'user_groups'`;
  for (;;) {
    try {
      others.push(await cluster.connect('postgres'));
    } catch (error) {
      if (error.code !== '53300') throw error;
      const { rows } = await others[0].query(end);
      if (rows[0].ended === 0) return others;
    }
  }
}
