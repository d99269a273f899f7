import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../time/until.ts';

/** The one address that the tests' services may send to; `FORBIDDEN` is as near as any other. */
export const PERMITTED = '127.0.0.2';
export const FORBIDDEN = '127.0.0.3';

/** The settings that let a service send to receivers. */
export const SENDING = {
  WEBHOOK_DELIVERY: 'on',
  WEBHOOK_ALLOW_HTTP: 'on',
  WEBHOOK_ALLOWED_CIDRS: PERMITTED,
};

export interface ReceivedMessage {
  id: string;
  body: string;
  headers: IncomingHttpHeaders;
  /** The time by `performance.now()`. */
  at: number;
}

type Reply = (response: ServerResponse, message: ReceivedMessage) => void;

const receivers = new Set<WebhookReceiver>();

afterAll(() => {
  for (const receiver of receivers) receiver.close();
});

/** A receiver of webhooks on loopback, which keeps what it gets. */
export class WebhookReceiver {
  readonly messages: ReceivedMessage[] = [];
  /** Accepts every message unless a test replaces it. */
  reply: Reply = (response) => response.writeHead(204).end();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async listen(address = PERMITTED, port = 0): Promise<WebhookReceiver> {
    const server = createServer({ keepAlive: true }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { headers } = request;
        const body = Buffer.concat(chunks).toString('utf8');
        const id = String(headers['webhook-id']);
        const message = { id, body, headers, at: performance.now() };
        receiver.messages.push(message);
        receiver.reply(response, message);
      });
    });
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    const receiver = new WebhookReceiver(server, (server.address() as AddressInfo).port);
    receivers.add(receiver);
    return receiver;
  }

  get url(): string {
    return `http://${PERMITTED}:${this.port}/`;
  }

  /** The types of the messages so far. */
  get types(): string[] {
    return this.messages.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  }

  /** Answers every message with a status. */
  answer(status: number, headers: Record<string, string> = {}, body = ''): void {
    this.reply = (response) => response.writeHead(status, headers).end(body);
  }

  /** Waits until there are `count` messages. */
  async receive(count: number): Promise<ReceivedMessage[]> {
    await until(
      () => this.messages.length >= count,
      () => `${this.messages.length} of ${count}`,
    );
    return this.messages;
  }

  close(): void {
    receivers.delete(this);
    this.server.close();
    this.server.closeAllConnections();
  }
}
