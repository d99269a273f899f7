import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyList } from '../lab/keys.mjs';
import { promisedMs } from '../lab/times.mjs';
import { runLoad } from './load.mjs';
import { must, NotChecked } from './report.mjs';
import { answerOf, Service } from './service.mjs';

const MEMORY_MIB = 256;
const LIMIT = [`--memory=${MEMORY_MIB}m`, `--memory-swap=${MEMORY_MIB}m`];
/** The rest is for a command next to the service, and for memory that grows more slowly than the load is long. */
const MAX_OF_LIMIT = 0.75;
const GRACE_SECONDS = promisedMs(10_000) / 1000;
const GROUP = {
  user_group_id: 'acme',
  name: 'Acme',
  mapping: { sales: 'w' },
  properties: { a: 1 },
};

/** Checks the service in a container, on the embedded database. Adds the secrets it meets. */
export async function checkRunning(report, engine, tag, { volume, loadSeconds, secrets }) {
  const options = { args: [...LIMIT, '--volume', `${volume}:/data`] };
  const first = new Service(engine, tag, options);
  const second = new Service(engine, tag, options);
  try {
    await first.start();
    const token = await first.exec('cat', '/data/bootstrap-token');
    const keys = await first.exec('cat', '/data/token-encryption-keys');
    secrets.push(token, keys.split(':')[1]);
    await checkConfinement(report, first);
    await checkHealth(report, first);
    await checkNoDebugger(report, first);
    const group = await checkContract(report, first, token);
    secrets.push(group.token);
    await checkConsole(report, first);
    await checkCommandLine(report, first, volume);
    await checkLoad(report, first, token, loadSeconds);
    await checkDrain(report, first, token);
    await first.remove();
    await report.check('data survives another container on the volume', async () => {
      await second.start();
      const { body } = await second.call('GET', '/api/user', {
        token,
        body: { user_group_id: 'acme' },
      });
      must(body.user_group?.token === group.token, 'the group or its token is another');
      return 'the same group, token, API token and encryption key';
    });
  } finally {
    await first.remove();
    await second.remove();
  }
}

async function checkConfinement(report, service) {
  const status = await service.exec('cat', '/proc/1/status');
  const field = (name) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];

  await report.check('user', () => {
    must(Number(field('Uid')) > 0, 'it is root');
    return `uid ${field('Uid')}, gid ${field('Gid')}`;
  });
  await report.check('capabilities', () => {
    const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map(field);
    must(
      sets.every((set) => /^0+$/.test(set)),
      `not all are dropped: ${sets.join(' ')}`,
    );
    must(field('NoNewPrivs') === '1', 'new privileges can be gained');
    return `none; no new privileges; seccomp mode ${field('Seccomp')}`;
  });
  await report.check('read-only root file system', async () => {
    const script =
      'for place in / /app /tmp /var/tmp /etc; do touch $place/x 2>/dev/null && echo $place; done; true';
    const writable = await service.exec('sh', '-c', script);
    must(writable === '', `${writable} can be written to`);
    return 'nothing can be written to but /data';
  });
}

/** A process in the container could otherwise read every secret of the service with its debugger. */
async function checkNoDebugger(report, service) {
  await report.check('SIGUSR1', async () => {
    await service.exec('sh', '-c', 'kill -USR1 1');
    await sleep(500);
    must(!(await service.log()).includes('Debugger listening'), 'it opens the debugger');
    const { status } = await service.call('GET', '/health/live');
    must(status === 200, `/health/live answers ${status} afterwards`);
    return 'opens no debugger, and ends nothing';
  });
}

async function checkHealth(report, service) {
  await report.check('health', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const { status } = await service.call('GET', path);
      must(status === 200, `${path} answers ${status}`);
    }
    const { status } = await service.call('GET', '/metrics', { port: service.metricsPort });
    must(status === 200, `/metrics answers ${status}`);
    return '/health/live, /health/ready and /metrics answer 200';
  });
  await report.check('health check of the image', async () => {
    const command = await service.engine.healthCommand(service.tag);
    const started = performance.now();
    await service.exec(...command);
    const took = performance.now() - started;
    const wrong = ['exec', '--env', 'PORT=1', service.name, ...command];
    must((await service.engine.run(wrong)).code === 1, 'it is content without an answer');
    return `ends with 0 in ${took.toFixed(0)} ms, and with 1 where nothing answers`;
  });
}

async function checkContract(report, service, token) {
  let group;
  await report.check('calls of the contract', async () => {
    const call = (method, body, path = '/api/user') => service.call(method, path, { token, body });
    const created = await call('GET', GROUP);
    must(created.body.new_user_group === true, `GET answers ${created.status}`);
    const old = created.body.user_group.token;
    const written = await call('PUT', { ...GROUP, name: 'Acme Europe' });
    must(written.body.user_group?.name === 'Acme Europe', `PUT answers ${written.status}`);
    const rotated = await call('POST', { current_token: old });
    group = rotated.body.user_group;
    must(rotated.status === 200 && group.token !== old, `POST answers ${rotated.status}`);
    const actives = [];
    for (const each of [group.token, old]) {
      actives.push((await call('POST', { token: each }, '/api/v1/introspect')).body.active);
    }
    must(actives.join() === 'true,false', `introspection answers ${actives.join()}`);
    return 'GET with a body, PUT, POST and introspection';
  });
  return group;
}

async function checkConsole(report, service) {
  await report.check('console', async () => {
    const page = await service.call('GET', '/console/');
    const [, script] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page.body) ?? [];
    must(script, `/console/ answers ${page.status}, and no page`);
    const asset = await service.call('GET', `/console/${script}`);
    must(asset.status === 200, `its script is answered ${asset.status}`);
    return 'the page and its script';
  });
}

async function checkCommandLine(report, service, volume) {
  await report.check('command line', async () => {
    const beside = await service.exec('user-group-service', 'token', 'list');
    must(/^1 +bootstrap /m.test(beside), 'it does not list the first API token');
    const run = ['run', '--rm', '--network', 'none', ...service.engine.confinement];
    const args = [
      '--volume',
      `${volume}:/data`,
      service.tag,
      'user-group-service',
      'migration',
      'show',
    ];
    const alone = await service.engine.output([...run, ...args]);
    must(/yes/.test(alone), 'it does not list the migrations');
    const wrong = await service.engine.run([
      ...run,
      service.tag,
      'user-group-service',
      'no-such-command',
    ]);
    must(wrong.code === 2, `a command that does not exist ends with ${wrong.code}`);
    return 'beside the service, and in a container of its own';
  });
}

async function checkLoad(report, service, token, seconds) {
  await report.check(`memory limit of ${MEMORY_MIB} MiB under load`, async () => {
    const load = runLoad(service, token, seconds);
    const own = await highestOwnMemory(service, load);
    const { calls, failures } = await load;
    const { Running, OOMKilled } = await service.state();
    must(Running && !OOMKilled, `it was ended; ${calls} calls before`);
    must(failures.length === 0, `${failures.length} of ${calls} calls failed: ${failures[0]}`);
    const limit = await memoryLimitOf(service);
    must(
      own < limit * MAX_OF_LIMIT,
      `its own memory was ${mebibytes(own)}, too close to the limit`,
    );
    return `${calls} calls in ${seconds} s, none failed; its own memory was ${mebibytes(own)} at most`;
  });
}

/** In bytes, without the pages of files, which the kernel takes back when it needs to. */
async function highestOwnMemory(service, load) {
  let highest = 0;
  let isOver = false;
  const end = () => (isOver = true);
  load.then(end, end);
  while (!isOver) {
    const status = await service.exec('cat', '/proc/1/status').catch(() => '');
    const [, kibibytes = 0] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? [];
    highest = Math.max(highest, kibibytes * 1024);
    await sleep(500);
  }
  return highest;
}

/** In bytes, as the kernel tells the container. @throws NotChecked if it has none */
async function memoryLimitOf(service) {
  const script = 'cd /sys/fs/cgroup && cat memory.max || cat memory/memory.limit_in_bytes';
  const limit = Number(await service.exec('sh', '-c', script).catch(() => NaN));
  if (limit === MEMORY_MIB * 2 ** 20) return limit;
  throw new NotChecked(
    'the kernel shows no such limit: it has no memory controller for containers',
  );
}

async function checkDrain(report, service, token) {
  await report.check('SIGTERM', async () => {
    const body = { user_group_id: 'in-flight', name: 'In flight' };
    const text = JSON.stringify(body);
    const outgoing = service.begin('PUT', '/api/user', { token, body });
    await new Promise((resolve) => outgoing.write(text.slice(0, -1), resolve));
    // Connections are accepted in their order.
    await service.call('GET', '/health/live');
    const answer = answerOf(outgoing);
    const stopped = service.stop();
    const takesCalls = () => service.call('GET', '/health/live').then(Boolean, () => false);
    while (await takesCalls()) await sleep(50);
    outgoing.end(text.slice(-1));
    const { status } = await answer;
    must(status === 200, `a call under way is answered ${status}`);
    const { code, seconds } = await stopped;
    must(code === 0, `it ends with ${code}: ${(await service.log()).slice(-500)}`);
    must(seconds < GRACE_SECONDS, `it takes ${seconds.toFixed(1)} s`);
    return `a call under way is answered, ends with 0 after ${seconds.toFixed(1)} s`;
  });
}

/** Process 1 does not get the signal if it has no handler for it yet. */
export async function checkEarlyEnd(report, engine, tag) {
  const env = {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    TOKEN_ENCRYPTION_KEYS: keyList('k1'),
  };
  const service = new Service(engine, tag, { env });
  await report.check('SIGTERM while it waits for its database', async () => {
    try {
      await service.start(false);
      while (!(await service.log()).includes('waiting for PostgreSQL')) {
        must((await service.state()).Running, 'it does not wait');
      }
      const { code, seconds } = await service.stop();
      must(code === 143, `it ends with ${code} after ${seconds.toFixed(1)} s`);
      return `ends with 143 after ${seconds.toFixed(1)} s`;
    } finally {
      await service.remove();
    }
  });
}

function mebibytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
