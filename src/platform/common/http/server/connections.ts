import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { UnreadResponses } from './unread-responses.ts';

/**
 * Bounds the waiting requests of all connections together: each takes some kilobytes, and well-behaved clients do not
 * pipeline.
 */
const MAX_WAITING = 1000;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  listener: RequestListener;
}

/** One request of a connection is served, those behind it wait. */
interface Connection {
  socket: Socket;
  current: Exchange | undefined;
  /** The exchange that began last, even if it is complete. */
  last: Exchange | undefined;
  waiting: Exchange[];
  /** Whether the response to `current` is the last. */
  isEnding: boolean;
}

/**
 * Serves one request of a connection at a time, in the order of their arrival, and reads no more from it while another
 * waits. Node would run all requests that arrive together at once, and hold each response until the one before has been
 * read.
 */
export class Connections {
  /** Number of connections that were cut, by reason. */
  readonly cuts = { not_read: 0, memory: 0, too_many_waiting: 0 };

  private readonly open = new Map<unknown, Connection>();
  private readonly unread = new UnreadResponses(this.cuts);
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
    // Node remembers the address after the first access, even when the client is gone.
    Reflect.get(socket, 'remoteAddress');
    // Reading the body of a request resumes the whole connection.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause();
    });
    socket.on('close', () => {
      this.open.delete(socket);
      this.waiting -= connection.waiting.length;
      connection.waiting = [];
    });
  }

  /** Serves the exchange in its turn; after a last response no exchange begins. */
  take(exchange: Exchange): void {
    const { socket } = exchange.request;
    const connection = this.open.get(socket);
    if (!connection || socket.destroyed) return;
    if (!connection.current) {
      this.begin(connection, exchange);
      return;
    }
    if (this.waiting === MAX_WAITING) {
      this.cuts.too_many_waiting++;
      socket.destroy();
      return;
    }
    this.waiting++;
    connection.waiting.push(exchange);
    socket.pause();
  }

  current(socket: unknown): IncomingMessage | undefined {
    return this.open.get(socket)?.current?.request;
  }

  /**
   * Ends the connection when the requests that have arrived completely have their responses.
   * @returns the reason that it is still open: nothing, a response under way, or the response due to the incomplete request
   */
  end(socket: unknown): 'nothing' | 'response' | ServerResponse {
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
    return 'response';
  }

  /** Ends each connection with the pending response; requests waiting behind it do not begin. */
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
    // Node drops data that came in one segment behind a request with `Upgrade`.
    if (this.isClosing || request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    response.on('prefinish', () => this.unread.note(response));
    response.on('close', () => this.leave(connection, response));
    listener(request, response);
  }

  private leave(connection: Connection, response: ServerResponse): void {
    const { socket, waiting } = connection;
    connection.current = undefined;
    if (socket.destroyed) return;
    if (!response.shouldKeepAlive) {
      connection.isEnding = true;
      // Its fields may have been sent before it was known to be the last.
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
