import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { StreamConfig } from '../../clients/conformance/config-offers.ts';
import { Stream } from '../../clients/conformance/stream.ts';
import { until } from '../support/time/until.ts';

const LIMIT_MS = 60_000;
const [CONTINUATION, TEXT, CLOSE, PING, PONG] = [0, 1, 8, 9, 10];
const FINAL = 0x80;

let server: Server;
let stream: Stream | undefined;

beforeEach(() => (server = createServer()));
afterEach(async () => {
  stream?.close();
  stream = undefined;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function openAt(scheme: 'http' | 'ws', own: Partial<StreamConfig> = {}, limitMs = LIMIT_MS) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/{token}`;
  const config = { method: 'GET', headers: {}, sends: [], asks: undefined, everySeconds: 1 };
  stream = await Stream.open({ ...config, url, ...own }, 'a/b', limitMs);
  return stream;
}

/** Waits until all of this has arrived. */
async function heard(from: Stream, wanted: string): Promise<string> {
  let text = '';
  await until(
    () => (text += from.take()).length >= wanted.length,
    () => text,
  );
  return text;
}

describe('a response without an end', () => {
  const openFrom = (listener: RequestListener, limitMs?: number) => {
    server.on('request', listener);
    return openAt('http', { headers: { 'X-Token': '{token}' } }, limitMs);
  };

  test('is open, and what arrives is taken once, also a letter in two parts', async () => {
    let send: (bytes: Buffer) => void;
    const opened = await openFrom((request, response) => {
      response.write(`${request.url} ${String(request.headers['x-token'])} `);
      send = (bytes) => response.write(bytes);
    });
    expect([opened.state, opened.isOpen]).toEqual([{ status: 200 }, true]);
    expect(await heard(opened, '/a%2Fb a/b ')).toBe('/a%2Fb a/b ');
    const [first, second] = [Buffer.from('Zä').subarray(0, 2), Buffer.from('Zä').subarray(2)];
    send!(first);
    expect(await heard(opened, 'Z')).toBe('Z');
    send!(second);
    expect(await heard(opened, 'ä')).toBe('ä');
  });

  test('that ends is closed, with what it has said', async () => {
    const opened = await openFrom((_request, response) => response.writeHead(401).end('no'));
    await until(() => !opened.isOpen);
    expect([opened.take(), opened.state]).toEqual(['no', { status: 401 }]);
  });

  test('that does not come in time is closed, and says so', async () => {
    const opened = await openFrom(() => undefined, 200);
    expect([opened.isOpen, opened.state]).toEqual([
      false,
      { status: undefined, failure: 'no response within 0.2 s' },
    ]);
  });

  test('that says too much at once is closed', async () => {
    const opened = await openFrom((_request, response) => {
      const chunk = Buffer.alloc(2 ** 20, 'rows ');
      for (let count = 0; count < 9; count++) response.write(chunk);
    });
    await until(() => !opened.isOpen);
    expect(opened.state.failure).toMatch(/^more than 8 MiB at once/);
    expect(opened.take()).toHaveLength(8 * 2 ** 20);
  });
});

describe('a WebSocket', () => {
  /** All that the kit has sent, as kinds of frames with their texts. */
  let sent: [kind: number, text: string][];
  let socket: Duplex | undefined;

  // An HTTP server closes no connection that was upgraded.
  afterEach(() => socket?.destroy());

  beforeEach(() => {
    sent = [];
    server.on('upgrade', (_request, connection: Duplex) => {
      socket = connection;
      let rest: Buffer = Buffer.of();
      connection
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => {
          rest = Buffer.concat([rest, chunk]);
          for (let frame = maskedIn(rest); frame; frame = maskedIn(rest)) {
            sent.push([frame.kind, frame.text]);
            rest = rest.subarray(frame.end);
          }
        });
      connection.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      );
    });
  });

  test('sends its messages, with masks, and asks by the one that asks', async () => {
    const long = 'x'.repeat(70_000);
    const opened = await openAt('ws', {
      sends: ['{"t":"{token}"}', 'y'.repeat(300), long],
      asks: 'rows',
    });
    expect(opened.state).toEqual({ status: 101 });
    opened.ask();
    // Is not sent so soon after the first.
    opened.ask();
    await until(() => sent.length >= 4);
    expect(sent).toEqual(
      ['{"t":"a/b"}', 'y'.repeat(300), long, 'rows'].map((text) => [TEXT, text]),
    );
  });

  test('reads frames of every length, in parts, and responds to a ping', async () => {
    const opened = await openAt('ws');
    const [middle, long] = ['m'.repeat(300), 'l'.repeat(70_000)];
    const all = Buffer.concat([
      frameOf(TEXT, 'one '),
      frameOf(FINAL | PING, 'are you there'),
      frameOf(CONTINUATION, 'and '),
      frameOf(FINAL | CONTINUATION, 'another '),
      frameOf(FINAL | TEXT, middle),
      frameOf(FINAL | PONG, 'nobody has asked'),
      frameOf(FINAL | TEXT, long),
    ]);
    const wanted = `one and another ${middle}${long}`;
    for (let at = 0; at < all.length; at += 7000) socket!.write(all.subarray(at, at + 7000));
    expect(await heard(opened, wanted)).toBe(wanted);
    await until(() => sent.length > 0);
    expect(sent).toEqual([[PONG, 'are you there']]);
  });

  test.each([
    ['closes', () => socket!.write(frameOf(FINAL | CLOSE, ''))],
    ['ends', () => socket!.end()],
    ['breaks off', () => socket!.destroy()],
  ])('that the renderer %s is closed', async (_how, end) => {
    const opened = await openAt('ws');
    end();
    await until(() => {
      opened.take();
      return !opened.isOpen;
    });
  });

  test('that is refused is closed, with the refusal', async () => {
    server.removeAllListeners('upgrade').on('request', (_request, response) => {
      response.writeHead(403).end('for others');
    });
    const opened = await openAt('ws');
    expect([opened.isOpen, opened.take(), opened.state]).toEqual([
      false,
      'for others',
      { status: 403 },
    ]);
  });
});

/** A frame of a server. */
function frameOf(first: number, text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 2 ** 16 ? 4 : 10);
  head[0] = first;
  head[1] = length < 126 ? length : length < 2 ** 16 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** The first whole frame of a client. @throws Error without a mask */
function maskedIn(bytes: Buffer): { kind: number; text: string; end: number } | undefined {
  const second = bytes[1];
  if (second === undefined) return undefined;
  if ((second & 0x80) === 0) throw new Error('a frame without a mask');
  const short = second & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const length =
    start === 2 ? short : start === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = start + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(start, start + 4);
  const payload = bytes.subarray(start + 4, end).map((byte, index) => byte ^ mask[index % 4]!);
  return { kind: bytes[0]! & 0x0f, text: Buffer.from(payload).toString(), end };
}
