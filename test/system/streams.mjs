import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import console from 'node:console';
import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { URL } from 'node:url';
import { parseArgs } from 'node:util';
import { importGroups, peakMemory } from './import/bulk.mjs';
import { Api } from './lab/api.mjs';
import { createPostgres } from './lab/databases.mjs';
import { freePort } from './lab/ports.mjs';
import { Violated, runSteps } from './lab/report.mjs';
import { API_TOKEN, endServers, startServer } from './lab/server.mjs';
import { promisedMs } from './lab/times.mjs';

// Shows what 200 event streams of one workspace do to the replica that serves them while another replica commits
// many changes: how long its event loop is held up, and how much memory it takes.
//
//   node test/system/streams.mjs [--events 20000]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

const { fetch } = globalThis;

/** With the one of a reader that has to be told of everything, as many as a workspace can have. */
const STREAMS = 199;
const STREAMS_OF_A_TOKEN = 50;
/** Beyond twice what a process that does nothing meets meanwhile: on a quiet machine that is next to nothing. */
const MAX_LAG_MS = promisedMs(100);
const MAX_MEMORY_MIB = 450;
const END_LIMIT_MS = 600_000;
/** The heap that V8 takes in a container of 512 MiB. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=256' };
/** Matches a type, and takes long to be compared with another. */
const SLOW_PATTERNS = Array.from({ length: 50 }, () => '*s*c*h*e*m*a*.*create').join(',');

const CHANGE = Buffer.from('event: change');

/** A reader that counts what it is told, and keeps nothing. */
class Reader {
  changes = 0;
  rest = Buffer.alloc(0);
  isOver = false;

  static open(url, apiToken, query, isRead) {
    const reader = new Reader();
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(`/api/v1/events/stream${query}`, url), {
        headers: { Authorization: `Token ${apiToken}` },
        agent: false,
      });
      outgoing.on('error', () => (reader.isOver = true));
      outgoing.on('response', (response) => {
        if (response.statusCode !== 200) reject(new Error(`a stream is ${response.statusCode}`));
        response.on('close', () => (reader.isOver = true));
        response.on('error', () => undefined);
        if (isRead) response.on('data', (bytes) => reader.read(bytes));
        reader.close = () => outgoing.destroy();
        resolve(reader);
      });
      outgoing.end();
    });
  }

  read(piece) {
    const bytes = Buffer.concat([this.rest, piece]);
    for (let at = bytes.indexOf(CHANGE); at >= 0; at = bytes.indexOf(CHANGE, at + 1)) {
      this.changes++;
    }
    this.rest = bytes.subarray(Math.max(0, bytes.length - CHANGE.length + 1));
  }
}

async function underStreams(count, { query = '', isRead = true, idOf }) {
  const database = await createPostgres(process.env.TEST_DATABASE_URL);
  try {
    const metricsPort = await freePort();
    const env = { ...database.env, ...HEAP, METRICS_PORT: String(metricsPort) };
    const serving = await startServer({ ...database, env });
    const writing = await startServer(database);
    const lag = () => longestLag(metricsPort);
    const tokens = await issueTokens(serving.url);
    const readers = await Promise.all(
      Array.from({ length: STREAMS }, (_, index) =>
        Reader.open(serving.url, tokens[index % tokens.length], query, isRead),
      ),
    );
    const witness = await Reader.open(serving.url, API_TOKEN, '', true);
    await sleep(1000);
    await lag();
    const idle = startIdle();
    const began = performance.now();
    await importGroups(writing.url, lines(count, idOf), count, 'created');
    const all = query === '' && isRead ? [...readers, witness] : [witness];
    while (all.some(({ changes }) => changes < count)) {
      if (serving.hasEnded) throw new Violated(['the process of the streams has ended']);
      if (all.some(({ isOver }) => isOver)) throw new Violated(['a reader that reads was cut']);
      if (performance.now() - began > END_LIMIT_MS) throw new Violated(['events are missing']);
      await sleep(20);
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const longest = await lag();
    const machine = await idle.longestLag();
    const memory = peakMemory(serving.child.pid) / 1024;
    for (const reader of [...readers, witness]) reader.close();
    const held = `the event loop was held up for ${longest} ms, that of an idle process for ${machine} ms`;
    if (longest > MAX_LAG_MS + 2 * machine) throw new Violated([held]);
    if (memory > MAX_MEMORY_MIB) throw new Violated([`it took ${memory.toFixed(0)} MiB`]);
    return `${count} events told in ${seconds} s, ${held}, ${memory.toFixed(0)} MiB at most`;
  } finally {
    await endServers();
    await database.drop();
  }
}

async function issueTokens(url) {
  const api = new Api(url);
  const tokens = [];
  while (tokens.length * STREAMS_OF_A_TOKEN < STREAMS) {
    const body = { name: 'streams', scopes: ['events:read'] };
    tokens.push((await api.send('POST', body, '/api/v1/api-tokens')).body.api_token.token);
  }
  api.close();
  return tokens;
}

/** Milliseconds since this was asked for the last time. */
async function longestLag(metricsPort) {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text);
  return Math.round(Number(seconds) * 1000);
}

/** A process that does nothing: what holds it up is the machine. */
function startIdle() {
  const program = `
    const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    process.stdin.resume().on('end', () => console.log(Math.round(delay.max / 1e6)));`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  return {
    longestLag: async () => {
      child.stdin.end();
      const [text] = await once(child.stdout, 'data');
      return Number(text);
    },
  };
}

function* lines(count, idOf = (number) => `group ${number}`) {
  for (let number = 1; number <= count; number++) {
    yield `${JSON.stringify({ user_group_id: idOf(number), name: 'Group' })}\n`;
  }
}

async function main() {
  const { values } = parseArgs({ options: { events: { type: 'string', default: '20000' } } });
  if (!process.env.TEST_DATABASE_URL) throw new Error('TEST_DATABASE_URL is not set');
  const count = Number(values.events);
  await runSteps({
    'patterns that match nothing': () => underStreams(count, { query: `?types=${SLOW_PATTERNS}` }),
    'readers that read': () => underStreams(count, {}),
    'readers that do not read': () =>
      underStreams(count, {
        isRead: false,
        idOf: (number) => `${'🚀'.repeat(247)}${String.fromCodePoint(0x10000 + number)}`,
      }),
  });
}

main().catch((error) => {
  console.error(`streams: ${error.message}`);
  process.exitCode = 1;
});
