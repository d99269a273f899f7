import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import type { LookupAddress } from 'node:dns';
import { setImmediate } from 'node:timers/promises';
import { AddressRules } from '../../src/features/webhook/sending/address-rules.ts';
import { WebhookSender, type Resolver } from '../../src/features/webhook/sending/webhook-sender.ts';
import { selfSignedCertificate } from '../support/servers/certificate.ts';
import { ALL_BUT_TIMEOUTS, stopTime } from '../support/time/fake-time.ts';
import { until } from '../support/time/until.ts';

const PERMITTED = '127.0.0.2';
const FORBIDDEN = '127.0.0.3';
const DEADLINE_MS = 60_000;
const rules = new AddressRules([PERMITTED]);

const servers: TcpServer[] = [];
const sockets: Socket[] = [];

async function listen(server: TcpServer, address: string, port = 0): Promise<number> {
  servers.push(server);
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  return (server.address() as AddressInfo).port;
}

/** A receiver at the permitted address; gives its port. */
const receive = (listener: RequestListener): Promise<number> =>
  listen(createServer(listener), PERMITTED);

/** Counts connections to the forbidden address at this port. */
async function watchForbidden(port: number): Promise<() => number> {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.destroy();
  });
  await listen(server, FORBIDDEN, port);
  return () => connections;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Returns one list of addresses after the other, and the last one each time after that. */
function resolverOf(...answers: string[][]): Resolver & { calls: () => number } {
  let calls = 0;
  const resolve = (): Promise<LookupAddress[]> => {
    const addresses = answers[Math.min(calls++, answers.length - 1)]!;
    return Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(resolve, { calls: () => calls });
}

const send = (url: string, resolve?: Resolver, deadlineMs = DEADLINE_MS) =>
  new WebhookSender({ rules, allowHttp: true, deadlineMs, ...(resolve && { resolve }) }).send({
    url,
    headers: { 'webhook-id': 'evt_1' },
    body: '{"ä":1}',
  });

test('posts the body as it is, and gives the status and the start of the answer', async () => {
  let seen: unknown;
  const port = await receive((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen = [
        method,
        url,
        headers['webhook-id'],
        headers['content-type'],
        headers.host,
        Buffer.concat(chunks).toString(),
      ];
      response.writeHead(202).end('accepted');
    });
  });
  const sent = await send(`http://${PERMITTED}:${port}/a?b=c`);
  expect(sent).toEqual({ status: 202, response: 'accepted', retryAfterMs: null });
  expect(seen).toEqual([
    'POST',
    '/a?b=c',
    'evt_1',
    'application/json',
    `${PERMITTED}:${port}`,
    '{"ä":1}',
  ]);
});

describe('no connection is made', () => {
  test.each(['', '::ffff:', '64:ff9b::'])(
    'to a forbidden literal address, written %s…',
    async (prefix) => {
      const connections = await watchForbidden(0);
      const { port } = servers.at(-1)!.address() as AddressInfo;
      const resolve = resolverOf([PERMITTED]);
      const host = prefix === '' ? FORBIDDEN : `[${prefix}${FORBIDDEN}]`;
      expect(await send(`http://${host}:${port}/`, resolve)).toEqual({
        failure: 'address_forbidden',
      });
      expect([connections(), resolve.calls()]).toEqual([0, 0]);
    },
  );

  test.each(['0x7f000003', '2130706435', '0177.0.0.3', '127.3', '127.0.0.3.', '①②⑦.0.0.3'])(
    'to %s, which the URL makes the forbidden address',
    async (host) => {
      const resolve = resolverOf([PERMITTED]);
      const connections = await watchForbidden(0);
      const { port } = servers.at(-1)!.address() as AddressInfo;
      expect(await send(`http://${host}:${port}/`, resolve)).toEqual({
        failure: 'address_forbidden',
      });
      expect(connections()).toBe(0);
    },
  );

  test.each([
    [[FORBIDDEN]],
    [[PERMITTED, FORBIDDEN]],
    [[FORBIDDEN, PERMITTED]],
    [['::1']],
    [[`::ffff:${FORBIDDEN}`]],
  ])('to a name whose addresses are %j', async (addresses) => {
    const port = await receive((_request, response) => response.end());
    const connections = await watchForbidden(port);
    const sent = await send(`http://receiver.example:${port}/`, resolverOf(addresses));
    expect(sent).toEqual({ failure: 'address_forbidden' });
    expect(connections()).toBe(0);
  });

  test('to another address than the checked one, when a name changes its answer', async () => {
    let visits = 0;
    const port = await receive((_request, response) => {
      visits++;
      response.end();
    });
    const connections = await watchForbidden(port);
    const resolve = resolverOf([PERMITTED], [FORBIDDEN]);
    const url = `http://receiver.example:${port}/`;
    expect(await send(url, resolve)).toMatchObject({ status: 200 });
    expect([visits, connections(), resolve.calls()]).toEqual([1, 0, 1]);
    expect(await send(url, resolve)).toEqual({ failure: 'address_forbidden' });
    expect([visits, connections()]).toEqual([1, 0]);
  });

  test.each([301, 302, 303, 307, 308])('to where a %d leads', async (status) => {
    let port = 0;
    port = await receive((_request, response) => {
      response.writeHead(status, { Location: `http://${FORBIDDEN}:${port}/` }).end();
    });
    const connections = await watchForbidden(port);
    expect(await send(`http://${PERMITTED}:${port}/`)).toMatchObject({ status });
    expect(connections()).toBe(0);
  });
});

describe('the deadline, and nothing earlier, ends an attempt at', () => {
  /** @param hasBegun whether the attempt is under way */
  const outlast = async (url: string, hasBegun: () => boolean, resolve?: Resolver) => {
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_TIMEOUTS] });
    let hasEnded = false;
    const sending = send(url, resolve).finally(() => (hasEnded = true));
    await until(hasBegun);
    jest.advanceTimersByTime(DEADLINE_MS - 1);
    await setImmediate();
    expect(hasEnded).toBe(false);
    jest.advanceTimersByTime(1);
    return sending;
  };

  test('a receiver that hangs', async () => {
    let hangs = false;
    const port = await receive(() => (hangs = true));
    expect(await outlast(`http://${PERMITTED}:${port}/`, () => hangs)).toEqual({
      failure: 'timeout',
    });
  });

  test('a receiver that drips its head', async () => {
    let drops = 0;
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.write('HTTP/1.1 200 OK\r\nX-A: ');
        const timer = setInterval(() => socket.write('a', () => drops++), 5);
        socket.on('close', () => {
          clearInterval(timer);
        });
      }),
      PERMITTED,
    );
    expect(await outlast(`http://${PERMITTED}:${port}/`, () => drops > 5)).toEqual({
      failure: 'timeout',
    });
  });

  test('a receiver that drips its body: the status counts', async () => {
    let drops = 0;
    const port = await receive((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.', () => drops++), 5);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const sent = await outlast(`http://${PERMITTED}:${port}/`, () => drops > 20);
    expect(sent).toEqual({
      status: 200,
      response: expect.stringMatching(/^\.+$/),
      retryAfterMs: null,
    });
  });

  test('a name that nobody resolves in time', async () => {
    let isAsked = false;
    const never: Resolver = () => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    expect(await outlast('http://receiver.example/', () => isAsked, never)).toEqual({
      failure: 'timeout',
    });
  });
});

test('where http is not allowed nothing is sent by it', async () => {
  const resolve = resolverOf([PERMITTED]);
  const sender = new WebhookSender({ rules, allowHttp: false, deadlineMs: DEADLINE_MS, resolve });
  const message = { url: 'http://receiver.example/', headers: {}, body: '{}' };
  expect(await sender.send(message)).toEqual({ failure: 'address_forbidden' });
  expect(resolve.calls()).toBe(0);
});

test('of 100 MB one kilobyte is kept, and little more is read', async () => {
  const chunk = Buffer.alloc(65_536, 'x');
  let written = 0;
  const ended = new Promise<void>((resolve) => {
    void receive((_request, response) => {
      response.on('close', resolve);
      const pump = (): void => {
        while (written < 100_000_000 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', pump);
            return;
          }
        }
        response.end();
      };
      pump();
    }).then(async (port) => {
      const sent = await send(`http://${PERMITTED}:${port}/`, undefined);
      expect(sent).toEqual({ status: 200, response: 'x'.repeat(1024), retryAfterMs: null });
    });
  });
  await ended;
  expect(written).toBeLessThan(20_000_000);
});

test('an answer that is cut off has its status', async () => {
  const port = await receive((_request, response) => {
    response.writeHead(500, { 'Content-Length': '100' }).write('part', () => response.destroy());
  });
  expect(await send(`http://${PERMITTED}:${port}/`)).toMatchObject({ status: 500 });
});

test('what is stored of an answer is text without NUL and without tokens', async () => {
  const token = 'ugt_ThisIsTheTokenOfNobody01234567893HFZ3k';
  const port = await receive((_request, response) => {
    response.end(Buffer.concat([Buffer.from(`a\0b ${token} `), Buffer.of(0xff, 0xfe)]));
  });
  const sent = await send(`http://${PERMITTED}:${port}/`);
  expect(sent).toMatchObject({ response: 'a\uFFFDb ugt_[redacted] \uFFFD\uFFFD' });
});

test.each([
  ['7', 7000],
  ['0', 0],
  ['999999999', 24 * 3_600_000],
  ['soon', null],
  ['-1', null],
])('Retry-After: %s', async (value, ms) => {
  const port = await receive((_request, response) => {
    response.writeHead(429, { 'Retry-After': value }).end();
  });
  expect(await send(`http://${PERMITTED}:${port}/`)).toMatchObject({
    status: 429,
    retryAfterMs: ms,
  });
});

test('Retry-After as a date', async () => {
  stopTime();
  const port = await receive((_request, response) => {
    response.writeHead(503, { 'Retry-After': new Date(Date.now() + 60_000).toUTCString() }).end();
  });
  const { retryAfterMs } = (await send(`http://${PERMITTED}:${port}/`)) as { retryAfterMs: number };
  expect(retryAfterMs).toBeGreaterThan(50_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60_000);
});

describe('without an answer it says why:', () => {
  test('nobody listens', async () => {
    const port = await receive(() => undefined);
    servers.pop()!.close();
    expect(await send(`http://${PERMITTED}:${port}/`)).toEqual({ failure: 'connection_refused' });
  });

  test('the receiver hangs up', async () => {
    const port = await receive((request) => request.socket.destroy());
    expect(await send(`http://${PERMITTED}:${port}/`)).toEqual({ failure: 'connection_lost' });
  });

  test.each([
    'SSH-2.0-OpenSSH_9.2\r\n',
    'HTTP/1.1 abc\r\n\r\n',
    `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(99_999)}\r\n\r\n`,
  ])('it answers no HTTP: %.20s', async (text) => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.end(text);
      }),
      PERMITTED,
    );
    expect(await send(`http://${PERMITTED}:${port}/`)).toEqual({ failure: 'response_malformed' });
  });

  test('it switches to another protocol', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
        );
      }),
      PERMITTED,
    );
    expect(await send(`http://${PERMITTED}:${port}/`)).toEqual({ failure: 'response_malformed' });
  });

  test.each([
    ['a name without an address', () => Promise.resolve([])],
    ['a name that is unknown', () => Promise.reject(new Error('ENOTFOUND'))],
  ])('%s', async (_name, resolve) => {
    expect(await send('http://receiver.example/', resolve)).toEqual({
      failure: 'name_not_resolved',
    });
  });

  test('a certificate that nobody vouches for', async () => {
    const port = await listen(
      createHttpsServer(selfSignedCertificate(PERMITTED), (_request, response) => response.end()),
      PERMITTED,
    );
    expect(await send(`https://${PERMITTED}:${port}/`)).toEqual({ failure: 'tls_failed' });
  });

  test('a port without TLS', async () => {
    const port = await receive((_request, response) => response.end());
    expect(await send(`https://${PERMITTED}:${port}/`)).toEqual({ failure: 'tls_failed' });
  });
});
