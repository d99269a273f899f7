import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client may leave a response unread for this long, plus the time for the unread rest at the rate below. */
const MAX_PAUSE_MS = 30_000;
/** Lowest rate at which a client is expected to read. */
const MIN_BYTES_PER_MS = 64;
/** Bounds the unread responses in memory, of all clients together. */
const MAX_BYTES = 32 * 1024 ** 2;
const SWEEP_MS = 1000;

interface Unread {
  since: number;
  /** Bytes that the client, or the kernel for it, had read by then. */
  taken: number;
  /** Whether the response takes memory of its own. */
  isCounted: boolean;
}

const fromMemory = new WeakSet<ServerResponse>();

/** Sends bytes that all clients share, so that an idle client costs no memory. */
export function respondFromMemory(response: ServerResponse, bytes: Buffer): void {
  fromMemory.add(response);
  response.end(bytes);
}

/**
 * Cuts connections of clients that do not read: each after a time, and the longest unread ones when all together keep
 * too much in memory. Only the latest response alone may exceed that bound.
 */
export class UnreadResponses {
  /** In the order in which they were noted. */
  private readonly sockets = new Map<Socket, Unread>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly cuts: { not_read: number; memory: number }) {}

  /** Notes a response that has been written; most are read by then. */
  note(response: ServerResponse): void {
    const { socket } = response;
    if (!socket || socket.writableLength === 0) return;
    const isCounted = !fromMemory.has(response);
    const known = this.sockets.get(socket);
    if (known) known.isCounted = isCounted;
    else this.sockets.set(socket, { since: performance.now(), taken: takenOf(socket), isCounted });
    this.timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
    if (isCounted) this.keepWithinMemory(socket);
  }

  private keepWithinMemory(latest: Socket): void {
    const counted = [...this.sockets].filter(([, { isCounted }]) => isCounted);
    let bytes = counted.reduce((sum, [socket]) => sum + socket.writableLength, 0);
    for (const [socket] of counted) {
      if (bytes <= MAX_BYTES) return;
      if (socket === latest || socket.writableLength === 0) continue;
      bytes -= socket.writableLength;
      this.cut(socket, 'memory');
    }
  }

  private sweep(): void {
    const now = performance.now();
    for (const [socket, unread] of this.sockets) {
      const { writableLength } = socket;
      const taken = takenOf(socket);
      if (socket.destroyed || writableLength === 0) {
        this.sockets.delete(socket);
      } else if (taken > unread.taken) {
        Object.assign(unread, { since: now, taken });
      } else if (now - unread.since > MAX_PAUSE_MS + writableLength / MIN_BYTES_PER_MS) {
        this.cut(socket, 'not_read');
      }
    }
    if (this.sockets.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private cut(socket: Socket, reason: 'not_read' | 'memory'): void {
    this.cuts[reason]++;
    this.sockets.delete(socket);
    // An orderly end would leave the data to the kernel that it has accepted for the client.
    socket.resetAndDestroy();
  }
}

function takenOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
