import { setTimeout as sleep } from 'node:timers/promises';
import { URL } from 'node:url';
import { Cluster } from '../lab/cluster.mjs';
import { preparePgBouncer } from '../lab/pgbouncer.mjs';
import { accepts, freePort } from '../lab/ports.mjs';
import { start, temporaryDirectory } from '../lab/processes.mjs';
import { backNow, serve, underLoad } from './under-load.mjs';

const POOL_SIZE = 4;
const AWAY_MS = 2000;
const STEP_MS = 20;

/**
 * PgBouncer in transaction mode between the service and PostgreSQL, with fewer connections than the
 * service has sessions; it is killed and started again under load.
 */
export function pooled() {
  return throughPooler((cluster) => ({ DATABASE_DIRECT_URL: cluster.serviceEnv().DATABASE_URL }));
}

/** The same without a way past it. */
export function pooledAlone() {
  return throughPooler(() => ({}));
}

async function throughPooler(more) {
  const cluster = await Cluster.create();
  const pooler = await preparePooler(cluster);
  let child = await pooler.start();
  const env = { ...cluster.serviceEnv(pooler.port), ...more(cluster) };
  const server = await serve(cluster, env);
  return underLoad({ server, cluster }, async () => {
    child.kill('SIGKILL');
    await child.ended;
    await sleep(AWAY_MS);
    child = await pooler.start();
    return backNow();
  });
}

async function preparePooler(cluster) {
  const port = await freePort();
  const target = new URL(cluster.serviceEnv().DATABASE_URL);
  const args = preparePgBouncer(temporaryDirectory(), { port, target, poolSize: POOL_SIZE });
  return {
    port,
    start: async () => {
      const child = start('pgbouncer', args);
      while (!(await accepts(port))) {
        if (child.exitCode !== null) throw new Error(`PgBouncer does not start: ${child.said}`);
        await sleep(STEP_MS);
      }
      return child;
    },
  };
}
