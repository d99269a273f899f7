import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/**
 * Opens a WebSocket, or is refused.
 * @returns the status, 101 with the `socket`
 */
export async function openSocket(port, path, headers) {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      ...headers,
    },
  });
  const settled = Promise.race([once(outgoing, 'upgrade'), once(outgoing, 'response')]);
  outgoing.end();
  const [response, connection, head] = await settled;
  const { statusCode: status } = response;
  if (status === 101) return { status, socket: new WebSocket(connection, head) };
  outgoing.destroy();
  return { status };
}

/** One connection, and all that its server says. */
class WebSocket {
  /** All that has been said since the last call, in the order of its bytes. */
  said = '';
  isOpen = true;
  #rest = Buffer.alloc(0);
  #connection;

  constructor(connection, head) {
    this.#connection = connection;
    this.#read(head);
    connection.on('data', (chunk) => this.#read(chunk));
    /** Resolves when the connection has ended, also by an error. */
    this.ended = new Promise((resolve) => {
      connection.on('error', () => undefined);
      connection.on('close', () => {
        this.isOpen = false;
        resolve();
      });
    });
  }

  /** @param message a text, or bytes */
  send(message) {
    this.#write(typeof message === 'string' ? TEXT : BINARY, Buffer.from(message));
  }

  /** Waits until one of the texts is said. @returns all that was said @throws Error if the connection ends before */
  async until(texts) {
    while (!texts.some((text) => this.said.includes(text))) {
      if (!this.isOpen) throw new Error(`the connection has ended after ${this.said.slice(-500)}`);
      await Promise.race([this.#heard(), this.ended]);
    }
    const { said } = this;
    this.said = '';
    return said;
  }

  #heard() {
    return new Promise((resolve) => {
      this.#connection.once('data', resolve);
    });
  }

  close() {
    this.#connection.destroy();
  }

  #write(kind, payload) {
    const length =
      payload.length < 126
        ? [0x80 | payload.length]
        : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
    // A mask of zeros leaves the payload as it is.
    this.#connection.write(
      Buffer.concat([Buffer.from([0x80 | kind, ...length, 0, 0, 0, 0]), payload]),
    );
  }

  #read(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let frame = frameOf(this.#rest); frame; frame = frameOf(this.#rest)) {
      this.#rest = this.#rest.subarray(frame.end);
      if (frame.kind === PING) this.#write(PONG, frame.payload);
      else if (frame.kind === CLOSE) this.#connection.end();
      else this.said += frame.payload.toString('latin1');
    }
  }
}

/** The first whole frame of a server, which masks nothing. */
function frameOf(bytes) {
  if (bytes.length < 2) return undefined;
  const short = bytes[1] & 0x7f;
  const start = { 126: 4, 127: 10 }[short] ?? 2;
  if (bytes.length < start) return undefined;
  const length =
    { 126: () => bytes.readUInt16BE(2), 127: () => Number(bytes.readBigUInt64BE(2)) }[short]?.() ??
    short;
  const end = start + length;
  if (bytes.length < end) return undefined;
  return { kind: bytes[0] & 0x0f, payload: bytes.subarray(start, end), end };
}
