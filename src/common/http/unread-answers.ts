import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How long a client may read nothing of an answer, plus the time that the unread rest takes at the
 * rate below.
 */
const LONGEST_PAUSE_MS = 30_000;
/** The slowest rate at which a client is expected to read. */
const LEAST_BYTES_PER_MS = 64;
/** The most bytes of unread answers in memory, of all clients together. */
const MOST_BYTES = 32 * 1024 ** 2;
const SWEEP_MS = 1000;

interface Unread {
  since: number;
  /** How much the client, or the kernel for it, had read of the connection by then. */
  taken: number;
  /** Whether the answer takes memory of its own. */
  isCounted: boolean;
}

const fromMemory = new WeakSet<ServerResponse>();

/** Answers with bytes that all clients share, so that one that does not read costs nothing. */
export function answerFromMemory(response: ServerResponse, bytes: Buffer): void {
  fromMemory.add(response);
  response.end(bytes);
}

/**
 * Cuts connections whose clients do not read: each after a time, and the longest unread ones when
 * all together keep too much in memory. Only the latest answer may be larger than that by itself.
 */
export class UnreadAnswers {
  /** In the order in which they were noted. */
  private readonly sockets = new Map<Socket, Unread>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly cuts: { not_read: number; memory: number }) {}

  /** Notes an answer that has been written; most have been read by then. */
  note(response: ServerResponse): void {
    const { socket } = response;
    if (!socket || socket.writableLength === 0) return;
    const isCounted = !fromMemory.has(response);
    const known = this.sockets.get(socket);
    if (known) known.isCounted = isCounted;
    else this.sockets.set(socket, { since: performance.now(), taken: takenOf(socket), isCounted });
    this.timer ??= setInterval(() => {
      this.sweep();
    }, SWEEP_MS).unref();
    if (isCounted) this.keepWithinMemory(socket);
  }

  private keepWithinMemory(latest: Socket): void {
    const counted = [...this.sockets].filter(([, { isCounted }]) => isCounted);
    let bytes = counted.reduce((sum, [socket]) => sum + socket.writableLength, 0);
    for (const [socket] of counted) {
      if (bytes <= MOST_BYTES) return;
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
      } else if (now - unread.since > LONGEST_PAUSE_MS + writableLength / LEAST_BYTES_PER_MS) {
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
    // An orderly end would leave to the kernel what it has taken for the client.
    socket.resetAndDestroy();
  }
}

function takenOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
