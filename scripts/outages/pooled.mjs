import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../lab/cluster.mjs';
import { accepts, freePort, start, temporaryDirectory } from '../lab/processes.mjs';
import { backNow, serve, underLoad } from './under-load.mjs';

const POOL_SIZE = 4;
const AWAY_MS = 2000;
const STEP_MS = 20;

/**
 * PgBouncer in transaction mode between the service and PostgreSQL, with fewer connections than the
 * service has sessions; it is killed and started again under load.
 */
export async function pooled() {
  const cluster = await Cluster.create();
  const pooler = await preparePooler(cluster);
  let child = await pooler.start();
  const env = {
    ...cluster.serviceEnv(pooler.port),
    DATABASE_DIRECT_URL: cluster.serviceEnv().DATABASE_URL,
  };
  const server = await serve(cluster, env);
  return underLoad({ server, cluster }, async () => {
    child.kill('SIGKILL');
    await child.ended;
    await sleep(AWAY_MS);
    child = await pooler.start();
    return backNow();
  });
}

async function preparePooler({ port }) {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  const file = join(directory, 'pgbouncer.ini');
  const own = await freePort();
  writeFileSync(
    file,
    `[databases]
user_groups = host=127.0.0.1 port=${port} dbname=user_groups user=user_groups
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
`,
  );
  // It does not run as root.
  const asUser = process.getuid() === 0 ? ['-u', 'postgres'] : [];
  return {
    port: own,
    start: async () => {
      const child = start('pgbouncer', ['-q', ...asUser, file]);
      while (!(await accepts(own))) {
        if (child.exitCode !== null) throw new Error(`PgBouncer does not start: ${child.said}`);
        await sleep(STEP_MS);
      }
      return child;
    },
  };
}
