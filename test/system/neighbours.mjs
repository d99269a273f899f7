import { Buffer } from 'node:buffer';
import console from 'node:console';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { URL } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Api } from './lab/api.mjs';
import { runCli } from './lab/command.mjs';
import { createPostgres } from './lab/databases.mjs';
import { API_TOKEN, endServers, killServersNow, startServer } from './lab/server.mjs';
import { promisedMs, timesCount } from './lab/times.mjs';

// Shows that no operation of one workspace slows down another one: 400 parallel calls of each operation of openapi.json
// in turn, and what the look-ups of another workspace take meanwhile. A new operation is among them without being named here.
//
//   node test/system/neighbours.mjs [--short] [--only <part of "METHOD /path">]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

const PARALLEL = 400;
/** Bounds of the median of the other workspace's look-ups, the first as a multiple of what it is while nobody else calls. */
const MAX_FACTOR = 10;
const MAX_MS = 50;
/** A turn of the event loop and of this machine's two to four processes, which no multiple of half a millisecond describes. */
const TURN_MS = 25;
/** The work that the operation before has left behind ends meanwhile. */
const QUIET_MS = 500;
const LARGE_GROUPS = 200;
const HOUR_MS = 3_600_000;
const EVERY = 10;
const MAX_START_MS = 3000;
/** The machine may be busy with something else meanwhile. */
const TRIES = 6;
/** The refusal of a call that has waited for too long, which a busy machine may bring about. */
const TOO_LATE = 'database_unavailable';

/** Ends before the next call has arrived, so that no queue forms on its own. */
const REFUSED_AT_ONCE = {
  name: 'a number that cannot be',
  method: 'GET',
  path: '/api/v1/user-groups/acme-emea/versions/none',
};

/** A call for each operation, on what the workspace has. */
function callsOf({ paths, components }, things) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody }]) => {
      const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const schema = content && components.schemas[content.schema.$ref.split('/').at(-1)];
      const [, kind] = /^\/api\/v1\/([^/]+)\/\{id\}/.exec(path) ?? [];
      return {
        name: `${method.toUpperCase()} ${path}`,
        isLast: method === 'delete' || path.endsWith('/revoke'),
        method: method.toUpperCase(),
        path: path.replace('{id}', things[kind]).replace(/\{(generation|version)\}/, '1'),
        headers: mediaType && { 'Content-Type': mediaType },
        body: schema && JSON.stringify({ ...examplesOf(schema), ...things.bodies[path] }),
      };
    }),
  );
}

function examplesOf({ properties = {} }) {
  const given = Object.entries(properties).map(([name, { example, enum: one }]) => [
    name,
    example ?? one?.[0],
  ]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Runs in a thread of its own, so that it takes no time of who measures: 400 calls at once until it is told to end. */
function makeNoise({ url, token, call }) {
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const counts = {};
  let isOver = false;
  const callOnce = () =>
    new Promise((resolve) => {
      const headers = { Authorization: `Token ${token}`, ...call.headers };
      const body = Buffer.from(call.body ?? '');
      headers['Content-Length'] = body.length;
      const { method, path } = call;
      const outgoing = request(new URL(path, url), { method, agent, headers }, (response) => {
        if (Object.keys(counts).length === 0) parentPort.postMessage('begun');
        counts[response.statusCode] = (counts[response.statusCode] ?? 0) + 1;
        response.resume().on('close', resolve);
      });
      outgoing.on('error', resolve).end(body);
    });
  for (let n = 0; n < PARALLEL; n++) {
    void (async () => {
      while (!isOver) await callOnce();
    })();
  }
  parentPort.once('message', () => {
    isOver = true;
    parentPort.postMessage(counts);
    agent.destroy();
    parentPort.close();
  });
}

/** Look-ups of the other workspace, one after the other; now and then another call. */
async function measure(api, milliseconds) {
  const latencies = [];
  const refused = [];
  const until = performance.now() + milliseconds;
  for (let n = 0; performance.now() < until || n < EVERY; n++) {
    const started = performance.now();
    const answer = await api.send('GET', { user_group_id: 'theirs' });
    latencies.push(performance.now() - started);
    const others =
      n % EVERY === 0
        ? [
            await api.send('PUT', { user_group_id: 'theirs', name: `renamed ${n}` }),
            await api.send('GET', {}, '/api/v1/user-groups'),
          ]
        : [];
    for (const { status, body } of [answer, ...others]) {
      if (status !== 200) refused.push(body.code);
    }
  }
  latencies.sort((one, other) => one - other);
  return { median: latencies[Math.floor(latencies.length / 2)], refused };
}

async function check(url, other, call, milliseconds) {
  await sleep(QUIET_MS);
  const { median: alone } = await measure(other, milliseconds / 4);
  const workerData = { url, token: API_TOKEN, call };
  const noise = new Worker(new URL(import.meta.url), { workerData });
  await Promise.race([once(noise, 'message'), sleep(MAX_START_MS)]);
  const { median, refused } = await measure(other, milliseconds);
  noise.postMessage('end');
  const [counts] = await once(noise, 'message');
  await noise.terminate();
  const factor = median / alone;
  const answered = Object.entries(counts).map(([status, count]) => `${status}: ${count}`);
  console.log(
    `${call.name.padEnd(64)} ${alone.toFixed(1)} → ${median.toFixed(1)} ms (× ${factor.toFixed(1)})  ${answered.join(', ')}`,
  );
  return [
    ...(refused.some((code) => timesCount || code !== TOO_LATE)
      ? [`${call.name}: the other workspace was refused ${refused.length} calls: ${refused[0]}`]
      : []),
    ...(median > promisedMs(Math.min(MAX_MS, Math.max(MAX_FACTOR * alone, TURN_MS)))
      ? [`${call.name}: × ${factor.toFixed(1)}, ${median.toFixed(0)} ms`]
      : []),
  ];
}

/** Fills the noisy workspace. Returns the ids to call with. */
async function fill(api) {
  const create = async (path, body) => {
    const { status, body: answer } = await api.send('POST', body, path);
    if (status > 202) throw new Error(`${path} was answered ${answer.code}`);
    return Object.values(answer).find((value) => typeof value === 'object').id;
  };
  const registered = { provided_id: 'own', name: 'Own' };
  const text = 'x'.repeat(15_000);
  for (let n = 0; n < LARGE_GROUPS; n++) {
    await api.send('PUT', { user_group_id: `large ${n}`, name: 'Large', properties: { text } });
  }
  const { body } = await api.send('PUT', { user_group_id: 'acme-emea', name: 'Acme' });
  const current_token = body.user_group.token;
  // The body has one of several actions; each has fields of its own.
  const action = {
    action: 'suspend',
    all: undefined,
    grace_period_seconds: undefined,
    issued_before: undefined,
  };
  return {
    'user-groups': 'acme-emea',
    schemas: await create('/api/v1/schemas', registered),
    'data-sources': await create('/api/v1/data-sources', registered),
    'api-tokens': await create('/api/v1/api-tokens', { name: 'Own', scopes: ['user-groups:read'] }),
    'bulk-jobs': await create('/api/v1/bulk-jobs', { action: 'rotate', ids: ['acme-emea'] }),
    'webhook-endpoints': await create('/api/v1/webhook-endpoints', {
      url: 'https://example.invalid/',
      event_types: ['*'],
    }),
    bodies: {
      '/api/user': { current_token, user_group_id: 'acme-emea' },
      '/api/v1/introspect': { token: current_token },
      '/api/v1/user-groups/actions': action,
      '/api/v1/bulk-jobs': action,
      // The body has either an event, or a time.
      '/api/v1/webhook-endpoints/{id}/replay': {
        event_id: undefined,
        from: new Date(Date.now() - HOUR_MS).toISOString(),
        to: undefined,
      },
    },
  };
}

async function run() {
  const { values } = parseArgs({
    options: { short: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
  });
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (!adminUrl) throw new Error('TEST_DATABASE_URL is not set');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, killServersNow);
  const database = await createPostgres(adminUrl);
  try {
    const env = { ...database.env, WEBHOOK_DELIVERY: 'off', LOG_LEVEL: 'warn' };
    const server = await startServer({ ...database, env });
    await runCli({ ...database, env }, 'workspace', 'create', 'other');
    const printed = await runCli(
      { ...database, env },
      'token',
      'create',
      '--workspace',
      'other',
      '--name',
      'other',
    );
    const [otherToken] = /uga_[\w-]+/.exec(printed);
    const other = new Api(server.url, otherToken);
    const noisy = new Api(server.url);
    await other.send('PUT', { user_group_id: 'theirs', name: 'Theirs' });
    const document = JSON.parse(
      readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
    );
    const found = callsOf(document, await fill(noisy)).filter(({ name }) =>
      name.includes(values.only),
    );
    // Operations that end or remove something go last.
    const calls = [
      REFUSED_AT_ONCE,
      ...found.filter(({ isLast }) => !isLast),
      ...found.filter(({ isLast }) => isLast),
    ];
    const failures = [];
    for (const call of calls) {
      let failed = [];
      for (let tries = 0; tries < TRIES && (tries === 0 || failed.length > 0); tries++) {
        failed = await check(server.url, other, call, values.short ? 600 : 4000);
      }
      failures.push(...failed);
    }
    if (server.hasEnded) throw new Error('the server has ended');
    if (failures.length > 0) throw new Error(`\n  ${failures.join('\n  ')}`);
    console.log(
      `${calls.length} operations, each 400 times at once: the other workspace was served.`,
    );
    other.close();
    noisy.close();
  } finally {
    await endServers();
    await database.drop();
  }
}

if (isMainThread) {
  run().catch((error) => {
    console.error(`neighbours: ${error.message}`);
    process.exitCode = 1;
  });
} else {
  makeNoise(workerData);
}
