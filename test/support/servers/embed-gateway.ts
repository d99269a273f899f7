import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { selfSignedCertificate } from './certificate.ts';

/** A request that the gateway has decided on, with the names of its cookies. */
export interface Passed {
  line: string;
  cookies: string[];
  status: number;
}

const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Headers of one connection. */
const OF_CONNECTION = ['connection', 'upgrade', 'host', 'content-length', 'transfer-encoding'];

/**
 * Does what the settings of nginx in docs/guides/gateways.md do, by HTTPS: asks the service about each request, and
 * serves its page at `/_embed`. Behind it is a dashboard of a page, a script and a WebSocket. `/plain` is open, and
 * sets a cookie that is not partitioned.
 */
export class EmbedGateway {
  readonly passed: Passed[] = [];
  private readonly server: Server;

  constructor(
    private readonly serviceUrl: () => string,
    private readonly fields: Record<string, string>,
  ) {
    this.server = createServer(selfSignedCertificate('dashboards.example.net'));
    this.server.on('request', (asked: IncomingMessage, response: ServerResponse) => {
      void this.respond(asked, response);
    });
    this.server.on('upgrade', (asked: IncomingMessage) => void this.connect(asked));
  }

  async listen(): Promise<number> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async respond(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url, method } = asked;
    if (url === '/plain') {
      const plain = 'plain=1; Path=/; Secure; HttpOnly; SameSite=None';
      response.writeHead(200, { 'Set-Cookie': plain }).end();
      return;
    }
    if (url === '/_embed') {
      const body = method === 'POST' ? JSON.stringify(await json(asked)) : undefined;
      const page = await this.call('/api/v1/embed-session', asked, body);
      this.note(asked, page.statusCode!);
      response.writeHead(page.statusCode!, kept(page.headers));
      page.pipe(response);
      return;
    }
    const { statusCode, headers } = await this.ask(asked);
    this.note(asked, statusCode!);
    if (statusCode !== 200) {
      response.writeHead(statusCode!).end();
      return;
    }
    const isScript = url === '/asset.js';
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? SCRIPT : dashboardOf(headers['x-user-group'] as string, url!));
  }

  /** Opens a WebSocket that sends nothing. */
  private async connect(asked: IncomingMessage): Promise<void> {
    const { statusCode } = await this.ask(asked);
    const isIn = statusCode === 200;
    this.note(asked, isIn ? 101 : statusCode!);
    const key = `${asked.headers['sec-websocket-key']}${KEY_SUFFIX}`;
    const accept = createHash('sha1').update(key).digest('base64');
    asked.socket.write(
      isIn
        ? `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
        : `HTTP/1.1 ${statusCode} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    if (!isIn) asked.socket.end();
  }

  private async ask(asked: IncomingMessage): Promise<IncomingMessage> {
    return (await this.call('/api/v1/forward-auth', asked)).resume();
  }

  private async call(
    path: string,
    asked: IncomingMessage,
    body?: string,
  ): Promise<IncomingMessage> {
    const headers = { ...kept(asked.headers), ...this.fields };
    const call = request(this.serviceUrl() + path, { method: asked.method, headers });
    call.end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return response;
  }

  private note({ method, url, headers }: IncomingMessage, status: number): void {
    const cookies = (headers.cookie ?? '').split('; ').map((pair) => pair.split('=')[0]!);
    this.passed.push({ line: `${method} ${url}`, cookies: cookies.filter(Boolean), status });
  }
}

const SCRIPT = `
const live = new WebSocket('wss://' + location.host + '/live');
live.onopen = () => (document.querySelector('i').textContent = 'live');
document.querySelector('b').textContent = 'drawn';
`;

const dashboardOf = (group: string, url: string) =>
  `<!doctype html><link rel="icon" href="data:,"><p>${group} at ${url}</p><b></b><i></i><a href="/more">More</a><script src="/asset.js"></script>`;

function kept(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)),
  );
}
