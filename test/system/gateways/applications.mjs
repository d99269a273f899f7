import { Buffer } from 'node:buffer';
import { existsSync, mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { requireVenv } from '../lab/packages.mjs';
import { freePort } from '../lab/ports.mjs';
import { run, start, temporaryDirectory } from '../lab/processes.mjs';
import { write } from '../renderers/gateways.mjs';
import { untilItAccepts } from '../renderers/protects.mjs';
import { settingsOf } from '../renderers/settings.mjs';
import { openSocket } from './web-socket.mjs';

const STREAMLIT = 'streamlit==1.40.2';
/** A `BackMsg` that wants the script to run, in the encoding of Streamlit's protocol. */
const RUN_SCRIPT = Buffer.from([0x5a, 0]);

const STEP_MS = 50;
/** A query that finds the rows long after they were written, too. */
export const SALES = '/api/v1/query?query=last_over_time(sales[1h])';

/** The rows of each group, and one that every filter hides. */
export const TENANTS = {
  acme: { source: 'warehouse-acme', region: 'EMEA', shows: 'Tents' },
  globex: { source: 'warehouse-globex', region: 'APAC', shows: 'Sensors' },
};
export const HIDDEN = 'Canary';
/**
 * Applications of docs/guides/gateways.md. Each starts on a port, and has `look`, which opens the application with headers
 * through a gateway: the status, what a viewer sees, and for WebSockets `again`, which has it shown once more.
 */
export const applications = {
  Shiny: {
    start: startShiny,
    look: (port, headers) =>
      lookThrough(port, '/websocket/', headers, {
        first: JSON.stringify({
          method: 'init',
          data: { '.clientdata_output_rows_hidden': false, again: 0 },
        }),
        again: JSON.stringify({ method: 'update', data: { again: 1 } }),
        shown: ['"values":'],
      }),
  },
  Streamlit: {
    start: startStreamlit,
    look: (port, headers) =>
      lookThrough(port, '/_stcore/stream', headers, {
        first: RUN_SCRIPT,
        again: RUN_SCRIPT,
        // The description of a table, or the fault of an application without a header.
        shown: ['pandas', 'KeyError'],
      }),
  },
};

/** @param messages those that show the rows and show them again, and parts of what the application says then */
async function lookThrough(port, path, headers, { first, again, shown }) {
  const { status, socket } = await openSocket(port, path, headers);
  if (!socket) return { status, seen: '' };
  socket.send(first);
  const seen = await socket.until(shown);
  const lookAgain = () => {
    socket.send(again);
    return socket.until(shown);
  };
  return { status, seen, again: lookAgain, ended: socket.ended, close: () => socket.close() };
}

async function startShiny() {
  const file = write('app.R', settingsOf('shiny.app', {}));
  for (const [id, { region, shows }] of Object.entries(TENANTS)) {
    const database = new Database(join(dirname(file), `${id}.db`));
    database.exec('CREATE TABLE sale (region, product)');
    const insert = database.prepare('INSERT INTO sale VALUES (?, ?)');
    insert.run(region, shows);
    insert.run('hidden', HIDDEN);
    database.close();
  }
  const port = await freePort();
  const call = `shiny::runApp(${JSON.stringify(file)}, port = ${port}, host = '127.0.0.1', launch.browser = FALSE)`;
  await untilItAccepts(start('Rscript', ['-e', call]), port);
  return `http://127.0.0.1:${port}`;
}

async function startStreamlit() {
  const tools = process.env.GATEWAY_TOOLS ?? temporaryDirectory();
  const python = join(tools, 'streamlit', 'bin', 'python');
  if (!existsSync(python)) {
    mkdirSync(tools, { recursive: true });
    requireVenv();
    await run('python3', ['-m', 'venv', join(tools, 'streamlit')]);
    await run(python, ['-m', 'pip', 'install', '--quiet', STREAMLIT]);
  }
  const port = await freePort();
  const settings = {
    'server.port': port,
    'server.address': '127.0.0.1',
    'server.headless': true,
    'server.fileWatcherType': 'none',
    'browser.gatherUsageStats': false,
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const file = write('app.py', settingsOf('streamlit', {}));
  const env = { ...process.env, HOME: temporaryDirectory() };
  await untilItAccepts(start(python, ['-m', 'streamlit', 'run', file, ...args], { env }), port);
  return `http://127.0.0.1:${port}`;
}

/** Starts a VictoriaMetrics for each data source. @returns the address of each, without a scheme */
export async function startMetrics() {
  const started = Object.values(TENANTS).map(async ({ source, region, shows }) => {
    const port = await freePort();
    const child = start('victoria-metrics', [
      `-httpListenAddr=127.0.0.1:${port}`,
      `-storageDataPath=${temporaryDirectory()}`,
      '-memory.allowedPercent=5',
      '-search.latencyOffset=0s',
    ]);
    await untilItAccepts(child, port);
    const rows = [
      `sales{region="${region}",product="${shows}"} 1`,
      `sales{region="hidden",product="${HIDDEN}"} 2`,
    ];
    await exchange(port, 'POST', '/api/v1/import/prometheus', {}, `${rows.join('\n')}\n`);
    await untilShown(port, [shows, HIDDEN]);
    return [source, `127.0.0.1:${port}`];
  });
  return Object.fromEntries(await Promise.all(started));
}

/** Rows are there some time after VictoriaMetrics has taken them. */
async function untilShown(port, texts) {
  for (;;) {
    await exchange(port, 'GET', '/internal/force_flush');
    const { seen } = await exchange(port, 'GET', SALES);
    if (texts.every((text) => seen.includes(text))) return;
    await sleep(STEP_MS);
  }
}

/** @returns the status and the body of a response */
export async function exchange(port, method, path, headers = {}, body = '') {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      text(response).then((seen) => resolve({ status: response.statusCode, seen }), reject);
    });
    outgoing.end(body);
  });
}
