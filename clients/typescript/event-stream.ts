/** One message of an event stream (the HTML standard, section 9.2). */
export interface StreamMessage {
  /** Its type. */
  event: string;
  data: string;
  /** The last `id` up to this message, from which a stream is resumed: at first that of the stream before, or empty. */
  lastEventId: string;
}

/** Reads server-sent events out of text that comes in pieces, cut anywhere. */
export class EventStreamParser {
  private rest = '';
  /** A line break whose second half may come with the next piece. */
  private endedInCarriageReturn = false;
  private event = '';
  private data: string[] = [];
  /** @param lastEventId the position from which the stream is resumed */
  constructor(private lastEventId = '') {}

  /** Returns the messages that are complete with this piece. */
  push(text: string): StreamMessage[] {
    if (text === '') return [];
    const begin = this.endedInCarriageReturn && text.startsWith('\n') ? 1 : 0;
    this.endedInCarriageReturn = text.endsWith('\r');
    const lines = (this.rest + text.slice(begin)).split(/\r\n|\r|\n/);
    this.rest = lines.pop()!;
    return lines.flatMap((line) => this.readLine(line) ?? []);
  }

  private readLine(line: string): StreamMessage | undefined {
    if (line === '') return this.dispatch();
    const [, name, value] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!;
    if (name === 'event') this.event = value ?? '';
    else if (name === 'data') this.data.push(value ?? '');
    else if (name === 'id' && !value?.includes('\0')) this.lastEventId = value ?? '';
    return undefined;
  }

  private dispatch(): StreamMessage | undefined {
    const { event, data, lastEventId } = this;
    this.event = '';
    this.data = [];
    if (data.length === 0) return undefined;
    return { event: event || 'message', data: data.join('\n'), lastEventId };
  }
}

/**
 * Yields the messages of a body as they arrive.
 * @param signal ends the reading, even where the `fetch` in use does not heed it
 * @param lastEventId the value that was sent as `Last-Event-ID`; it stays the position until another comes
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  lastEventId = '',
): AsyncGenerator<StreamMessage, void> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  const decoder = new TextDecoder();
  const parser = new EventStreamParser(lastEventId);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
