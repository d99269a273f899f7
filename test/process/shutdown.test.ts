import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  createTestDatabase,
  type DatabaseKind,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { importGroups } from '../support/api/lines.ts';
import {
  BOOTSTRAP_TOKEN,
  type RunningServer,
  runCli,
  startOwnServer,
} from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

onEachDatabase((kind) => {
  let database: TestDatabase;
  let stalled: ReturnType<typeof stopWithStalledClients>;

  // It runs at the same time as the other tests.
  beforeAll(() => {
    stalled = stopWithStalledClients(kind);
    stalled.catch(() => undefined);
  });

  beforeEach(async () => {
    database = await createTestDatabase(kind);
  });

  afterEach(() => database.drop());

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s lets every call under way finish, then exits with 0',
    async (signal) => {
      const server = await startWithGroup(database.env);
      const ids = Array.from({ length: 8 }, (_, index) => `held ${index}`);
      const calls = await Promise.all(ids.map((id) => beginPut(server, id)));
      const stopped = server.stop(signal);
      await untilClosed(server);
      expect(server.process.exitCode).toBeNull();
      const answers = await Promise.all(calls.map(({ complete }) => complete()));
      expect(await stopped).toBe(0);

      const again = await startTestService(database);
      for (const [index, answer] of answers.entries()) {
        expect(answer).toMatch(/^HTTP\/1.1 200 /);
        const { body } = await again.api.get({ user_group_id: ids[index] });
        expect(answer).toContain(`"token":"${body.user_group.token}"`);
      }
      await again.close();
    },
  );

  test('a call that comes while the process ends is not begun, and the caller can see it', async () => {
    const server = await startWithGroup(database.env);
    const last = await beginPut(server, 'last');
    const stopped = server.stop();
    await untilClosed(server);
    const received = await last.complete(put({ user_group_id: 'too late', name: 'T' }));
    expect(await stopped).toBe(0);
    expect(received.match(/^HTTP\/1.1 \d+|^Connection: .*/gm)).toEqual([
      'HTTP/1.1 200',
      'Connection: close',
    ]);
    const again = await startTestService(database);
    expect((await again.api.get({ user_group_id: 'last' })).status).toBe(200);
    expect((await again.api.get({ user_group_id: 'too late' })).status).toBe(404);
    await again.close();
  });

  test('with a delay the process is no longer ready and still takes calls, then it writes the last use of an API token and ends', async () => {
    // A busy machine may take seconds for the calls.
    const server = await startWithGroup({ ...database.env, SHUTDOWN_DELAY_SECONDS: '15' });
    expect((await server.api.call('GET', '/health/ready')).status).toBe(200);
    const begun = Date.now();
    const stopped = server.stop();
    const readiness = () => server.api.call('GET', '/health/ready');
    await until(async () => (await readiness()).status === 503);
    expect((await readiness()).body.code).toBe('shutting_down');
    expect((await server.api.call('GET', '/health/live')).status).toBe(200);
    const lines = await importGroups(server.api, { user_group_id: 'imported', name: 'I' });
    expect(lines.at(-1)!.summary['complete']).toBe(true);
    const write = await server.api.put({ user_group_id: 'g', name: 'Meanwhile' });
    expect([write.status, write.body.user_group.name]).toEqual([200, 'Meanwhile']);
    expect(await stopped).toBe(0);
    const { stdout } = await runCli(database.env, 'token', 'list', '-o', 'ndjson');
    const { last_used_at } = JSON.parse(stdout) as { last_used_at: string };
    // The time of a use is stored in whole seconds.
    expect(Date.parse(last_used_at)).toBeGreaterThan(begun - 1000);
  });

  test('a client that never completes its request cannot keep the process from ending', async () => {
    expect(await stalled).toBe(0);
  });
});

/** A server with the group `g`: what is asked next does not wait for what a first call prepares. */
async function startWithGroup(env: Record<string, string>): Promise<RunningServer> {
  const server = await startOwnServer(env);
  const { status } = await server.api.put({ user_group_id: 'g', name: 'Before' });
  expect(status).toBe(200);
  return server;
}

/** Stops a server of its own while clients have sent nothing, a part of a head and a part of a body. */
async function stopWithStalledClients(kind: DatabaseKind) {
  const database = await createTestDatabase(kind);
  const server = await startOwnServer(database.env);
  const connections = await Promise.all([open(server), open(server), open(server)]);
  connections[1].socket.write('PUT /api/user HTTP/1.1\r\nHost: x\r\n');
  connections[2].socket.write(put({ user_group_id: 'x', name: 'X' }).slice(0, -5));
  await untilBegun(server);
  const exitCode = await server.stop();
  await database.drop();
  return exitCode;
}

/**
 * Begins a write, the last byte of whose body is missing, once the server has begun with it and says so (RFC 9110,
 * 10.1.1).
 * @returns a function that sends the last byte, and perhaps more; it returns all that comes until the connection ends
 */
async function beginPut(
  server: RunningServer,
  id: string,
): Promise<{ complete: (rest?: string) => Promise<string> }> {
  const { socket, received } = await open(server);
  const request = put({ user_group_id: id, name: 'H' });
  socket.write(request.slice(0, -1).replace('\r\n', '\r\nExpect: 100-continue\r\n'));
  await until(() => received() === CONTINUE);
  return {
    complete: async (rest = '') => {
      const closed = once(socket, 'close');
      socket.write(request.slice(-1) + rest);
      await closed;
      return received().slice(CONTINUE.length);
    },
  };
}

/** Resolves when the server has read what was sent to it before: it accepts and reads connections in their order. */
async function untilBegun({ api }: RunningServer): Promise<void> {
  for (let calls = 0; calls < 2; calls++) await api.call('GET', '/health/live');
}

/** Resolves when the server takes no connections any more. */
async function untilClosed(server: RunningServer): Promise<void> {
  await until(async () => {
    try {
      const { socket } = await open(server);
      socket.destroy();
      return false;
    } catch {
      return true;
    }
  });
}

async function open({
  baseUrl,
}: RunningServer): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, received: () => text };
}

function put(body: object): string {
  const json = JSON.stringify(body);
  return `PUT /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${BOOTSTRAP_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
}
