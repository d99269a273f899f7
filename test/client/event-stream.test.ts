import { EventStreamParser, readMessages } from '../../clients/typescript/event-stream.ts';

const STREAMS: [name: string, text: string, messages: unknown[]][] = [
  ['a message', 'event: open\ndata: {"at":1}\n\n', [['open', '{"at":1}', '']]],
  ['no event', 'data: 1\n\n', [['message', '1', '']]],
  ['data of several lines', 'data: 1\ndata: 2\ndata:\n\n', [['message', '1\n2\n', '']]],
  [
    'CR',
    'event: a\rdata: 1\r\rdata: 2\r\r',
    [
      ['a', '1', ''],
      ['message', '2', ''],
    ],
  ],
  [
    'CR LF',
    'event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n',
    [
      ['a', '1', ''],
      ['message', '2', ''],
    ],
  ],
  ['comments and blank lines', ': hello\n\n\n:\ndata: 1\n\n', [['message', '1', '']]],
  [
    'no space, two spaces',
    'data:1\n\ndata:  2\n\n',
    [
      ['message', '1', ''],
      ['message', ' 2', ''],
    ],
  ],
  ['colons in a value', 'data: a:b: c\n\n', [['message', 'a:b: c', '']]],
  ['fields that are unknown', 'retry: 5\nfoo: 1\nbar\ndata: 1\n\n', [['message', '1', '']]],
  ['a field without a value', 'data\n\n', [['message', '', '']]],
  ['an event without data', 'event: a\n\ndata: 1\n\n', [['message', '1', '']]],
  [
    'an id that stays',
    'id: x\ndata: 1\n\ndata: 2\n\n',
    [
      ['message', '1', 'x'],
      ['message', '2', 'x'],
    ],
  ],
  ['an id of its own', 'id: x\n\ndata: 1\n\n', [['message', '1', 'x']]],
  [
    'an id that is taken back',
    'id: x\ndata: 1\n\nid\ndata: 2\n\n',
    [
      ['message', '1', 'x'],
      ['message', '2', ''],
    ],
  ],
  ['an id with a null', 'id: x\0\ndata: 1\n\n', [['message', '1', '']]],
  ['a message that is cut short', 'data: 1\n\nid: x\ndata: 2\n', [['message', '1', '']]],
  ['letters of several bytes', 'data: ä€😀\n\n', [['message', 'ä€😀', '']]],
  ['a byte order mark', '\uFEFFdata: 1\n\n', [['message', '1', '']]],
];

describe('server-sent events', () => {
  test.each(STREAMS)(
    '%s, wherever the stream is cut into pieces',
    async (_name, text, messages) => {
      const bytes = new TextEncoder().encode(text);
      for (let cut = 0; cut <= bytes.length; cut++) {
        expect(await read([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(messages);
      }
      expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(messages);
    },
  );

  test('a message is there with its last line, before the stream goes on', () => {
    const parser = new EventStreamParser();
    expect(parser.push('data: 1\r\n')).toEqual([]);
    expect(parser.push('\r')).toHaveLength(1);
    expect(parser.push('\ndata: 2\n')).toEqual([]);
    expect(parser.push('\n')).toHaveLength(1);
  });

  test('a stream that is resumed keeps its position until another comes', () => {
    const parser = new EventStreamParser('p0');
    const positions = parser
      .push('data: 1\n\ndata: 2\nid: p1\n\ndata: 3\n\n')
      .map(({ lastEventId }) => lastEventId);
    expect(positions).toEqual(['p0', 'p1', 'p1']);
  });

  test('an abort ends the reading of a stream that is silent', async () => {
    const abort = new AbortController();
    const cancelled = jest.fn();
    const body = new ReadableStream<Uint8Array>({ cancel: cancelled });
    const next = readMessages(body, abort.signal).next();
    abort.abort(new Error('silent'));
    await expect(next).rejects.toThrow('silent');
    expect(cancelled).toHaveBeenCalled();
  });
});

async function read(pieces: Uint8Array[]): Promise<string[][]> {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const messages: string[][] = [];
  for await (const { event, data, lastEventId } of readMessages(
    body,
    new AbortController().signal,
  )) {
    messages.push([event, data, lastEventId]);
  }
  return messages;
}
