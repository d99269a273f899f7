/**
 * The client, in a process of its own so that it shares no event loop with what it measures. It
 * speaks HTTP/1.1 on plain sockets: on a machine with few cores an expensive client would be part of
 * every figure. Each connection sends its next request when the last one is answered. Every answer
 * is compared with what it has to be.
 *
 * Takes one turn at a time as a message, and answers with what it measured or with an `error`.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createHistogram, performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, databaseCpuSeconds, residentMiB } from './processes.mjs';
import { groupAt, introspectedOf, request } from './requests.mjs';
import { runWrk } from './wrk.mjs';

/** A server may still rotate for a client that has gone. */
const SETTLE_MS = 300;

/** For each server by its port: the current token of every group that is asked for. */
const tokensByPort = new Map();
let created = 0;

/**
 * The requests of one connection, each made with the answer to the last at hand. Every connection
 * has groups of its own, so that none waits for a lock of another.
 */
const requestsOf = {
  /** Creates the groups of a server. */
  *fill(turn, lane) {
    const tokens = tokensOf(turn.server);
    for (const index of indexes(turn, lane)) {
      const answer = yield request(turn, 'create', groupAt(turn, index));
      tokens[index] = tokenIn(answer, '"new_user_group":true');
    }
  },

  /** Asks for the tokens that are not known: of a server that was filled by other means, or of lost responses. */
  *learn(turn, lane) {
    const tokens = tokensOf(turn.server);
    for (const index of indexes(turn, lane)) {
      if (tokens[index] !== undefined) continue;
      const answer = yield request(turn, 'look-up', groupAt(turn, index));
      tokens[index] = tokenIn(answer, '"new_user_group":false');
    }
  },

  *'look-up'(turn, lane) {
    const tokens = tokensOf(turn.server);
    for (const index of endlessly(turn, lane)) {
      const answer = yield request(turn, 'look-up', groupAt(turn, index));
      turn.check(() => {
        const token = tokenIn(answer, '"new_user_group":false');
        if (token !== tokens[index]) throw new WrongResponse('changed the token', answer);
      });
    }
  },

  *create(turn) {
    for (;;) {
      const number = ++created;
      const body = { user_group_id: `created-${number}`, name: `Created ${number}` };
      const answer = yield request(turn, 'create', body);
      turn.check(() => tokenIn(answer, '"new_user_group":true'));
    }
  },

  /** Each rotation retires the token that the one before it has issued. */
  *rotate(turn, lane) {
    const tokens = tokensOf(turn.server);
    for (const index of endlessly(turn, lane)) {
      const answer = yield request(turn, 'rotate', { current_token: tokens[index] });
      turn.check(() => {
        const { user_group_id } = groupAt(turn, index);
        const token = tokenIn(answer, `"provided_id":"${user_group_id}"`);
        if (token === tokens[index]) throw new WrongResponse('kept the token', answer);
        tokens[index] = token;
      });
    }
  },

  *introspect(turn, lane) {
    yield* introspections({ ...turn, groups: introspectedOf(turn) }, lane);
  },

  /** One token for each connection, asked for all the time. */
  *'introspect-hot'(turn, lane) {
    yield* introspections({ ...turn, groups: turn.connections }, lane);
  },

  /**
   * Writes to one group for each connection, or to `shared` of all: then some wait too long, and are
   * told to come again.
   */
  *write(turn, lane) {
    const user_group_id = turn.shared ?? `written ${lane}`;
    for (let number = 1; ; number++) {
      const name = `Connection ${lane}, number ${number}`;
      const answer = yield request(turn, 'write', { user_group_id, name });
      if (turn.shared && answer.startsWith('HTTP/1.1 503 ')) turn.refused++;
      else turn.check(() => tokenIn(answer, `"name":"${name}"`));
    }
  },
};

function* introspections(turn, lane) {
  const tokens = tokensOf(turn.server);
  for (const index of endlessly(turn, lane)) {
    const answer = yield request(turn, 'introspect', { token: tokens[index] });
    turn.check(() => {
      const expected = `"active":true,"sub":"${groupAt(turn, index).user_group_id}"`;
      const correct = answer.startsWith('HTTP/1.1 200 ') && answer.includes(expected);
      if (!correct) throw new WrongResponse('is wrong', answer);
    });
  }
}

class WrongResponse extends Error {
  constructor(what, answer) {
    super(`An answer ${what}: ${answer}`);
  }
}

process.on('message', (turn) => {
  run(turn).then(
    (measured) => process.send(measured),
    (error) => process.send({ error: error.message }),
  );
});

/** A turn with `seconds` ends then, one without ends with its requests. */
async function run(turn) {
  const cpuBefore = cpuSeconds(turn.server.pid);
  const databaseCpuBefore = databaseCpuSeconds();
  const { seconds, ...measured } = await (turn.client === 'wrk' ? sendByWrk(turn) : send(turn));
  const cpu = cpuSeconds(turn.server.pid) - cpuBefore;
  const databaseCpu = databaseCpuSeconds() - databaseCpuBefore;
  const { requests } = measured;
  if (turn.client === 'wrk') await learnLost(turn);
  return {
    ...measured,
    requestsPerSecond: requests / seconds,
    cpuMicroseconds: (cpu / requests) * 1e6,
    databaseCpuMicroseconds: (databaseCpu / requests) * 1e6,
    residentMiB: residentMiB(turn.server.pid),
  };
}

/** Leaves no request without its response. */
async function send({ operation, ...turn }) {
  const errors = [];
  turn.refused = 0;
  turn.check = (read) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof WrongResponse)) throw error;
      errors.push(error.message);
    }
  };
  const sockets = Array.from({ length: turn.connections }, () => open(turn.server));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const start = performance.now();
  const deadline = start + (turn.seconds ?? Infinity) * 1000;
  const latencies = createHistogram();
  await Promise.all(
    sockets.map((socket, lane) =>
      drive(socket, requestsOf[operation](turn, lane), deadline, latencies),
    ),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const socket of sockets) socket.destroy();
  return {
    requests: latencies.count,
    errors: errors.length,
    refused: turn.refused,
    firstError: errors[0],
    seconds,
    p50Milliseconds: latencies.percentile(50) / 1000,
    p95Milliseconds: latencies.percentile(95) / 1000,
    p99Milliseconds: latencies.percentile(99) / 1000,
  };
}

async function sendByWrk(turn) {
  const measured = await runWrk(turn, tokensOf(turn.server), created);
  created += measured.requests + turn.connections;
  return measured;
}

/** wrk ends without its last responses, which had the tokens of rotations. */
async function learnLost(turn) {
  if (turn.operation !== 'rotate') return;
  await sleep(SETTLE_MS);
  await send({ ...turn, operation: 'learn', seconds: undefined });
}

function open({ port }) {
  return connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
}

/** Sends one request after the other until the deadline; each one's time goes into `latencies`, in microseconds. */
function drive(socket, requests, deadline, latencies) {
  return new Promise((resolve, reject) => {
    let received = '';
    let sentAt = 0;
    const receive = (text) => {
      received += text;
      const length = answerLength(received);
      if (received.length < length) return;
      const answer = received.slice(0, length);
      received = received.slice(length);
      latencies.record(Math.max(1, Math.round((performance.now() - sentAt) * 1000)));
      send(answer);
    };
    socket.on('data', (text) => {
      try {
        receive(text);
      } catch (error) {
        reject(error);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed a connection.')));
    const send = (answer) => {
      const { value, done } = requests.next(answer);
      sentAt = performance.now();
      if (done || sentAt >= deadline) resolve();
      else socket.write(value);
    };
    send();
  });
}

/** Latin-1 makes one character of each byte, so that Content-Length counts characters. */
function answerLength(received) {
  const head = received.indexOf('\r\n\r\n');
  if (head === -1) return Infinity;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, head));
  if (!length) throw new Error(`An answer without Content-Length: ${received}`);
  return head + 4 + Number(length[1]);
}

/** The token of a correct answer. @throws WrongResponse */
function tokenIn(answer, expected) {
  const token = /"token":"(ugt_\w{38})"/.exec(answer)?.[1];
  const correct =
    answer.startsWith('HTTP/1.1 200 ') &&
    answer.includes('"success":1') &&
    answer.includes(expected) &&
    token !== undefined;
  if (!correct) throw new WrongResponse('is wrong', answer);
  return token;
}

function* indexes({ groups, connections }, lane) {
  for (let index = lane; index < groups; index += connections) yield index;
}

function* endlessly(turn, lane) {
  for (;;) yield* indexes(turn, lane);
}

function tokensOf({ port }) {
  if (!tokensByPort.has(port)) tokensByPort.set(port, []);
  return tokensByPort.get(port);
}
