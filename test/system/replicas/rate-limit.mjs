import { performance } from 'node:perf_hooks';
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

/** One API token's limit, called through all replicas at once, which count in one Redis. */
export async function sharedLimit() {
  const installation = await Installation.start({
    REDIS_URL: await startRedis(),
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
  });
  const { servers, names, url } = installation;
  // With its first call a replica begins to connect to Redis, and counts for itself until it has.
  for (const name of names) {
    const { body } = await new Api(servers[name].url).send('GET', { user_group_id: 'nobody' });
    if (body.code !== 'user_group_not_found') throw new Error(`answered ${body.code}`);
    while (!servers[name].lastLines.some((line) => line.includes('shared through Redis'))) {
      await sleep(STEP_MS);
    }
  }
  const { body } = await new Api(servers.a.url).send(
    'POST',
    { name: 'limited', scopes: ['user-groups:read'] },
    '/api/v1/api-tokens',
  );
  const begun = performance.now();
  const statuses = await callAll(url, body.api_token.token);
  const refilled = Math.ceil(((performance.now() - begun) * LIMIT) / 60_000);
  const allowed = statuses.filter((status) => status === 404).length;
  const limited = statuses.filter((status) => status === 429).length;
  if (allowed < LIMIT || allowed > LIMIT + refilled || limited !== CALLS - allowed) {
    throw new Violated([`${allowed} of ${CALLS} calls were allowed and ${limited} refused`]);
  }
  return `of ${CALLS} calls through three replicas ${allowed} were allowed, ${limited} answered 429`;
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
