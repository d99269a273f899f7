import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts, freePort } from './ports.mjs';
import { start, temporaryDirectory } from './processes.mjs';

const STEP_MS = 20;

/** An HAProxy in front of servers on 127.0.0.1; its port and how to speak with it. */
export class HaProxy {
  constructor(port, socket) {
    this.port = port;
    this.socket = socket;
  }

  /**
   * Resolves when it takes connections.
   * @param servers by name: each with its `port`, and others of HAProxy's words for it in `options`
   * @param backend the lines of the backend that say how it is checked
   */
  static async start({ mode, servers, backend }) {
    const directory = temporaryDirectory();
    const proxy = new HaProxy(await freePort(), join(directory, 'admin.sock'));
    const file = join(directory, 'haproxy.cfg');
    const lines = Object.entries(servers).map(
      ([name, { port, options = '' }]) => `server ${name} 127.0.0.1:${port} check ${options}`,
    );
    writeFileSync(file, configuration(proxy, mode, [...backend, ...lines]));
    const child = start('haproxy', ['-db', '-f', file]);
    // Its own socket, which nobody else can have: another process may have taken the port. The file of the socket is there
    // before anybody listens.
    while (child.exitCode === null) {
      if ((await accepts(proxy.socket)) && (await accepts(proxy.port))) return proxy;
      await sleep(STEP_MS);
    }
    throw new Error(`HAProxy does not start: ${child.said}`);
  }

  /** One command of its runtime API. */
  async command(text) {
    const socket = connect(this.socket);
    socket.end(`${text}\n`);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    return answer.trim();
  }

  /** Sends no more calls to a server, and waits until those under way are answered. */
  async drain(server) {
    await this.command(`set server all/${server} state drain`);
    for (;;) {
      const { scur } = (await this.status())[server];
      if (Number(scur) === 0) return;
      await sleep(STEP_MS);
    }
  }

  async admit(server) {
    await this.command(`set server all/${server} state ready`);
    await this.until(server, 'UP');
  }

  /** Waits until the server is seen in this state. */
  async until(server, state) {
    while (!(await this.status())[server].status.startsWith(state)) await sleep(STEP_MS);
  }

  /** HAProxy's figures of each server, by its name. */
  async status() {
    const [head, ...rows] = (await this.command('show stat')).replace(/^# /, '').split('\n');
    const names = head.split(',');
    const all = rows.map((row) => {
      const values = row.split(',');
      return Object.fromEntries(names.map((name, index) => [name, values[index]]));
    });
    return Object.fromEntries(
      all.filter(({ pxname }) => pxname === 'all').map((row) => [row.svname, row]),
    );
  }
}

function configuration({ port, socket }, mode, backend) {
  return `global
  stats socket ${socket} mode 600 level admin
defaults
  mode ${mode}
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 1s
  option redispatch
  retries 3
  default-server inter 250ms fall 1 rise 1
frontend in
  bind 127.0.0.1:${port}
  default_backend all
backend all
${backend.map((line) => `  ${line}\n`).join('')}`;
}
