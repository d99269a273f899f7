import type { IncomingMessage } from 'node:http';
import { BodyIncomplete, MediaTypeUnsupported, RequestTimeout } from '../errors.ts';
import { isMediaType, refuseEncodings } from '../json/read-body.ts';

/** For how long the client may send nothing at all. */
const LONGEST_PAUSE_MS = 30_000;
/** How fast it has to send on average beyond that pause, while the reader waits for it. */
const LEAST_BYTES_PER_MS = 1;

const withOwnClock = new WeakSet<IncomingMessage>();

/** Whether `streamBody` reads the body, which the server's request time-out then leaves alone. */
export function hasOwnClock(request: IncomingMessage): boolean {
  return withOwnClock.has(request);
}

/**
 * Yields the bytes of a body of any length, as they arrive and no faster than they are requested. A
 * client may send for as long as it likes, but not slowly; time in which the reader requests
 * nothing does not count.
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
  // If the reader stops early, the code that answers deals with the rest.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  let waitedMs = 0;
  let received = 0;
  for (;;) {
    const startedAt = performance.now();
    const { value: chunk } = await withinPause(chunks.next());
    if (!chunk) break;
    waitedMs += performance.now() - startedAt;
    received += chunk.length;
    if (waitedMs > LONGEST_PAUSE_MS + received / LEAST_BYTES_PER_MS) throw new RequestTimeout();
    yield chunk;
  }
}

/** @throws RequestTimeout; BodyIncomplete if the connection has ended */
async function withinPause<T>(arriving: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new RequestTimeout());
    }, LONGEST_PAUSE_MS);
  });
  const arrived = arriving.catch(() => {
    throw new BodyIncomplete();
  });
  // Whichever settles second is ignored.
  arrived.catch(() => undefined);
  try {
    return await Promise.race([arrived, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
