import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** One event stream that a client has opened; it says what it is told to, also what no service would. */
export class FakeStream {
  readonly openedAt = performance.now();
  readonly lastEventId: string | undefined;
  isClosed = false;
  /** The status of a refusal. */
  status: number | undefined;
  /** The bytes that it has said so far. */
  written = 0;
  private beating: NodeJS.Timeout | undefined;

  constructor(
    request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    this.lastEventId = request.headers['last-event-id'] as string | undefined;
    response.on('close', () => {
      this.isClosed = true;
      clearInterval(this.beating);
    });
  }

  refuse(status: number): void {
    this.status = status;
    this.response.writeHead(status, { 'Content-Type': 'application/problem+json' }).end('{}');
  }

  /** The clock of the stream counts from its opening. */
  open(): void {
    this.response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    this.send('open', { at: 0 });
  }

  send(event: string, data: object, id?: string): void {
    this.write(
      `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
    );
  }

  write(text: string): void {
    this.written += Buffer.byteLength(text);
    this.response.write(text);
  }

  change(type: string, teamId?: number, id?: string): void {
    const group = teamId === undefined ? {} : { user_group: { team_id: teamId } };
    this.send('change', { type, ...group }, id);
  }

  /** @param ageMs the milliseconds since everything had been told */
  current({ ageMs = 0, time = Date.now() } = {}, id?: string): void {
    const at = performance.now() - this.openedAt - ageMs;
    this.send('current', { at, time: new Date(time).toISOString() }, id);
  }

  /** Sends `current` as often as the service does. */
  stayCurrent(id?: string): void {
    this.current({}, id);
    this.beating = setInterval(() => {
      this.current();
    }, 250);
  }

  /** Says nothing more, and does not end. */
  fallSilent(): void {
    clearInterval(this.beating);
  }

  cut(): void {
    this.response.destroy();
  }
}

/** Stands in for the service, to say and to do at a given moment what it does seldom or never. */
export class FakeEvents {
  readonly streams: FakeStream[] = [];
  /** The bodies of the introspections that have arrived. */
  readonly asked: { token: string; schema_id?: string }[] = [];
  /** The headers of the last of them. */
  headers: IncomingHttpHeaders = {};
  /** The response to an introspection, when it is given. */
  answer: (body: { token: string }) => object | Promise<object> = ({ token }) => active(token);
  /** The response in its place. */
  raw: { status: number; text: string; headers?: Record<string, string> } | undefined;
  /** The beginning of a stream that is opened. */
  onStream: (stream: FakeStream, index: number) => void = (stream) => {
    stream.open();
    stream.stayCurrent();
  };

  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  async listen(): Promise<void> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get stream(): FakeStream {
    return this.streams.at(-1)!;
  }

  close(): void {
    for (const stream of this.streams) stream.fallSilent();
    this.server.close();
    this.server.closeAllConnections();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/api/v1/events/stream') {
      const stream = new FakeStream(request, response);
      this.streams.push(stream);
      this.onStream(stream, this.streams.length - 1);
      return;
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as { token: string };
    this.asked.push(body);
    this.headers = request.headers;
    const {
      status,
      text: said,
      headers,
    } = this.raw ?? { status: 200, text: JSON.stringify(await this.answer(body)) };
    response
      .writeHead(status, { 'Content-Type': 'application/json', Location: '/elsewhere', ...headers })
      .end(said);
  }
}

/** The response for the group that the number in the token names. */
export function active(token: string, fields: object = {}): object {
  return { active: true, team_id: Number(/\d+/.exec(token)), sub: token, ...fields };
}
