import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, request as requestHttp } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import { URL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { promisedMs } from '../lab/times.mjs';
import { startKit, startRenderer } from './kit.mjs';
import { groupsOf } from './killed.mjs';
import { configOf, rendererWith } from './sabotage.mjs';

const MAX_RSS_MIB = 300;
const MAX_SECONDS = promisedMs(40_000) / 1000;
const GIVE_UP_MS = 300_000;
const LOOK_MS = 50;
const CHUNK = Buffer.alloc(1_000_000, 'x');
const BOMB = gzipSync(Buffer.alloc(500_000_000));
/** Ignores SIGTERM, and prints its process id. */
const STUBBORN =
  'process.on("SIGTERM", () => undefined); console.log("pid", process.pid); setInterval(() => {}, 1e6)';

/** Each renderer of these ends as a failed check, in bounded time and memory, with a report and without a group left. */
const RENDERERS = {
  'an endless response': () => served((response) => endless(response)),
  'a gzip bomb': () =>
    served((response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(BOMB)),
  'an endless command': () => commanded(['yes']),
  'a stubborn command': () => commanded([process.execPath, '-e', STUBBORN]),
};

/** @returns figures @throws Violated */
export async function boundsItsRenderers(service) {
  const figures = [];
  for (const [name, start] of Object.entries(RENDERERS)) {
    const { renderer, close } = await start();
    const config = { ...configOf(service, { proxy: undefined, log: 'none' }, false), renderer };
    const { code, stdout, stderr, rss, seconds } = await watched(config, []);
    await close();
    const left = await groupsOf(service);
    const isBounded = rss < MAX_RSS_MIB && seconds < MAX_SECONDS;
    if (code !== 1 || !stdout.includes('✗ baseline') || left.length > 0 || !isBounded) {
      const fact = `${name}: exit code ${code}, ${left.length} groups, ${rss} MiB, ${seconds} s`;
      throw new Violated([fact, stdout.slice(0, 500), stderr]);
    }
    figures.push(`${name} ${rss} MiB ${seconds} s`);
  }
  return figures.join(', ');
}

/** The service refuses each removal: the report is whole, and the outcome that of the checks. @throws Violated */
export async function reportsBeforeItRemoves(service) {
  const refusing = createServer((from, to) => {
    if (from.method === 'DELETE') {
      return to.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>away</h1>');
    }
    const { method, headers } = from;
    const onward = requestHttp(new URL(from.url, service.url), { method, headers }, (response) => {
      to.writeHead(response.statusCode, response.headers);
      response.pipe(to);
    });
    return from.pipe(onward);
  });
  await listening(refusing);
  const renderer = await startRenderer(service, rendererWith({}));
  try {
    const config = configOf({ url: addressOf(refusing) }, renderer, false, {
      groups_live_seconds: 60,
    });
    const file = join(temporaryDirectory(), 'report.xml');
    const args = ['--only', 'tenant-order', '--output', 'junit', '--to', file];
    const { code, stdout, stderr } = await watched(config, args);
    const report = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const isWhole =
      report.includes('tests="2" failures="0" errors="0"') && stdout.includes('2 passed, 0 failed');
    if (
      code !== 0 ||
      !isWhole ||
      !/^warning: .* 503 /m.test(stderr) ||
      stderr.includes('    at ')
    ) {
      throw new Violated([`exit code ${code}`, report, stdout, stderr]);
    }
    const none = await watched(config, [...args.slice(0, -1), '/nowhere/report.xml']);
    if (
      none.code !== 2 ||
      !none.stdout.includes('2 passed, 0 failed') ||
      !none.stderr.includes('--to: ENOENT')
    ) {
      throw new Violated([
        `a report that cannot be written: exit code ${none.code}`,
        none.stdout,
        none.stderr,
      ]);
    }
    return 'the report is whole';
  } finally {
    await renderer.stop();
    refusing.closeAllConnections();
    refusing.close();
  }
}

async function served(respond) {
  const server = createServer((request, response) => respond(response));
  await listening(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { renderer: { url: `${addressOf(server)}/{token}` }, close };
}

function commanded(command) {
  return { renderer: { command, stdin: '{token}', gives_up_seconds: 1 }, close: () => undefined };
}

function endless(response) {
  let isOpen = true;
  const send = () => {
    while (isOpen && response.write(CHUNK));
  };
  response.on('drain', send).on('close', () => (isOpen = false));
  send();
}

async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function addressOf(server) {
  return `http://127.0.0.1:${server.address().port}`;
}

/** Runs the kit. @returns its exit code, what it has said, its most memory and its time */
async function watched(config, args) {
  const began = performance.now();
  const { child, output } = startKit(config, args, { OTHER_API_TOKEN: 'none' });
  let rss = 0;
  const looking = setInterval(() => {
    const status = existsSync(`/proc/${child.pid}/status`)
      ? readFileSync(`/proc/${child.pid}/status`, 'utf8')
      : '';
    rss = Math.max(rss, Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024));
    if (performance.now() - began > GIVE_UP_MS) child.kill('SIGKILL');
  }, LOOK_MS);
  const [code] = await once(child, 'close');
  clearInterval(looking);
  return { code, rss, seconds: Math.round((performance.now() - began) / 1000), ...output };
}
