import { readMessages } from '../../clients/typescript/event-stream.ts';
import { fetchOk, Refusal } from './api.ts';
import { isAttended } from './attended.ts';
import type { Schemas } from './own-types.ts';

const RECONNECT_AFTER = 2000;

/** Follows the events of the workspace until `signal` aborts; connects again while somebody attends to the page. */
export async function followEvents({
  types,
  last,
  signal,
  onOpen,
  onEvent,
  onClose,
}: {
  /** The types of the events, separated by commas; empty for all. */
  types: string;
  /** The id of the event to resume after. It moves with the events. */
  last: { current: string };
  signal: AbortSignal;
  /** Runs each time that the stream is there. */
  onOpen: () => void;
  onEvent: (event: Schemas['Event']) => void;
  /** Runs each time that the stream has ended, with its error if there was one. */
  onClose: (error?: unknown) => void;
}): Promise<void> {
  const query = types ? `?${new URLSearchParams({ types }).toString()}` : '';
  const isOver = () => signal.aborted;
  while (!isOver()) {
    let error: unknown;
    try {
      const headers = last.current ? { 'Last-Event-ID': last.current } : {};
      const { body } = await fetchOk(`api/v1/events/stream${query}`, {
        signal,
        headers: headers as Record<string, string>,
      });
      onOpen();
      for await (const { event, data, lastEventId } of readMessages(body!, signal, last.current)) {
        last.current = lastEventId;
        if (event === 'change') onEvent(JSON.parse(data) as Schemas['Event']);
      }
    } catch (reason) {
      if (isOver()) return;
      error = reason;
      if (reason instanceof Refusal && reason.problem.status === 410) last.current = '';
    }
    onClose(error);
    do await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER));
    while (!isAttended() && !isOver());
  }
}
