import { readMessages } from '../../../clients/typescript/event-stream.ts';
import { fetchJson, fetchOk } from '../api.ts';
import { ended } from '../session.ts';

/** Meanwhile nothing tells the page that its session has ended. */
const RECONNECT_AFTER = 500;

/** Learns at once that the session has ended, even without calls. */
export function watch(): () => void {
  const ending = new AbortController();
  const listen = async () => {
    while (!ending.signal.aborted) {
      try {
        const { body } = await fetchOk('session/watch', { signal: ending.signal });
        for await (const { event, data } of readMessages(body!, ending.signal)) {
          if (event === 'ended') ended((JSON.parse(data) as { detail: string }).detail);
        }
      } catch {
        // Errors other than an ended session are retried.
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER));
    }
  };
  void listen();
  return () => ending.abort();
}

const SEEK_EVERY = 1000;

/** Asks for the service until it responds. */
export function seek(): () => void {
  const ask = () => {
    fetchJson('sign-in').catch(() => undefined);
  };
  const timer = setInterval(ask, SEEK_EVERY);
  addEventListener('online', ask);
  return () => {
    clearInterval(timer);
    removeEventListener('online', ask);
  };
}
