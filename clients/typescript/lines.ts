import { ApiError, objectIn } from './api-error.js';
import type { Deadline } from './deadline.js';

/** One object of a response of many lines, the last of which is the summary. */
export type Line = object;

/**
 * Yields the lines of a body as they arrive.
 * @throws ApiError if the body ends before its summary
 */
export async function* readLines<T extends Line>(
  body: ReadableStream<Uint8Array>,
  deadline: Deadline,
): AsyncGenerator<T, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  let isWhole = false;
  for (;;) {
    deadline.restart();
    const { done, value } = await reader.read();
    // A caller that takes its time over a line is not the silence of the service.
    deadline.stop();
    if (done) break;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const text of lines) {
      const line = objectIn(text);
      if (!line) throw new ApiError(undefined, 'the response has a line that is not a JSON object');
      isWhole = 'summary' in line;
      yield line as T;
    }
  }
  if (rest !== '' || !isWhole) {
    throw new ApiError(undefined, 'the response ended before its summary: it was cut');
  }
}

/** Writes objects as lines, each when the connection takes it. */
export function writeLines(
  lines: Iterable<object> | AsyncIterable<object>,
  deadline: Deadline,
): ReadableStream {
  const encoder = new TextEncoder();
  const iterator: Iterator<object, unknown> | AsyncIterator<object, unknown> =
    Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        deadline.stop();
        const next = await iterator.next();
        deadline.restart();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      } catch (error) {
        deadline.fail(error);
        controller.error(error);
      }
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
}
