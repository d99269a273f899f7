import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A cable to the database that can be cut, or go silent, and be mended. */
export class Cable {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  private silent = false;
  private readonly hushed = new Set<Socket>();
  /** The number of messages that have got lost on the way to the database. */
  lost = 0;
  private endsAfterAnswer = false;
  private refusal: string | undefined;

  constructor(private readonly target: URL) {}

  async plugIn(): Promise<URL> {
    this.server = createServer((incoming) => {
      const { refusal } = this;
      if (refusal !== undefined) {
        incoming.on('error', () => incoming.destroy());
        incoming.once('data', () => incoming.end(fatal(refusal, 'not for you')));
        return;
      }
      const outgoing = connect(Number(this.target.port || 5432), this.target.hostname);
      for (const socket of [incoming, outgoing]) {
        this.sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          incoming.destroy();
          outgoing.destroy();
          this.sockets.delete(socket);
        });
      }
      incoming.on('data', (chunk) => {
        if (this.carries(incoming)) outgoing.write(chunk);
        else this.lost++;
      });
      outgoing.on('data', (chunk: Buffer) => {
        if (this.carries(incoming)) this.answer(incoming, chunk);
      });
    });
    await new Promise<void>((resolve) => this.server!.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url;
  }

  async cut(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server!.close(resolve));
  }

  /** The connections there are go silent; new ones do not. */
  hush(): void {
    for (const socket of this.sockets) this.hushed.add(socket);
  }

  /** Ends the connections there are; new ones are refused with this SQLSTATE, until it is undefined. */
  refuse(state: string | undefined): void {
    this.refusal = state;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Each connection is ended by the server together with its next answer, in the same packet. */
  endAfterAnswer(ends: boolean): void {
    this.endsAfterAnswer = ends;
  }

  private answer(incoming: Socket, chunk: Buffer): void {
    const isLast = this.endsAfterAnswer && chunk.subarray(-6).equals(READY_FOR_QUERY);
    if (isLast) incoming.end(Buffer.concat([chunk, TERMINATED]));
    else incoming.write(chunk);
  }

  private carries(socket: Socket): boolean {
    return !this.silent && !this.hushed.has(socket);
  }

  goSilent(silent: boolean): void {
    this.silent = silent;
    if (!silent) for (const socket of this.sockets) socket.destroy();
  }
}

/** PostgreSQL's message that a session outside a transaction takes the next statement. */
const READY_FOR_QUERY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Makes PostgreSQL's message to a session that it ends. */
function fatal(state: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${message}\0\0`, 'latin1');
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}

/** PostgreSQL's message to a session that an administrator ends. */
const TERMINATED = fatal('57P01', 'terminating connection');
