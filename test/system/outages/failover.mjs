import { createServer } from 'node:http';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../lab/cluster.mjs';
import { HaProxy } from '../lab/haproxy.mjs';
import { serve, underLoad } from './under-load.mjs';

/** The time that a monitor of the databases needs to see that the primary is gone. */
const DETECTION_MS = 1000;
const SYNC_LIMIT_MS = 60_000;
const STEP_MS = 20;

/**
 * A primary and a standby that confirms every commit; HAProxy sends connections to whichever is the
 * primary. The primary is killed, the standby promoted.
 */
export async function failover() {
  const primary = await Cluster.create();
  const standby = await primary.createStandby();
  await primary.administer(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await primary.administer('SELECT pg_reload_conf()');
  await untilSynchronous(primary);
  const checks = await Promise.all([primary, standby].map(tellWhetherPrimary));
  try {
    const [one, other] = checks.map((check) => check.address().port);
    const leave = 'on-marked-down shutdown-sessions';
    const proxy = await HaProxy.start({
      mode: 'tcp',
      backend: ['option httpchk GET /primary'],
      servers: {
        one: { port: primary.port, options: `port ${one} ${leave}` },
        other: { port: standby.port, options: `port ${other} ${leave}` },
      },
    });
    await proxy.until('other', 'DOWN');
    const server = await serve(primary, primary.serviceEnv(proxy.port));
    let promotedMs = 0;
    const figures = await underLoad({ server, cluster: primary }, async () => {
      await primary.kill();
      await sleep(DETECTION_MS);
      const promoting = performance.now();
      await standby.administer('SELECT pg_promote()');
      const back = performance.now();
      promotedMs = back - promoting;
      return { back, survivor: standby };
    });
    return `${figures}; promoting took ${Math.round(promotedMs)} ms, ${DETECTION_MS} ms after the primary was killed`;
  } finally {
    for (const check of checks) check.close();
  }
}

async function untilSynchronous(primary) {
  const deadline = performance.now() + SYNC_LIMIT_MS;
  for (;;) {
    const sql = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`;
    if ((await primary.administer(sql)).length > 0) return;
    if (performance.now() > deadline) throw new Error('the standby does not follow');
    await sleep(STEP_MS);
  }
}

/** The check of HAProxy: 200 from the primary, 503 from a standby or when there is no response. */
async function tellWhetherPrimary(cluster) {
  const check = createServer((_request, response) => {
    cluster.administer('SELECT pg_is_in_recovery() AS standby').then(
      ([{ standby }]) => response.writeHead(standby ? 503 : 200).end(),
      () => response.writeHead(503).end(),
    );
  });
  await once(check.listen(0, '127.0.0.1'), 'listening');
  return check;
}
