import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../lab/ports.mjs';

const READY_LIMIT_MS = 60_000;
const ANSWER_LIMIT_MS = 30_000;
const STOP_LIMIT_SECONDS = '60';

/** One container of the image, as confined as it can be, on ports of its own of this machine. */
export class Service {
  name = `user-groups-test-${randomUUID()}`;
  agent = new Agent({ keepAlive: true });

  constructor(engine, tag, { args = [], env = {} }) {
    Object.assign(this, { engine, tag, args, env });
  }

  /** @param wait whether to return only when it is ready; throws if it does not become so */
  async start(wait = true) {
    [this.port, this.metricsPort] = await Promise.all([freePort(), freePort()]);
    const env = {
      // The network is this machine's, and nobody else is to reach it.
      HOST: '127.0.0.1',
      PORT: this.port,
      METRICS_PORT: this.metricsPort,
      RATE_LIMIT_PER_MINUTE: 0,
      LOG_LEVEL: 'warn',
      ...this.env,
    };
    const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    const options = ['--network', 'host', ...this.engine.confinement, ...this.args, ...variables];
    await this.engine.output(['run', '--detach', '--name', this.name, ...options, this.tag]);
    if (wait) await this.becomeReady();
    return this;
  }

  async becomeReady() {
    const deadline = performance.now() + READY_LIMIT_MS;
    for (;;) {
      const answer = await this.call('GET', '/health/ready').catch(() => undefined);
      if (answer?.status === 200) return;
      const { Running } = await this.state();
      if (!Running || performance.now() > deadline) {
        throw new Error(`it did not become ready: ${(await this.log()).slice(-1000)}`);
      }
      await sleep(100);
    }
  }

  /** The output of a program in the container. @throws if it fails */
  exec(...command) {
    return this.engine.output(['exec', this.name, ...command]);
  }

  async log() {
    const { stdout, stderr } = await this.engine.run(['logs', this.name]);
    return stdout + stderr;
  }

  async state() {
    return (await this.engine.inspect('container', this.name)).State;
  }

  /** SIGTERM, and SIGKILL if that is not enough: the exit code and how long it took. */
  async stop() {
    const started = performance.now();
    await this.engine.output(['stop', '--time', STOP_LIMIT_SECONDS, this.name]);
    const seconds = (performance.now() - started) / 1000;
    this.agent.destroy();
    return { code: (await this.state()).ExitCode, seconds };
  }

  async remove() {
    this.agent.destroy();
    await this.engine.run(['rm', '--force', '--volumes', this.name]);
  }

  /** The status and the JSON of an answer; a body that is cut short rejects. */
  async call(method, path, { token, body, port = this.port } = {}) {
    const outgoing = this.begin(method, path, { token, body, port });
    outgoing.end(body && JSON.stringify(body));
    return answerOf(outgoing);
  }

  /** A request of which the body is still to be sent. */
  begin(method, path, { token, body, port = this.port }) {
    const headers = { 'Content-Type': 'application/json' };
    if (body) headers['Content-Length'] = JSON.stringify(body).length;
    if (token) headers.Authorization = `Token ${token}`;
    const { agent } = this;
    return request({ host: '127.0.0.1', port, path, method, headers, agent });
  }
}

export async function answerOf(outgoing) {
  outgoing.setTimeout(ANSWER_LIMIT_MS, () => outgoing.destroy(new Error('no answer in time')));
  const [response] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  if (!response.complete) throw new Error('the answer was cut short');
  const isJson = /json/.test(response.headers['content-type']);
  return { status: response.statusCode, body: isJson ? JSON.parse(text) : text };
}
