import { setImmediate } from 'node:timers/promises';
import { until } from '../time/until.ts';
import type { FakeStream } from './fake-events.ts';

/** Counts what a client reads of its newest event stream. */
export class Ear {
  private heard = 0;

  /** The `fetch` of the client. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      return response;
    }
    this.heard = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.heard += chunk.length;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counter), response);
  };

  /** Resolves once everything that the stream has written was read and understood. */
  async hasHeard(stream: FakeStream): Promise<void> {
    await until(() => this.heard === stream.written || stream.isClosed);
    await settled();
  }
}

/** Resolves once what is ready to run has run. */
export async function settled(): Promise<void> {
  for (let turn = 1; turn <= 5; turn++) await setImmediate();
}
