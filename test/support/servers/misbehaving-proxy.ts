import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The ways in which a request to the proxy fails. */
export type Fault =
  'empty' | 'html' | 'page' | 'hang' | 'cut' | 'half' | 'busy' | 'limited' | 'late';

const PAGE = '<html><body><h1>Bad Gateway</h1></body></html>';

/** A request that has arrived, and what its headers say about repetitions. */
export interface Attempt {
  method: string;
  path: string;
  key: string | undefined;
  agent: string | undefined;
}

/**
 * A proxy in front of a service that does to a request what the first part of its path says: `/html/api/v1/system` gets
 * a page, each time. `/html-once/…` gets it once, and after that what the service says.
 */
export class MisbehavingProxy {
  readonly attempts: Attempt[] = [];
  private readonly seen = new Set<string>();
  private readonly server: Server;

  private constructor(private readonly target: string) {
    this.server = createServer((from, to) => {
      this.serve(from, to).catch(() => to.destroy());
    });
  }

  static async start(target: string): Promise<MisbehavingProxy> {
    const proxy = new MisbehavingProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The address at which a client finds a service with this fault. */
  url(fault: Fault | `${Fault}-once` | 'none'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${fault}`;
  }

  /** The methods of what has arrived since the last look. */
  taken(): string[] {
    this.seen.clear();
    return this.attempts.splice(0).map(({ method }) => method);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const [, name = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(from.url!) ?? [];
    if (path === '/attempts') {
      const attempts = this.attempts.splice(0);
      this.seen.clear();
      to.end(JSON.stringify(attempts));
      return;
    }
    const { method, headers } = from;
    const key = headers['idempotency-key'] as string | undefined;
    this.attempts.push({ method: method!, path, key, agent: headers['user-agent'] });
    const [, kind, once] = /^(\w+?)(-once)?$/.exec(name)!;
    const fault = once && this.seen.has(name) ? 'none' : kind;
    this.seen.add(name);
    if (fault === 'hang') return;
    // A body without a length is read while it comes: a proxy that refuses does not wait for its end.
    if (fault === 'empty') to.writeHead(502, { 'Content-Length': 0 }).end();
    else if (fault === 'html') to.writeHead(502, { 'Content-Type': 'text/html' }).end(PAGE);
    else if (fault === 'page') to.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE);
    else if (fault === 'busy') to.writeHead(503, { 'Retry-After': 1 }).end();
    else if (fault === 'limited') to.writeHead(429, { 'Retry-After': 1 }).end();
    else if (fault === 'late') to.writeHead(503, { 'Retry-After': 3600 }).end();
    else await this.forward(from, to, path, fault);
  }

  private async forward(
    from: IncomingMessage,
    to: ServerResponse,
    path: string,
    fault: string | undefined,
  ): Promise<void> {
    const { method, headers } = from;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const forwarded = request(this.target + path, { method, headers }, resolve).on(
        'error',
        reject,
      );
      from.pipe(forwarded);
      to.on('close', () => forwarded.destroy());
    });
    const body = await buffer(response);
    const half = body.subarray(0, body.length / 2);
    if (fault === 'half') {
      to.writeHead(response.statusCode!, { ...response.headers, 'content-length': half.length });
      to.end(half);
      return;
    }
    to.writeHead(response.statusCode!, response.headers);
    // The half is sent before the connection goes.
    if (fault === 'cut') to.write(half, () => to.destroy());
    else to.end(body);
  }
}
