import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';

const LIMIT_MS = 100_000;

/** A server-sent event. */
export interface StreamMessage {
  event: string;
  id?: string;
  data: Record<string, unknown> & { at?: number; reason?: string; type?: string };
}

/** A reader of an event stream, who keeps what it has received. */
export class StreamReader {
  readonly messages: StreamMessage[] = [];
  private text = '';
  private waiting: (() => void)[] = [];
  isOver = false;

  private constructor(
    private readonly outgoing: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      this.take(text);
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      this.isOver = true;
      this.wake();
    });
  }

  /** @param query such as `?types=…` */
  static async open(
    service: { baseUrl: string },
    apiToken: string,
    query = '',
    headers: Record<string, string> = {},
  ): Promise<StreamReader> {
    const outgoing = request(`${service.baseUrl}/api/v1/events/stream${query}`, {
      headers: { Authorization: `Token ${apiToken}`, ...headers },
    });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    outgoing.on('error', () => undefined);
    return new StreamReader(outgoing, response);
  }

  /** The changes so far. */
  get changes(): StreamMessage[] {
    return this.messages.filter(({ event }) => event === 'change');
  }

  /** Resolves when a condition holds that only messages, or the end, can bring about. */
  async until(isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + LIMIT_MS;
    const timer = setTimeout(() => {
      this.wake();
    }, LIMIT_MS);
    try {
      while (!isSo()) {
        const isLate = performance.now() >= deadline;
        if (this.isOver || isLate) {
          const reason = isLate ? `not within ${LIMIT_MS} ms` : 'the stream is over';
          throw new Error(`${reason}: ${String(isSo)}: ${JSON.stringify(this.messages.at(-1))}`);
        }
        await new Promise<void>((resolve) => this.waiting.push(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves to what was received by then. */
  async untilOver(): Promise<StreamMessage[]> {
    while (!this.isOver) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.messages;
  }

  /** From now on nothing is read. */
  pause(): void {
    this.response.pause();
  }

  close(): void {
    this.outgoing.destroy();
  }

  private take(text: string): void {
    this.text += text;
    const blocks = this.text.split('\n\n');
    this.text = blocks.pop()!;
    for (const block of blocks) this.messages.push(toMessage(block));
    this.wake();
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function toMessage(block: string): StreamMessage {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const [, name, value] = /^(\w+): (.*)$/.exec(line)!;
      return [name!, value!] as const;
    }),
  );
  const { event = 'message', id, data = '{}' } = fields;
  return {
    event,
    ...(id !== undefined && { id }),
    data: JSON.parse(data) as StreamMessage['data'],
  };
}
