import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { UnreadAnswers } from './unread-answers';

/** Of all connections together: what waits takes some kilobytes, and nobody who needs speed makes it wait. */
const MOST_WAITING = 1000;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  listener: RequestListener;
}

/** The requests of one connection: one is served, those that came behind it wait. */
interface Connection {
  socket: Socket;
  current: Exchange | undefined;
  /** The one that was begun last, also when it has been answered. */
  last: Exchange | undefined;
  waiting: Exchange[];
  /** The answer to `current` is the last. */
  isEnding: boolean;
}

/**
 * Serves one request of a connection at a time, in the order in which they came, and reads no more
 * from it while another waits. Node would run all that arrive together at once, and keep each answer
 * until the one before has been read.
 */
export class Connections {
  /** Connections that were cut, by the reason. */
  readonly cuts = { not_read: 0, memory: 0, too_many_waiting: 0 };

  private readonly open = new Map<unknown, Connection>();
  private readonly unread = new UnreadAnswers(this.cuts);
  private waiting = 0;
  private isClosing = false;

  add(socket: Socket): void {
    const connection: Connection = {
      socket,
      current: undefined,
      last: undefined,
      waiting: [],
      isEnding: false,
    };
    this.open.set(socket, connection);
    // Whoever reads the body of a request lets the whole connection flow.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause();
    });
    socket.on('close', () => {
      this.open.delete(socket);
      this.waiting -= connection.waiting.length;
      connection.waiting = [];
    });
  }

  /** Serves the exchange in its turn; what comes behind a last answer is not begun. */
  take(exchange: Exchange): void {
    const { socket } = exchange.request;
    const connection = this.open.get(socket);
    if (!connection || socket.destroyed) return;
    if (!connection.current) {
      this.begin(connection, exchange);
      return;
    }
    if (this.waiting === MOST_WAITING) {
      this.cuts.too_many_waiting++;
      socket.destroy();
      return;
    }
    this.waiting++;
    connection.waiting.push(exchange);
    socket.pause();
  }

  /** The request that is served. */
  current(socket: unknown): IncomingMessage | undefined {
    return this.open.get(socket)?.current?.request;
  }

  /**
   * Ends the connection when what came whole before now has been answered.
   * @returns what keeps it: nothing, an answer, or the request that has not come whole, whose answer is due
   */
  end(socket: unknown): 'nothing' | 'answer' | ServerResponse {
    const connection = this.open.get(socket);
    if (!connection) return 'nothing';
    const { waiting } = connection;
    if (waiting.length > 0 && !waiting.at(-1)!.request.complete) {
      waiting.pop();
      this.waiting--;
    }
    const last = waiting.at(-1) ?? connection.last;
    if (!last) return 'nothing';
    if (!last.request.complete) return last.response;
    if (last.response.writableFinished) return 'nothing';
    last.response.shouldKeepAlive = false;
    return 'answer';
  }

  /** Each connection ends with the answer that is under way; what waits behind it is not begun. */
  endAll(): void {
    this.isClosing = true;
    for (const { current } of this.open.values()) {
      if (current) current.response.shouldKeepAlive = false;
    }
  }

  private begin(connection: Connection, exchange: Exchange): void {
    if (connection.isEnding) return;
    const { request, response, listener } = exchange;
    connection.current = exchange;
    connection.last = exchange;
    // Node drops what came in one segment behind a request with `Upgrade`.
    if (this.isClosing || request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    response.on('prefinish', () => {
      this.unread.note(response);
    });
    response.on('close', () => {
      this.leave(connection, response);
    });
    listener(request, response);
  }

  private leave(connection: Connection, response: ServerResponse): void {
    const { socket, waiting } = connection;
    connection.current = undefined;
    if (socket.destroyed) return;
    if (!response.shouldKeepAlive) {
      connection.isEnding = true;
      // Its fields may have gone out before it was known to be the last.
      socket.destroySoon();
      return;
    }
    const next = waiting.shift();
    if (next === undefined) return;
    this.waiting--;
    this.begin(connection, next);
    if (waiting.length === 0) socket.resume();
  }
}
