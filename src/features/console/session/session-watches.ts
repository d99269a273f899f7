import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { ConnectionSlots } from '../../../platform/common/concurrency/slots.ts';
import { WakeableLoop } from '../../../platform/common/concurrency/wakeable-loop.ts';
import { writeEventStreamHead } from '../../../platform/common/http/responses/event-stream.ts';
import { SessionEnded } from '../console.errors.ts';
import { ShuttingDown } from '../../../platform/common/problem/errors.ts';
import { ConsoleSessionRepository, type StoredSession } from './console-session.repository.ts';
import { endedBecause, isAlive } from './session-life.ts';

/** Pages learn of an end within a second; the query may take the other half of it. */
const LOOK_EVERY_MS = 400;
/** Proxies close silent connections after longer than this. */
const SAY_EVERY_MS = 15_000;
/** The tabs of a browser. */
const OF_A_SESSION = 20;
const RETRY_MS = 1000;
/** Time for a page to read that its session is over. */
const LINGER_MS = 1000;

interface Watch {
  sessionId: number;
  saidAt: number;
}

/** Notifies pages at once that their session has ended, in any process and for any reason. */
@Injectable()
export class SessionWatches implements BeforeApplicationShutdown {
  private readonly watches = new Map<ServerResponse, Watch>();
  private readonly slots = new ConnectionSlots('streams');
  // Sends nothing while the database is unavailable.
  private readonly loop = new WakeableLoop(
    (dueAt) => this.look(dueAt),
    () => LOOK_EVERY_MS,
  );
  private isEnding = false;

  constructor(private readonly sessions: ConsoleSessionRepository) {}

  /** Responds with a stream of server-sent events, silent until the session ends. @throws TooManyAtOnce, ShuttingDown */
  async begin(session: StoredSession, response: ServerResponse): Promise<void> {
    const { id: sessionId } = session;
    const release = await this.slots.acquireFor(session, ['session', sessionId, OF_A_SESSION]);
    if (this.isEnding) {
      release();
      throw new ShuttingDown();
    }
    if (response.destroyed) {
      release();
      return;
    }
    response.once('close', release);
    writeEventStreamHead(response);
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.watches.set(response, { sessionId, saidAt: performance.now() });
    const { socket } = response.req;
    const leave = () => response.destroy();
    // A browser that leaves closes its half of the connection; without this the server would keep the other.
    socket.once('end', leave);
    if (socket.readableEnded) leave();
    response.on('close', () => {
      socket.off('end', leave);
      this.watches.delete(response);
    });
    this.loop.wake(LOOK_EVERY_MS);
  }

  /** Ends the streams before the server waits for pending responses; the pages reconnect to another process. */
  beforeApplicationShutdown(): void {
    this.isEnding = true;
    void this.loop.stop();
    for (const response of this.watches.keys()) response.end();
  }

  /** Checks all open watches with one query. */
  private async look(dueAt: number): Promise<number | undefined> {
    if (this.watches.size === 0) return undefined;
    const looked = [...this.watches];
    const ids = [...new Set(looked.map(([, { sessionId }]) => sessionId))];
    try {
      const found = await this.sessions.findEach(ids);
      const sessions = new Map(found.map((session) => [session.id, session]));
      for (const [response, { sessionId }] of looked) {
        const session = sessions.get(sessionId);
        if (!session || !isAlive(session)) end(response, endedBecause(session));
      }
    } finally {
      this.keepOpen();
    }
    return Math.max(0, dueAt + LOOK_EVERY_MS - performance.now());
  }

  private keepOpen(): void {
    const now = performance.now();
    for (const [response, watch] of this.watches) {
      // An ended watch stays until its reader is gone: writing to it now would end the process.
      if (response.writableEnded || now - watch.saidAt < SAY_EVERY_MS) continue;
      watch.saidAt = now;
      response.write(':\n\n');
    }
  }
}

function end(response: ServerResponse, detail: string): void {
  if (response.writableEnded) return;
  response.end(
    `event: ended\ndata: ${JSON.stringify({ code: SessionEnded.spec.code, detail })}\n\n`,
  );
  setTimeout(() => response.destroy(), LINGER_MS).unref();
}
