import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSocket } from '../gateways/web-socket.mjs';
import { Violated } from '../lab/report.mjs';
import { configuration, createGroup, HIDDEN, PRODUCTS, startCube, TENANTS } from './scene.mjs';

const STEP_MS = 20;
/** A change counts from the response of its call. */
const SEEN_WITHIN_MS = 1000;
const OFTEN = 'module.exports.processSubscriptionsInterval = 100;';

/** A WebSocket of Cube on which a viewer has said who is viewing. */
class OpenSocket {
  #count = 0;

  static async open(port, token) {
    const { status, socket } = await openSocket(port, '/', {});
    if (!socket) throw new Error(`Cube opens no WebSocket: ${status}`);
    const opened = new OpenSocket();
    opened.socket = socket;
    opened.say({ authorization: token });
    await socket.until(['"handshake":true']);
    return opened;
  }

  say(message) {
    this.socket.send(JSON.stringify(message));
  }

  /** @returns all that Cube says to a query */
  async query(method = 'load') {
    const messageId = `m${++this.#count}`;
    this.say({ messageId, method, params: { query: PRODUCTS } });
    return this.socket.until([`"messageProcessedId":"${messageId}"`, `"error"`]);
  }
}

/** Waits until a query is refused. @returns the milliseconds @throws Violated if rows come for too long */
async function untilRefused(what, query) {
  const changedAt = performance.now();
  for (;;) {
    const startedAt = performance.now();
    const seen = await query();
    if (seen.includes('"error"')) return Math.round(startedAt - changedAt);
    if (startedAt - changedAt > SEEN_WITHIN_MS) {
      throw new Violated([`${what}: an open WebSocket shows rows a second later: ${seen}`]);
    }
    await sleep(STEP_MS);
  }
}

function requireOwn(what, tenant, seen) {
  const others = Object.values(TENANTS).filter((other) => other !== TENANTS[tenant]);
  const foreign = [HIDDEN, ...others.map(({ shows }) => shows)].filter((one) => seen.includes(one));
  if (foreign.length > 0) throw new Violated([`${what}: ${tenant} sees ${foreign.join(', ')}`]);
  if (!seen.includes(TENANTS[tenant].shows)) throw new Violated([`${what}: no rows: ${seen}`]);
}

/** An open WebSocket ends with the token. @returns figures @throws Violated */
export async function endsWithItsToken(lab, behind = '') {
  const { api } = lab.service;
  const cube = await startCube(lab, configuration({}, `${OFTEN}\n${behind}`));
  try {
    const act = (id, verb) => api.send('POST', {}, `/api/v1/user-groups/${id}/${verb}`);
    const [acme, globex] = [
      await createGroup(lab, 'socket-acme', 'acme'),
      await createGroup(lab, 'socket-globex', 'globex'),
    ];
    const open = await OpenSocket.open(cube.port, acme);
    const other = await OpenSocket.open(cube.port, globex);
    requireOwn('an open WebSocket', 'acme', await open.query());
    requireOwn('another open WebSocket', 'globex', await other.query());

    await act('socket-acme', 'suspend');
    const suspended = await untilRefused('a suspension', () => open.query());
    await act('socket-acme', 'resume');
    await untilRows(open);
    await changeMapping(api, 'socket-globex', TENANTS.acme.source);
    const mapped = await untilRefused('another data source', () => other.query());

    await open.query('subscribe');
    await api.send('POST', { current_token: acme });
    const rotated = await untilRefused('a rotation', () => open.query());
    open.socket.said = '';
    // The subscription goes on by itself.
    const seen = await open.socket.until(['"error"']);
    if (seen.includes('"data"')) throw new Violated([`a subscription goes on: ${seen}`]);
    if (!readFileSync(cube.log, 'utf8').includes('data_source_changed')) {
      throw new Violated(['the log does not name the changed data source']);
    }
    return `refused ${suspended} ms after a suspension, ${mapped} ms after a changed mapping, ${rotated} ms after a rotation`;
  } finally {
    await cube.stop();
  }
}

function changeMapping(api, id, source) {
  return api.send('PUT', { user_group_id: id, name: id, mapping: { sales: source } });
}

async function untilRows(open) {
  for (let seen = ''; !seen.includes(TENANTS.acme.shows); await sleep(STEP_MS)) {
    seen = await open.query();
  }
}
