import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const MASK_BYTES = 4;

/** The response to somebody who opens a WebSocket. */
interface Opened {
  /** 101, or that of the refusal. */
  status: number;
  /** Undefined after a refusal. */
  socket?: WebSocketConnection;
}

/**
 * Opens a WebSocket (RFC 6455) with headers of its own, which the one of Node 20 and of browsers cannot have.
 * @param heard is told what arrives, in the order of its bytes; also that of a refusal
 * @throws Error if there is no response in time
 */
export async function openWebSocket(
  { url, headers }: { url: string; headers: Record<string, string> },
  limitMs: number,
  heard: (bytes: Buffer) => void,
): Promise<Opened> {
  const call = url.startsWith('wss:') ? requestHttps : requestHttp;
  const outgoing = call(url.replace(/^ws/, 'http'), {
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      ...headers,
    },
  });
  const signal = AbortSignal.timeout(limitMs);
  const settled = Promise.race([
    once(outgoing, 'upgrade', { signal }),
    once(outgoing, 'response', { signal }),
  ]) as Promise<[IncomingMessage, Duplex?, Buffer?]>;
  outgoing.end();
  try {
    const [response, connection, head] = await settled;
    const status = response.statusCode ?? 0;
    if (connection) {
      return { status, socket: new WebSocketConnection(connection, head ?? Buffer.of(), heard) };
    }
    for await (const chunk of response) heard(chunk as Buffer);
    return { status };
  } catch (error) {
    outgoing.destroy();
    throw error;
  }
}

class WebSocketConnection {
  readonly #connection: Duplex;
  readonly #heard: (bytes: Buffer) => void;
  #rest: Buffer = Buffer.of();

  constructor(connection: Duplex, head: Buffer, heard: (bytes: Buffer) => void) {
    this.#connection = connection;
    this.#heard = heard;
    connection.on('error', () => connection.destroy());
    connection.on('end', () => connection.destroy());
    connection.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
    this.#read(head);
  }

  get isOpen(): boolean {
    return !this.#connection.destroyed;
  }

  send(text: string): void {
    this.#write(TEXT, Buffer.from(text));
  }

  close(): void {
    this.#connection.destroy();
  }

  #write(kind: number, payload: Buffer): void {
    const length = lengthOf(payload.length);
    const mask = randomBytes(MASK_BYTES);
    const masked = payload.map((byte, index) => byte ^ mask[index % MASK_BYTES]!);
    if (this.isOpen) {
      this.#connection.write(Buffer.concat([Buffer.of(0x80 | kind), length, mask, masked]));
    }
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let frame = frameOf(this.#rest); frame; frame = frameOf(this.#rest)) {
      this.#rest = this.#rest.subarray(frame.end);
      if (frame.kind === PING) this.#write(PONG, frame.payload);
      else if (frame.kind === CLOSE) this.close();
      else if (frame.kind !== PONG) this.#heard(frame.payload);
    }
  }
}

/** The length of a masked payload, in as few bytes as it needs. */
function lengthOf(length: number): Buffer {
  if (length < 126) return Buffer.of(0x80 | length);
  const isLong = length >= 2 ** 16;
  const bytes = Buffer.alloc(isLong ? 8 : 2);
  if (isLong) bytes.writeBigUInt64BE(BigInt(length));
  else bytes.writeUInt16BE(length);
  return Buffer.concat([Buffer.of(0x80 | (isLong ? 127 : 126)), bytes]);
}

/** The first whole frame of a server, which masks nothing. A part of a message is a frame of its own. */
function frameOf(bytes: Buffer): { kind: number; payload: Buffer; end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const length =
    short === 126
      ? bytes.readUInt16BE(2)
      : short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short;
  const end = start + length;
  if (bytes.length < end) return undefined;
  return { kind: bytes[0]! & 0x0f, payload: bytes.subarray(start, end), end };
}
