import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../lab/api.mjs';
import { accepts, freePort } from '../lab/ports.mjs';
import { start } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { Installation } from './installation.mjs';

const LIMIT = 60;
const CALLS = 150;
const PARALLEL = 6;
const STEP_MS = 20;
const CONNECT_EVERY_MS = 1000;

/** One API token's limit, called through all replicas at once, which count in one Redis. */
export async function sharedLimit() {
  const { servers, url } = await Installation.start({
    REDIS_URL: await startRedis(),
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
  });
  const counters = Object.values(servers).map(followCounting);
  for (;;) {
    for (const counter of counters) await untilShared(counter);
    const before = outagesOf(counters);
    const { allowed, limited, refilled } = await measure(servers.a, url);
    // A replica counts alone if the machine holds up Redis for 100 ms, as it says: this shows nothing of a shared limit.
    if (outagesOf(counters) > before) continue;
    if (allowed < LIMIT || allowed > LIMIT + refilled || limited !== CALLS - allowed) {
      throw new Violated([`${allowed} of ${CALLS} calls were allowed and ${limited} refused`]);
    }
    return `of ${CALLS} calls through three replicas ${allowed} were allowed, ${limited} answered 429`;
  }
}

/** Follows whether a replica counts in Redis, which it logs at each change. */
function followCounting({ url, child }) {
  const counter = { url, isShared: false, outages: 0 };
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.includes('rate limits are')) return;
    counter.isShared = line.includes('shared through Redis');
    if (!counter.isShared) counter.outages++;
  });
  return counter;
}

function outagesOf(counters) {
  return counters.reduce((sum, { outages }) => sum + outages, 0);
}

/** A call makes a replica connect to Redis, at most once a second; until then it counts for itself. */
async function untilShared(counter) {
  const api = new Api(counter.url);
  for (let nextAt = 0; !counter.isShared; await sleep(STEP_MS)) {
    if (performance.now() < nextAt) continue;
    const { body } = await api.send('GET', { user_group_id: 'nobody' });
    if (body.code !== 'user_group_not_found') throw new Error(`answered ${body.code}`);
    nextAt = performance.now() + CONNECT_EVERY_MS;
  }
  api.close();
}

async function measure(replica, url) {
  const { body } = await new Api(replica.url).send(
    'POST',
    { name: 'limited', scopes: ['user-groups:read', 'user-group-tokens:read'] },
    '/api/v1/api-tokens',
  );
  const begun = performance.now();
  const statuses = await callAll(url, body.api_token.token);
  // Lets the lines arrive that the replicas have logged before they responded.
  await sleep(STEP_MS);
  const refilled = Math.ceil(((performance.now() - begun) * LIMIT) / 60_000);
  const allowed = statuses.filter((status) => status === 404).length;
  const limited = statuses.filter((status) => status === 429).length;
  return { allowed, limited, refilled };
}

async function callAll(url, token) {
  const statuses = [];
  const client = async () => {
    const api = new Api(url, token);
    for (let call = 0; call < CALLS / PARALLEL; call++) {
      statuses.push((await api.send('GET', { user_group_id: 'nobody' })).status);
    }
    api.close();
  };
  await Promise.all(Array.from({ length: PARALLEL }, client));
  return statuses;
}

async function startRedis() {
  const port = await freePort();
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = start('redis-server', ['--port', String(port), ...options]);
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`Redis does not start: ${child.said}`);
    await sleep(STEP_MS);
  }
  return `redis://127.0.0.1:${port}`;
}
