import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { collect } from './renderer.ts';

/** The behaviour of introspection while it is disturbed. */
export type Fault =
  | 'slow'
  | 'down'
  | 'status-500'
  | 'status-429'
  | 'page-502'
  | 'page-503'
  | 'html'
  | 'half'
  | 'empty'
  | 'without-active'
  | 'active-text'
  | 'inactive-with-claims';

const CREDENTIAL = /^(?:token|bearer) +(.+)$/i;
/** A gateway asks there, and may add the path of the viewer. */
const FORWARD_AUTH = /\/forward-auth(?:\/|$)/;

/**
 * Stands between the renderer and the service. It passes everything, unless a fault is set: then introspections fail in
 * that way. The faults `down` and `slow` are about every call, also those that are open, such as streams of events.
 */
export class Proxy {
  fault: Fault | undefined;
  /** The numbers of introspections and of readings of the public keys. */
  readonly counts = { introspections: 0, keys: 0 };
  /** Paths that had a token in them, without it. */
  readonly tokensInUrls: string[] = [];
  /** The API token of the renderer, once it was sent. */
  rendererApiToken: string | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #target: string;
  readonly #key: object;

  /** @param key a public key that is added to those of the service */
  constructor(target: string, key: object) {
    this.#target = target;
    this.#key = key;
    this.#server = createServer((from, to) => {
      this.#serve(from, to).catch(() => to.destroy());
    });
    // A connection that ends while a call is on its way would look like a fault of the renderer.
    this.#server.keepAliveTimeout = 0;
    this.#server.on('connection', (socket) => {
      if (this.fault === 'down') socket.destroy();
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** @throws Error if the address cannot be had */
  async listen({ host, port }: { host: string; port: number }): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Runs `action` while introspection is disturbed. */
  async during<T>(fault: Fault, action: () => Promise<T>): Promise<T> {
    this.fault = fault;
    if (fault === 'down') this.#cut();
    try {
      return await action();
    } finally {
      this.fault = undefined;
      // Held-up calls have no response to come.
      if (fault === 'slow') this.#cut();
    }
  }

  async close(): Promise<void> {
    this.#cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { method, url = '' } = from;
    const [path] = url.split('?') as [string];
    if (/ug[at]_|eyJ/.test(url)) {
      this.tokensInUrls.push(`${method} ${path.replace(/(?:ug[at]_|eyJ).*/, '…')}`);
    }
    const isIntrospection = path.endsWith('/introspect') || FORWARD_AUTH.test(path);
    if (isIntrospection) {
      this.counts.introspections++;
      this.rendererApiToken ??= credentialOf(from);
    }
    const isKeys = path.endsWith('/jwks.json');
    if (isKeys) this.counts.keys++;
    const chunks: Uint8Array[] = [];
    await collect(from, chunks);
    const body = Buffer.concat(chunks);
    if (this.fault === 'slow') return;
    if (isIntrospection && this.fault) {
      await this.#fail(this.fault, from, to, body);
      return;
    }
    const response = await this.#forward(from, to, body, isKeys);
    if (isKeys && response.statusCode === 200) {
      const { keys = [] } = JSON.parse((await buffer(response)).toString()) as { keys?: object[] };
      sendJson(to, { keys: [...keys, this.#key] });
      return;
    }
    to.writeHead(response.statusCode!, response.headers);
    to.flushHeaders();
    response.on('error', () => to.destroy());
    response.on('end', () => to.end());
    // While everything is slow an open stream is silent, too.
    response.on('data', (chunk: Buffer) => this.fault === 'slow' || to.write(chunk));
  }

  async #fail(
    fault: Fault,
    from: IncomingMessage,
    to: ServerResponse,
    body: Buffer,
  ): Promise<void> {
    if (fault === 'down') to.destroy();
    else if (fault === 'status-500') {
      to.writeHead(500, { 'Content-Type': 'text/plain' }).end('failed');
    } else if (fault === 'status-429') to.writeHead(429, { 'Retry-After': 1 }).end();
    else if (fault === 'page-502' || fault === 'page-503') {
      const status = Number(fault.slice('page-'.length));
      to.writeHead(status, { 'Content-Type': 'text/html' }).end('<html><h1>Away</h1></html>');
    } else if (fault === 'html') {
      to.writeHead(200, { 'Content-Type': 'text/html' }).end('<html><h1>Sign in</h1></html>');
    } else if (fault === 'empty' || FORWARD_AUTH.test(from.url!.split('?')[0]!)) {
      // A gateway has no body to misread: it gets a 200 that names nobody.
      to.writeHead(200, { 'Content-Type': 'application/json' }).end();
    } else {
      const text = (await buffer(await this.#forward(from, to, body, true))).toString();
      if (fault === 'half') {
        to.writeHead(200, { 'Content-Type': 'application/json' }).end(
          text.slice(0, text.length / 2),
        );
      } else sendJson(to, altered(fault, JSON.parse(text) as Record<string, unknown>));
    }
  }

  #forward(
    from: IncomingMessage,
    to: ServerResponse,
    body: Buffer,
    isRead: boolean,
  ): Promise<IncomingMessage> {
    const url = new URL(this.#target + from.url!);
    const headers = { ...from.headers };
    delete headers.host;
    delete headers.connection;
    // A body that the proxy reads must not be compressed.
    if (isRead) headers['accept-encoding'] = 'identity';
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const outgoing = send(url, { method: from.method, headers, agent: false }, resolve).on(
        'error',
        reject,
      );
      to.on('close', () => outgoing.destroy());
      outgoing.end(body);
    });
  }
}

function altered(fault: Fault, claims: Record<string, unknown>): object {
  // JSON leaves out what is undefined.
  if (fault === 'without-active') return { ...claims, active: undefined };
  return { ...claims, active: fault === 'active-text' ? 'false' : false };
}

function sendJson(to: ServerResponse, body: object): void {
  to.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(
    JSON.stringify(body),
  );
}

function credentialOf({ headers }: IncomingMessage): string | undefined {
  const { authorization = '' } = headers;
  const ofGateway = headers['x-gateway-authorization'];
  if (typeof ofGateway === 'string') return CREDENTIAL.exec(ofGateway)?.[1];
  const [, basic] = /^basic +(.+)$/i.exec(authorization) ?? [];
  if (basic !== undefined) {
    return Buffer.from(basic, 'base64').toString().split(':').slice(1).join(':') || undefined;
  }
  return CREDENTIAL.exec(authorization)?.[1];
}
