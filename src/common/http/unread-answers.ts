import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** For how long a client may read nothing at all of an answer, */
const LONGEST_PAUSE_MS = 30_000;
/** and how fast it has to read beyond that. */
const LEAST_BYTES_PER_MS = 64;
/** Of all answers together that are in memory because nobody has read them. */
const MOST_BYTES = 32 * 1024 ** 2;
const SWEEP_MS = 1000;

interface Unread {
  since: number;
  /** What the client, or the kernel for it, had taken of the connection by then. */
  taken: number;
  /** Whether memory is kept for it alone. */
  isCounted: boolean;
}

const fromMemory = new WeakSet<ServerResponse>();

/** Answers with bytes that are kept for everybody, so that a client that does not read costs nothing. */
export function answerFromMemory(response: ServerResponse, bytes: Buffer): void {
  fromMemory.add(response);
  response.end(bytes);
}

/**
 * Cuts connections whose clients do not read: each after a time, and the longest unread ones when
 * all of them together keep too much in memory. Only the last answer may be larger than that by itself.
 */
export class UnreadAnswers {
  /** In the order in which they were noted. */
  private readonly sockets = new Map<Socket, Unread>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly cuts: { not_read: number; memory: number }) {}

  /** To be told when an answer has been written: most have been taken by then. */
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
    socket.destroy();
  }
}

function takenOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
