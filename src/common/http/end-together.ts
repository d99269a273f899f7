import type { ServerResponse } from 'node:http';

/** Nobody waits until more answers than this have been made. */
const MOST_TOGETHER = 64;

let made: [response: ServerResponse, text: string][] = [];

/**
 * Ends a response at the end of this turn of the event loop, with the others that were made in it. A
 * client on the same machine, or a proxy, that sleeps is woken once for all of them: waking it can
 * cost more than the answer did.
 */
export function endTogether(response: ServerResponse, text: string): void {
  if (made.length === 0) setImmediate(endAll);
  made.push([response, text]);
  if (made.length === MOST_TOGETHER) endAll();
}

function endAll(): void {
  const ending = made;
  made = [];
  for (const [response, text] of ending) response.end(text);
}
