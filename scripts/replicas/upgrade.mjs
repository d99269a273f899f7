import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, URL } from 'node:url';
import { figuresOf, settle, Violated } from '../lab/report.mjs';
import { buildRevision } from '../lab/revision.mjs';
import { Installation } from './installation.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The last state before the first migration that an installation of it would have to run. */
const OLD_VERSION = 'bb682d7';
const SIDE_BY_SIDE_MS = 1500;

/**
 * Replaces the replicas of an old version one by one by this one. The first brings the schema up to
 * date under load; the others serve on it, also one that is started on it, as in a roll-back.
 * @param mayLackHistory whether a clone without its history is no failure
 */
export async function upgradeEach({ mayLackHistory }) {
  if (mayLackHistory && isShallow()) return `NOT CHECKED: ${OLD_VERSION} is not in this clone`;
  const old = { entry: join(await buildRevision(OLD_VERSION), 'dist/src/main.js') };
  const installation = await Installation.start({}, old);
  const before = await migrations(installation);
  // The old version has no introspection.
  const load = installation.load({ introspects: false });
  try {
    for (const name of installation.names) {
      await sleep(SIDE_BY_SIDE_MS);
      await exchange(installation, name, {});
      if (name === 'a') {
        await sleep(SIDE_BY_SIDE_MS);
        await exchange(installation, 'b', old);
      }
    }
    await sleep(SIDE_BY_SIDE_MS);
  } finally {
    load.over = true;
  }
  const after = await migrations(installation);
  await settle(load, installation.cluster, installation.url);
  if (after <= before) throw new Violated(['there was nothing to migrate']);
  return (
    `from ${OLD_VERSION} with ${before} migrations to ${after}, ${figuresOf(load)}, no other ` +
    'answer than 200; an old replica was also started on the new schema'
  );
}

/** Takes a replica out, ends it, and puts one of this version in its place. */
async function exchange(installation, name, version) {
  await installation.proxy.drain(name);
  const code = await installation.servers[name].stop();
  if (code !== 0) throw new Violated([`replica ${name} ended with ${code}`]);
  await installation.replace(name, version);
  await installation.proxy.admit(name);
}

async function migrations({ cluster }) {
  const sql = 'SELECT count(*)::integer AS applied FROM migration';
  const [{ applied }] = await cluster.ledger.query(sql);
  return applied;
}

function isShallow() {
  return existsSync(join(ROOT, '.git', 'shallow'));
}
