import type { IncomingMessage } from 'node:http';
import { within } from '../../concurrency/within.ts';
import { BodyIncomplete, MediaTypeUnsupported, RequestTimeout } from '../../problem/errors.ts';
import { isMediaType, refuseEncodings } from '../../json/read-body.ts';

/** The client may pause for this long. */
const MAX_PAUSE_MS = 30_000;
/** Lowest average rate beyond that pause, while the reader waits for the client. */
const MIN_BYTES_PER_MS = 1;

const withOwnClock = new WeakSet<IncomingMessage>();

/** Whether `streamBody` reads the body, which the server's request time-out then leaves alone. */
export function hasOwnClock(request: IncomingMessage): boolean {
  return withOwnClock.has(request);
}

/**
 * Yields the bytes of a body of any length as they arrive, no faster than requested. A client may send for any time,
 * but not slowly; time in which the reader requests nothing does not count.
 * @throws MediaTypeUnsupported before the first bytes; BodyIncomplete, RequestTimeout
 */
export async function* streamBody(
  request: IncomingMessage,
  mediaType: string,
): AsyncGenerator<Buffer> {
  const { headers } = request;
  refuseEncodings(headers['content-encoding'], headers['transfer-encoding']);
  if (!isMediaType(headers['content-type'], mediaType)) {
    throw new MediaTypeUnsupported(
      `Send the header "Content-Type: ${mediaType}"; the charset is UTF-8.`,
    );
  }
  withOwnClock.add(request);
  // If the reader stops early, the code that responds deals with the rest.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  let waitedMs = 0;
  let received = 0;
  for (;;) {
    const startedAt = performance.now();
    const { value: chunk } = await withinPause(chunks.next());
    if (!chunk) break;
    waitedMs += performance.now() - startedAt;
    received += chunk.length;
    if (waitedMs > MAX_PAUSE_MS + received / MIN_BYTES_PER_MS) throw new RequestTimeout();
    yield chunk;
  }
}

/** @throws RequestTimeout; BodyIncomplete if the connection has ended */
function withinPause<T>(arriving: Promise<T>): Promise<T> {
  const arrived = arriving.catch(() => {
    throw new BodyIncomplete();
  });
  return within(MAX_PAUSE_MS, arrived, () => new RequestTimeout());
}
