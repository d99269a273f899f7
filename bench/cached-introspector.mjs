import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { CachedIntrospector } from '../dist/clients/typescript/cached-introspector.js';
import { cleanUp, temporaryDirectory } from '../test/system/lab/processes.mjs';
import { API_TOKEN, startServer } from '../test/system/lab/server.mjs';

// How many introspections a second a renderer's process is answered, from memory and by asking: one
// process, as many tokens in turn, and a service on SQLite beside it.
//
//   npm run build && node bench/cached-introspector.mjs

const { URL, fetch } = globalThis;
const TOKENS = 5000;
const CALLERS = 64;
const MEASURED_MS = 5000;

try {
  const dir = temporaryDirectory();
  const { url } = await startServer({ dir, env: { DATA_DIR: dir } });
  const baseUrl = new URL(url).origin;
  const tokens = await importGroups(baseUrl);
  const introspector = new CachedIntrospector({ baseUrl, apiToken: API_TOKEN });
  await fill(introspector, tokens);
  const heapBefore = process.memoryUsage().heapUsed;
  report('from memory', await rateOf(introspector, tokens), introspector.counts);
  console.log(`heap ${Math.round(heapBefore / 1024 ** 2)} MiB`);
  introspector.close();
  report('by asking', await rateOf(introspector, tokens), introspector.counts);
} finally {
  await cleanUp();
}

async function importGroups(baseUrl) {
  const tokens = Array.from({ length: TOKENS }, (_, index) => `token-of-group-number-${index}`);
  const lines = tokens.map((token, index) => {
    const properties = { region: 'EMEA', seats: index };
    return JSON.stringify({
      user_group_id: `g${index}`,
      name: `Group ${index}`,
      token,
      properties,
    });
  });
  const response = await fetch(`${baseUrl}/api/v1/user-groups/import`, {
    method: 'POST',
    headers: { Authorization: `Token ${API_TOKEN}`, 'Content-Type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  const answer = await response.text();
  if (!response.ok || !answer.includes(`"created":${TOKENS}`)) throw new Error(answer.slice(-300));
  return tokens;
}

/** Asks for every token until each is answered from memory. */
async function fill(introspector, tokens) {
  const { counts } = introspector;
  for (let before = -1; counts.asked !== before;) {
    before = counts.asked;
    while (!introspector.isCurrent) await setImmediate();
    await Promise.all(shares(tokens).map((share) => askAll(introspector, share)));
  }
}

async function askAll(introspector, tokens) {
  for (const token of tokens) {
    if (!(await introspector.introspect(token)).active) throw new Error('a token is not active');
  }
}

async function rateOf(introspector, tokens) {
  let answers = 0;
  const began = performance.now();
  const until = began + MEASURED_MS;
  const callers = shares(tokens).map(async (share) => {
    while (performance.now() < until) {
      await askAll(introspector, share);
      answers += share.length;
      // What the service says of changes has to be read as well.
      await setImmediate();
    }
  });
  await Promise.all(callers);
  return (answers / (performance.now() - began)) * 1000;
}

function shares(tokens) {
  return Array.from({ length: CALLERS }, (_, index) =>
    tokens.filter((_token, place) => place % CALLERS === index),
  );
}

function report(name, rate, { remembered, asked }) {
  console.log(`${name}: ${Math.round(rate)} a second (remembered ${remembered}, asked ${asked})`);
}
