import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { noteForeignToken } from '../jest/leaks.ts';

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** A token of the old system, which no log and no database may show. */
export function oldToken(): string {
  const token = randomBytes(32).toString('hex');
  noteForeignToken(token.slice(-38));
  return token;
}

/** A system with its own tokens, on loopback: an introspection of RFC 7662, and whatever `reply` adds. */
export class OldSystem {
  /** Its response to each token; others are not active. */
  readonly groups = new Map<string, object>();
  /** The tokens that it was asked about, in order. */
  readonly asked: string[] = [];
  /** The header Authorization of each of these requests. */
  readonly credentials: (string | undefined)[] = [];
  /** Responds in place of the introspection. */
  reply: Reply | undefined;

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<OldSystem> {
    const server = createServer((request, response) => void system.serve(request, response));
    const system: OldSystem = new OldSystem(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return system;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Gives a group a token. @returns the token */
  add(sub: string, fields: object = {}): string {
    const token = oldToken();
    this.groups.set(token, { active: true, sub, name: sub, ...fields });
    return token;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = new URLSearchParams(await text(request)).get('token')!;
    this.asked.push(token);
    this.credentials.push(request.headers.authorization);
    if (this.reply) {
      this.reply(response, request);
      return;
    }
    response.end(JSON.stringify(this.groups.get(token) ?? { active: false }));
  }
}
