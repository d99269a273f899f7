import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import {
  BOOTSTRAP_TOKEN,
  type RunningServer,
  startOwnServer,
} from '../support/process/processes.ts';
import { processorMs } from '../support/process/processor-time.ts';
import { startTestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

onEachDatabase((kind) => {
  let database: TestDatabase;
  let server: RunningServer;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    server = await startOwnServer(database.env);
    await server.api.get({ user_group_id: 'g', name: 'G' });
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    await database.drop();
  });

  async function expectAlive(): Promise<void> {
    expect((await server.api.get({ user_group_id: 'g' })).status).toBe(200);
    expect(server.process.exitCode).toBeNull();
  }

  /** Sends bytes. @returns what comes back until the server has closed the connection */
  async function send(bytes: string): Promise<string> {
    const { socket, received, closed } = await open();
    socket.write(Buffer.from(bytes, 'latin1'));
    await closed;
    return received();
  }

  /** Sends bytes, and leaves as soon as the response begins. */
  async function leave(bytes: string, how: (socket: Socket) => void): Promise<void> {
    const { socket, received } = await open();
    socket.write(Buffer.from(bytes, 'latin1'));
    await until(() => received() !== '');
    how(socket);
  }

  async function open() {
    const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    return { socket, received: () => text, closed };
  }

  const reset = (socket: Socket) => socket.resetAndDestroy();
  const end = (socket: Socket) => socket.end('x');

  const CONNECT = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
  const put = (id: string, extra = '') => {
    const body = JSON.stringify({ user_group_id: id, name: id });
    return `PUT /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${BOOTSTRAP_TOKEN}\r\nContent-Type: application/json\r\n${extra}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g);

  test('a connection that is reset after CONNECT or garbage does not end the process', async () => {
    for (let round = 0; round < 5; round++) {
      await leave(CONNECT, reset);
      await leave('GARBAGE\r\n\r\n', reset);
      const { socket } = await open();
      socket.write(put('reset').slice(0, -3), () => reset(socket));
      await once(socket, 'close');
    }
    await expectAlive();
  });

  test('no client can make the process keep its connections or files open', async () => {
    const before = openFiles();
    await Promise.all(Array.from({ length: 30 }, () => leave(CONNECT, end)));
    await Promise.all(Array.from({ length: 30 }, () => leave('GARBAGE\r\n\r\n', end)));
    const assets = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50);
    await Promise.all(Array.from({ length: 5 }, () => leave(assets, reset)));
    await until(() => openFiles() < before + 15);
    await expectAlive();
  });

  test('a body of many violations below one long key is judged at once', async () => {
    const service = await startTestService('sqlite');
    for (const value of ['1e999', '"\\u0000"']) {
      const values = Array(Math.floor(120_000 / (value.length + 1))).fill(value);
      const body = `{"user_group_id":"d","name":"n","x":{"${'~'.repeat(130_000)}":[${values.join()}]}}`;
      const judge = async () => expect([200, 422]).toContain((await service.api.put(body)).status);
      expect(await processorMs(judge)).toBeLessThan(1000);
    }
    await service.close();
    await service.database.drop();
  });

  test('a request target that is none is answered as malformed', async () => {
    const targets = [
      'http://[bad/api/user',
      'http://[::1]:99x/x',
      'http://x:99999/x',
      '*',
      'nonsense',
    ];
    const get = async (target: string) => ({
      target,
      text: await send(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    });
    for (const { target, text } of await Promise.all(targets.map(get))) {
      expect([target, statuses(text)]).toEqual([target, ['HTTP/1.1 400']]);
      expect(text).toContain('"code":"request_malformed"');
      expect(text).toContain('Cache-Control: no-store');
    }
  });

  test('a request target in absolute form is served', async () => {
    const request = put('absolute', 'Connection: close\r\n').replace(
      '/api/user',
      'http://x/api/user',
    );
    expect(statuses(await send(request))).toEqual(['HTTP/1.1 200']);
  });

  test('CONNECT or garbage behind a request does not take the place of its answer', async () => {
    const answers = [CONNECT, '\0garbage\r\n\r\n'].map((bytes, index) =>
      send(put(`before ${index}`) + bytes),
    );
    for (const text of await Promise.all(answers)) expect(statuses(text)).toEqual(['HTTP/1.1 200']);
  });

  test('one request gets one answer, also when its body ends early after a refusal', async () => {
    const refused = put('once').replace(BOOTSTRAP_TOKEN, 'wrong').slice(0, -5);
    const { socket, received, closed } = await open();
    socket.write(refused);
    await until(() => received() !== '');
    socket.end();
    await closed;
    expect(statuses(received())).toEqual(['HTTP/1.1 401']);
  });

  test('a body that stops being HTTP is answered as malformed', async () => {
    const text = await send(
      `PUT /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${BOOTSTRAP_TOKEN}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"\r\nnonsense\r\n`,
    );
    expect(statuses(text)).toEqual(['HTTP/1.1 400']);
    expect(text).toContain('"code":"request_malformed"');
  });

  test('a transfer coding that the service does not undo is refused', async () => {
    const text = await send(
      `PUT /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${BOOTSTRAP_TOKEN}\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    );
    expect(statuses(text)).toEqual(['HTTP/1.1 415']);
  });

  test.each(['/x%20TOKEN', '/x_TOKEN', '/api/user1TOKEN', `/${'x'.repeat(245)}TOKEN`])(
    'a token in the path %.20s is in no line of the log, and as a request id in no answer',
    async (path) => {
      const { body } = await server.api.get({ user_group_id: 'g' });
      const { token } = body.user_group;
      const answer = await server.api.send({
        method: 'GET',
        path: path.replace('TOKEN', token),
        headers: { 'X-Request-Id': token },
      });
      expect(JSON.stringify([answer.headers, answer.text])).not.toContain(token);
      const { 'x-request-id': requestId } = answer.headers;
      await until(() => server.output().includes(String(requestId)));
      expect(server.output()).not.toContain(token.slice(0, 8));
    },
  );

  /** Descriptors of the process; counted by the kernel, where it tells. */
  function openFiles(): number {
    try {
      return readdirSync(`/proc/${server.process.pid!}/fd`).length;
    } catch {
      return 0;
    }
  }
});
