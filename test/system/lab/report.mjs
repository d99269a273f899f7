import { performance } from 'node:perf_hooks';
import console from 'node:console';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api.mjs';
import { verify } from '../durability/verify.mjs';
import { cleanUp, cleanUpNow } from './processes.mjs';

const QUIET_LIMIT_MS = 60_000;
const QUIET_STEP_MS = 20;
const MAX_LINES = 10;

/** Something that must hold does not. */
export class Violated extends Error {
  constructor(violations) {
    const more = violations.length - MAX_LINES;
    const lines = violations.slice(0, MAX_LINES);
    super([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n  '));
  }
}

/**
 * Runs the steps of a script and prints a line for each; a step gives its figures as a text, or throws. The exit code is
 * 1 if any step has failed. Nothing that was started is left, also on Ctrl-C.
 * @param steps functions by the name under which their figures are printed; each gets the number of its lane, whose
 * steps run one after the other
 * @param afterEach ends what a step has started; the end of the last step ends everything in any case
 * @param lanes the number of steps that run at once, in their order
 */
export async function runSteps(steps, afterEach = cleanUp, lanes = 1) {
  let interrupted = false;
  const interrupt = () => {
    interrupted = true;
    cleanUpNow();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  process.on('exit', cleanUpNow);
  const left = Object.entries(steps);
  const runLane = async (_, lane) => {
    for (let next = left.shift(); next && !interrupted; next = left.shift()) {
      const [name, step] = next;
      const startedAt = performance.now();
      try {
        const figures = await step(lane);
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        console.log(`${name}: ${figures} (${seconds} s)`);
      } catch (error) {
        if (interrupted) return;
        process.exitCode = 1;
        const what = error instanceof Violated ? 'VIOLATED' : 'FAILED';
        console.error(`${name}: ${what}: ${error.message || error.code}`);
      } finally {
        await afterEach();
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  await cleanUp();
  if (interrupted) process.exitCode = 130;
}

/** Ends a load and compares everything its clients know. @throws Violated */
export async function settle(load, cluster, url) {
  await load.stop();
  const { faults, clients } = load;
  await quiet(cluster);
  const api = new Api(url);
  try {
    const { applied, violations } = await verify(cluster.ledger, api, clients, false);
    if (faults.length + violations.length > 0) throw new Violated([...faults, ...violations]);
    return applied;
  } finally {
    api.close();
  }
}

/** PostgreSQL may still commit what it was sent by somebody who is gone. */
async function quiet(cluster) {
  const deadline = performance.now() + QUIET_LIMIT_MS;
  for (;;) {
    const [{ busy }] = await cluster.administer(
      `SELECT count(*)::integer AS busy FROM pg_stat_activity
       WHERE datname = 'user_groups' AND backend_type = 'client backend' AND state <> 'idle'`,
    );
    if (busy === 0) return;
    if (performance.now() > deadline) throw new Error(`${busy} transactions do not end`);
    await sleep(QUIET_STEP_MS);
  }
}

/** The responses to a load, for a line of figures. */
export function figuresOf({ answered, totals, refusals, cut, slowestMs }) {
  const writes = totals.creates + totals.writes + totals.rotations;
  const cuts = cut > 0 ? `, ${cut} cut` : '';
  return (
    `${answered} calls (${writes} writes) acknowledged, ${refusals} answered 503${cuts}, ` +
    `slowest ${Math.round(slowestMs)} ms`
  );
}
