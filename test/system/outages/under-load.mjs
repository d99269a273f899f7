import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from '../lab/command.mjs';
import { startServer } from '../lab/server.mjs';
import { Load, ResilientClient } from '../lab/load.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { figuresOf, settle, Violated } from '../lab/report.mjs';
import { promisedMs } from '../lab/times.mjs';
import { EveryOperation } from './every-operation.mjs';

/** More than the service has connections. */
const CLIENTS = 16;
const WARM_MS = 1000;
const AFTER_MS = 500;
const RECOVERY_LIMIT_MS = 100_000;
/** The longest wait of a caller for a response, and for the first write after an outage. */
const SLOWEST_ANSWER_MS = promisedMs(5000);
const SLOWEST_RECOVERY_MS = promisedMs(2000);
/** More than an outage begins and ends, whatever it refuses. */
const MAX_LINES_OF_ONE_KIND = 20;

/** The service on this database, as a process, with a second workspace: `otherToken` has every scope of it. */
export async function serve(cluster, env = cluster.serviceEnv()) {
  const dir = temporaryDirectory();
  const server = await startServer({ dir, env });
  const cli = (...args) => runCli({ dir, env: cluster.serviceEnv() }, ...args);
  await cli('workspace', 'create', 'other');
  const issued = await cli(
    'token',
    'create',
    '--workspace',
    'other',
    '--name',
    'every operation',
    '--scopes',
    'all',
  );
  [server.otherToken] = /uga_\w+/.exec(issued);
  return server;
}

/**
 * Lets clients call the service while `outage` happens, and compares what they were told with the
 * database afterwards. Gives the figures.
 * @param outage resolves with the moment from which on the database is there again
 * @param longestRecoveryMs until the first write that is begun after that moment is acknowledged
 * @param mustRefuse whether the outage has not happened unless somebody was refused
 * @throws Violated
 */
export async function underLoad(
  { server, cluster },
  outage,
  { longestRecoveryMs = SLOWEST_RECOVERY_MS, mustRefuse = true } = {},
) {
  const clients = Array.from({ length: CLIENTS }, (_, index) => new ResilientClient(index + 1));
  const load = new Load(clients, { mayRefuse: true });
  const others = new EveryOperation(server.url, server.otherToken);
  load.start(server.url);
  others.start();
  let refusedBefore, surviving, recoveredMs;
  try {
    await sleep(WARM_MS);
    refusedBefore = load.refusals;
    const { back, survivor = cluster } = await outage();
    surviving = survivor;
    recoveredMs = (await load.firstWriteSince(back, RECOVERY_LIMIT_MS)) - back;
    await sleep(AFTER_MS);
  } finally {
    load.over = true;
    await others.stop();
  }
  const unknown = load.clients.flatMap((client) => client.unsettled).length;
  const applied = await settle(load, surviving, server.url);
  const violations = [
    ...others.faults,
    ...(refusedBefore > 0 ? [`${refusedBefore} calls were refused before the outage`] : []),
    ...(load.answered === 0 ? ['nothing was acknowledged at all'] : []),
    ...(mustRefuse && load.refusals === 0 ? ['nobody noticed the outage'] : []),
    ...[load, others]
      .filter(({ slowestMs }) => slowestMs > SLOWEST_ANSWER_MS)
      .map(({ slowest, slowestMs }) => `${slowest} took ${Math.round(slowestMs)} ms`),
    ...(recoveredMs > longestRecoveryMs ? [`the first write took ${recoveredMs} ms`] : []),
    ...(server.hasEnded ? ['the service has ended'] : []),
    ...Object.entries(server.complaints)
      .filter(([, lines]) => lines > MAX_LINES_OF_ONE_KIND)
      .map(([msg, lines]) => `the log says ${lines} times: ${msg}`),
  ];
  if (violations.length > 0) throw new Violated(violations);
  return (
    `${figuresOf(load)}; every operation ${JSON.stringify(others.statuses)}, ` +
    `slowest ${Math.round(others.slowestMs)} ms; first write ${Math.round(recoveredMs)} ms after the database was back; ` +
    `0 of the acknowledged writes lost, ${applied} of ${unknown} unacknowledged applied`
  );
}

/** The database is there from now on. */
export function backNow() {
  return { back: performance.now() };
}
