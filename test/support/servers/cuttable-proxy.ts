import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server, on loopback, that can be cut as networks are: without a word to either end. */
export class CuttableProxy {
  /** The port to which new connections lead. It can change. */
  private target = 0;
  private readonly server: Server;
  private readonly pairs = new Set<[Socket, Socket]>();
  private isCut = false;
  private isHeld = false;

  private constructor() {
    this.server = createServer((from) => {
      this.join(from);
    });
  }

  static async start(baseUrl: string): Promise<CuttableProxy> {
    const proxy = new CuttableProxy();
    proxy.leadTo(baseUrl);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  leadTo(baseUrl: string): void {
    this.target = Number(new URL(baseUrl).port);
  }

  /** Holds back later bytes until `release`, like a network that loses everything for a while. */
  hold(): void {
    this.isHeld = true;
    for (const sockets of this.pairs) for (const socket of sockets) socket.pause();
  }

  release(): void {
    this.isHeld = false;
    for (const sockets of this.pairs) for (const socket of sockets) socket.resume();
  }

  /** Ends the connections for good without a word to either end, and new ones until `heal`. */
  cut(): void {
    this.isCut = true;
    for (const [from, to] of this.pairs) silence(from, to);
  }

  heal(): void {
    this.isCut = false;
  }

  /** Ends the connections of now; new ones are served. */
  drop(): void {
    for (const sockets of this.pairs) for (const socket of sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(from: Socket): void {
    const to = connect(this.target, '127.0.0.1');
    const pair: [Socket, Socket] = [from, to];
    this.pairs.add(pair);
    for (const [one, other] of [pair, [to, from] as const]) {
      one.on('error', () => undefined);
      one.on('close', () => {
        other.destroy();
        this.pairs.delete(pair);
      });
    }
    if (this.isCut) {
      silence(from, to);
    } else {
      from.pipe(to);
      to.pipe(from);
      if (this.isHeld) for (const socket of pair) socket.pause();
    }
  }
}

function silence(from: Socket, to: Socket): void {
  for (const [one, other] of [
    [from, to],
    [to, from],
  ] as const) {
    one.unpipe(other);
    one.resume();
  }
}
