import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, URL } from 'node:url';
import { figuresOf, settle, Violated } from '../lab/report.mjs';
import { buildRevision } from '../lab/revision.mjs';
import { Installation } from './installation.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/**
 * The schema, and the scopes that stored API tokens have: versions with both can be updated from one to the other. A
 * migration is added for a change, and altered only before it is published.
 */
const BASELINE = [
  'src/platform/database/migrations/create-schema',
  ':(glob)src/**/*.migration.ts',
  'src/core/user-group/user-group.catalogue.ts',
];
/** Migrations that this version has and the old one lacks, whatever those of the service itself are. */
const NEXT = { env: { PLUGINS: join(ROOT, 'test/system/lab/next-migrations.mjs') } };
const SIDE_BY_SIDE_MS = 1500;

/**
 * Replaces the replicas of an old version one by one by this one. The first brings the schema up to
 * date under load; the others serve on it, also one that is started on it, as in a roll-back.
 * @param mayLackHistory whether a clone without its history is no failure
 */
export async function upgradeEach({ mayLackHistory }) {
  if (mayLackHistory && isShallow()) return 'NOT CHECKED: this clone lacks the history';
  const revision = oldestWithThisSchema();
  const old = { entry: join(await buildRevision(revision), 'dist/src/main.js') };
  const installation = await Installation.start({}, old);
  const load = installation.load();
  try {
    for (const name of installation.names) {
      await sleep(SIDE_BY_SIDE_MS);
      await exchange(installation, name, NEXT);
      if (name === 'a') {
        await sleep(SIDE_BY_SIDE_MS);
        await exchange(installation, 'b', old);
      }
    }
    await sleep(SIDE_BY_SIDE_MS);
  } finally {
    load.over = true;
  }
  await settle(load, installation.cluster, installation.url);
  const sql = 'SELECT count(*)::integer AS applied FROM next_migration';
  const [{ applied }] = await installation.cluster.ledger.query(sql);
  if (applied === 0) throw new Violated(['there was nothing to migrate']);
  return (
    `from ${revision} by ${applied} migrations of a next version, ${figuresOf(load)}, no other ` +
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

/** The last commit that altered the baseline, from which every later version can be updated. */
function oldestWithThisSchema() {
  const args = ['-C', ROOT, 'log', '-1', '--diff-filter=M', '--format=%h', '--', ...BASELINE];
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function isShallow() {
  return existsSync(join(ROOT, '.git', 'shallow'));
}
