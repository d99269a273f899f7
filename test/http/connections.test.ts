import { readFileSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { keySetPath, NO_WORKSPACE } from '../support/api/workspace-keys.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { ALL_BUT_TIMEOUTS } from '../support/time/fake-time.ts';
import { importGroups } from '../support/api/lines.ts';
import { freePort } from '../system/lab/ports.mjs';
import {
  BOOTSTRAP_TOKEN,
  type RunningServer,
  startOwnServer,
} from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const MIB = 1024 ** 2;
/** The limit of the container in compose.yaml. */
const CONTAINER_LIMIT = 512 * MIB;
/** Node takes half of the limit for old objects; the image sets the size for new ones. */
const CONTAINER_OPTIONS = '--max-old-space-size=256 --max-semi-space-size=8';
const GET_DOCUMENT = 'GET /docs-json HTTP/1.1\r\nHost: x\r\n\r\n';

onEachDatabase((kind) => {
  let database: TestDatabase;
  let server: RunningServer;
  let metricsPort: number;
  let sockets: Socket[] = [];

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    await start();
    const properties = { filling: 'x'.repeat(16_000) };
    const groups = Array.from({ length: 150 }, (_, index) => ({
      user_group_id: `large ${index}`,
      name: 'L',
      properties,
    }));
    await importGroups(server.api, ...groups);
  });

  async function start(): Promise<void> {
    metricsPort = await freePort();
    server = await startOwnServer({
      ...database.env,
      METRICS_PORT: String(metricsPort),
      NODE_OPTIONS: CONTAINER_OPTIONS,
    });
  }

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    await database.drop();
  });

  async function open({ reads = true } = {}): ReturnType<typeof openTo> {
    const opened = await openTo(server, reads);
    sockets.push(opened.socket);
    return opened;
  }

  const request = (method: string, path: string, body = '', ...fields: string[]) =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Token ${BOOTSTRAP_TOKEN}`,
      ...(body && ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      ...fields,
      '',
      body,
    ].join('\r\n');
  const put = (id: string, name: string, ...fields: string[]) =>
    request('PUT', '/api/user', JSON.stringify({ user_group_id: id, name }), ...fields);
  const LARGE_LIST = request('GET', '/api/v1/user-groups?limit=200');
  const ids = (text: string) =>
    [...text.matchAll(/^x-request-id: (\S+)\r$/gim)].map(([, id]) => id);
  const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g) ?? [];

  /** The most memory that the process has had, as the kernel counts it; of one that has died of it, no bound is high enough. */
  function mostMemory(): number {
    if (server.process.exitCode !== null || server.process.signalCode !== null) return Infinity;
    const status = readFileSync(`/proc/${server.process.pid!}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
  }

  /** The most memory of a new process during the attack, and while it then serves another client. */
  async function memoryUnder(attack: () => Promise<Socket[]>): Promise<number> {
    await server.stop();
    await start();
    const attackers = await attack();
    // Each has its first response, as far as the kernel takes it, or was cut.
    await until(() => attackers.every((socket) => socket.bytesRead > 0 || socket.destroyed));
    for (let round = 0; round < 50; round++) {
      expect((await server.api.get({ user_group_id: 'large 1' })).status).toBe(200);
    }
    return mostMemory();
  }

  test('requests that come together are answered one after the other, each once', async () => {
    const { socket, received } = await open();
    const names = Array.from({ length: 100 }, (_, index) => `order-${index}`);
    // All of them are more than is read in one piece. They are few and long, so that a slow machine serves them before
    // the time limit of the request whose beginning is read with them.
    const filling = `X-Filling: ${'x'.repeat(1000)}`;
    // A response of the database would come later than one without it.
    const paths = [
      '/api/v1/user-groups/large%201',
      '/health/live',
      '/health/live',
      keySetPath(NO_WORKSPACE),
    ];
    socket.write(
      names
        .map((name, index) =>
          request('GET', paths[index % 4]!, '', `X-Request-Id: ${name}`, filling),
        )
        .join(''),
    );
    await until(() => ids(received()).length === names.length);
    expect(ids(received())).toEqual(names);
  });

  test('of writes that come together the last one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const { socket, received } = await open();
      socket.write(
        Array.from({ length: 20 }, (_, index) => put('racing', `${round}.${index}`)).join(''),
      );
      await until(() => statuses(received()).length === 20);
      const { body } = await server.api.get({ user_group_id: 'racing' });
      expect(body.user_group.name).toBe(`${round}.19`);
    }
  });

  test('a request whose body comes late waits for it behind another, in the same connection', async () => {
    const { socket, received } = await open();
    const late = put('late', 'Late', 'X-Request-Id: second');
    socket.write(put('early', 'Early', 'X-Request-Id: first') + late.slice(0, -10));
    await until(() => ids(received()).length === 1);
    socket.write(late.slice(-10) + put('later', 'Later', 'X-Request-Id: third'));
    await until(() => ids(received()).length === 3);
    expect(ids(received())).toEqual(['first', 'second', 'third']);
    expect(statuses(received())).toEqual(Array(3).fill('HTTP/1.1 200'));
  });

  test('an import and an export are streamed in their turn', async () => {
    const { socket, received } = await open();
    const lines = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ user_group_id: `imported ${index}`, name: 'I' }),
    ).join('\n');
    const imported = [
      'POST /api/v1/user-groups/import HTTP/1.1',
      'Host: x',
      `Authorization: Token ${BOOTSTRAP_TOKEN}`,
      'Content-Type: application/x-ndjson',
      `Content-Length: ${lines.length}`,
      '',
      '',
    ].join('\r\n');
    const exported = request('POST', '/api/v1/user-groups/export', '{}');
    socket.write(imported + lines.slice(0, 100));
    // Meanwhile the service has served another client.
    expect((await server.api.get({ user_group_id: 'large 1' })).status).toBe(200);
    socket.write(lines.slice(100) + exported + put('after', 'After', 'X-Request-Id: last'));
    await until(() => ids(received()).includes('last'));
    const [first, second] = [...received().matchAll(/"summary":\{([^}]*)\}/g)].map(([, s]) => s);
    expect(first).toContain('"complete":true');
    expect(second).toContain('"complete":true');
    expect(statuses(received())).toEqual(Array(3).fill('HTTP/1.1 200'));
  });

  test('behind a request that would upgrade the connection it is closed, and says so', async () => {
    const { socket, received } = await open();
    const upgrading = put('up', 'Up', 'Connection: Upgrade', 'Upgrade: h2c');
    socket.write(upgrading + put('behind', 'Behind'));
    await new Promise((resolve) => socket.once('end', resolve));
    expect(statuses(received())).toEqual(['HTTP/1.1 200']);
    expect(received()).toMatch(/^Connection: close\r$/m);
    expect((await server.api.get({ user_group_id: 'behind' })).status).toBe(404);
  });

  test('a client that closes its half of the connection behind its request gets the answer', async () => {
    const { socket, received } = await open();
    socket.end(put('half', 'Half') + put('closed', 'Closed'));
    await new Promise((resolve) => socket.once('end', resolve));
    expect(statuses(received())).toEqual(Array(2).fill('HTTP/1.1 200'));
    expect((await server.api.get({ user_group_id: 'closed' })).status).toBe(200);
  });

  test.each([
    ['documents, from a stranger', GET_DOCUMENT],
    ['lists', LARGE_LIST],
  ])('600 unread %s in one write take little memory', async (_name, bytes) => {
    const most = await memoryUnder(async () => {
      const { socket } = await open({ reads: false });
      socket.write(bytes.repeat(600));
      return [socket];
    });
    expect(most).toBeLessThan(320 * MIB);
  });

  // These calls end before the database, and take half a minute for each kind.
  test.each([kind === 'sqlite' ? [60, 8] : [150, 2]])(
    '%d connections with %d unread lists each stay within the memory of a container',
    async (connections, times) => {
      const most = await memoryUnder(async () => {
        for (let index = 0; index < connections; index++) {
          const { socket } = await open({ reads: false });
          socket.write(LARGE_LIST.repeat(times));
        }
        return sockets;
      });
      expect(most).toBeLessThan(CONTAINER_LIMIT);
    },
  );

  test('so many requests that wait are not kept: the connection is cut', async () => {
    // Sends few on each connection: they arrive in one piece, and behind a first piece nothing more is read.
    for (let index = 0; index < 20; index++) {
      const { socket } = await open({ reads: false });
      socket.write(GET_DOCUMENT.repeat(100));
    }
    await until(async () => cuts(await metricsOf(metricsPort), 'too_many_waiting') > 0);
  });

  test('a client that does not read is cut, and one that reads slowly is not', async () => {
    const service = await startTestService(kind);
    const watched: Socket[] = [];
    (service.app.getHttpServer() as Server).on('connection', (socket: Socket) =>
      watched.push(socket),
    );
    // The clock by which the service waits for readers stands still until the test moves it.
    const faked: readonly string[] = ['performance', 'setInterval', 'clearInterval'];
    const real = [...ALL_BUT_TIMEOUTS, 'setTimeout', 'clearTimeout'] as const;
    jest.useFakeTimers({ doNotFake: real.filter((name) => !faked.includes(name)) });
    const { socket: silent } = await openTo(service, false);
    const { socket: slow } = await openTo(service, false);
    sockets.push(silent, slow);
    for (const socket of [silent, slow]) socket.write(GET_DOCUMENT.repeat(40));
    await until(() => watched.filter((socket) => socket.writableLength > 0).length === 2);
    const endOf = (client: Socket) =>
      watched.find(({ remotePort }) => remotePort === client.localPort)!;
    const [ofSilent, ofSlow] = [endOf(silent), endOf(slow)];
    let sent = -1;
    // The kernel takes no more.
    await until(() => {
      const before = sent;
      sent = ofSilent.bytesWritten - ofSilent.writableLength;
      return sent === before && ofSilent.writableLength > 0;
    });
    const cutNow = async () => cuts(await service.app.get(Metrics).registry.metrics(), 'not_read');
    const taken = () => ofSlow.bytesWritten - ofSlow.writableLength;
    // Thirty seconds, and a second for each 64 KB of what is left.
    const limitMs = 30_000 + ofSilent.writableLength / 64;
    let passedMs = 0;
    for (; passedMs + 10_000 < limitMs; passedMs += 10_000) {
      expect(await cutNow()).toBe(0);
      jest.advanceTimersByTime(10_000);
      const before = taken();
      await until(() => {
        slow.read();
        return taken() > before;
      });
    }
    expect(await cutNow()).toBe(0);
    jest.advanceTimersByTime(limitMs - passedMs + 2000);
    expect(await cutNow()).toBe(1);
    await until(() => ofSilent.destroyed);
    jest.advanceTimersByTime(10_000);
    expect([await cutNow(), ofSlow.destroyed]).toEqual([1, false]);
    jest.useRealTimers();
    await service.close();
  });
});

/** A connection; a client that does not read leaves what comes in the kernel. */
async function openTo(
  { baseUrl }: { baseUrl: string },
  reads: boolean,
): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect({
    port: Number(new URL(baseUrl).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  let text = '';
  socket.on('error', () => undefined);
  if (reads) socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, received: () => text };
}

/** The number of connections that were cut for this reason. */
function cuts(metrics: string, reason: string): number {
  const sample = new RegExp(`^http_connections_cut_total\\{reason="${reason}"\\} (\\d+)$`, 'm');
  return Number(sample.exec(metrics)![1]);
}

async function metricsOf(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}
