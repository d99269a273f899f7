import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { ShuttingDown, TooManyAtOnce } from '../common/errors.ts';
import { fairShare } from '../common/fair-share.ts';
import { COMMON_HEADERS, UNTRANSFORMED } from '../common/http/http-settings.ts';
import { requestId } from '../common/http/request-id.ts';
import { ConsoleSessionRepository, type StoredSession } from './console-session.repository.ts';
import { isAlive } from './session-life.ts';

/** An end is told within a second; the query may take the other half of it. */
const LOOK_EVERY_MS = 400;
/** Proxies cut what says nothing for longer. */
const SAY_EVERY_MS = 15_000;
/** Each keeps a connection: as many as a browser has tabs, and as many as a process can bear. */
const OF_A_SESSION = 20;
const OF_A_TOKEN = 50;
const OF_A_WORKSPACE = 200;
const OF_THE_PROCESS = 1000;
const RETRY_MS = 1000;
/** So long a reader may take to read that it is over. */
const LINGER_MS = 1000;

interface Watch {
  sessionId: number;
  apiTokenId: number;
  workspaceId: number;
  saidAt: number;
}

/** Tells pages at once that their session has ended, whoever has ended it and in whatever process. */
@Injectable()
export class SessionWatches implements BeforeApplicationShutdown {
  private readonly watches = new Map<ServerResponse, Watch>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private isEnding = false;

  constructor(private readonly sessions: ConsoleSessionRepository) {}

  /**
   * Answers with a stream of server-sent events, which says nothing until the session ends.
   * @throws TooManyAtOnce, ShuttingDown
   */
  begin(session: StoredSession, response: ServerResponse): void {
    if (this.isEnding) throw new ShuttingDown();
    const { id: sessionId, apiTokenId, workspaceId } = session;
    const open = [...this.watches.values()];
    const countOf = (isOwn: (watch: Watch) => boolean) => open.filter(isOwn).length;
    const ofSession = countOf((watch) => watch.sessionId === sessionId);
    requireRoom(ofSession, OF_A_SESSION, 'streams of the session');
    const ofToken = countOf((watch) => watch.apiTokenId === apiTokenId);
    requireRoom(ofToken, OF_A_TOKEN, 'streams of the API token');
    const ofWorkspace = countOf((watch) => watch.workspaceId === workspaceId);
    const share = fairShare(OF_THE_PROCESS, this.watches.size);
    requireRoom(ofWorkspace, Math.min(OF_A_WORKSPACE, share), 'streams of the workspace');
    response.writeHead(200, {
      ...COMMON_HEADERS,
      'Cache-Control': UNTRANSFORMED,
      'X-Request-Id': requestId(response.req),
      'Content-Type': 'text/event-stream; charset=utf-8',
      // nginx would keep events back.
      'X-Accel-Buffering': 'no',
    });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.write(`retry: ${RETRY_MS}\n\n`);
    const saidAt = performance.now();
    this.watches.set(response, { sessionId, apiTokenId, workspaceId, saidAt });
    const { socket } = response.req;
    const leave = () => response.destroy();
    // A browser that leaves closes its half of the connection, and else the server would let the other be.
    socket.once('end', leave);
    response.on('close', () => {
      socket.off('end', leave);
      this.watches.delete(response);
    });
    this.timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  /** Before the server waits for answers under way; the pages come again, to another process. */
  beforeApplicationShutdown(): void {
    this.isEnding = true;
    clearInterval(this.timer);
    for (const response of this.watches.keys()) response.end();
  }

  /** One query for all that are open; one look at a time. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    if (this.watches.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    this.isLooking = true;
    const looked = [...this.watches];
    try {
      const ids = [...new Set(looked.map(([, { sessionId }]) => sessionId))];
      const alive = new Set(
        (await this.sessions.findEach(ids)).filter(isAlive).map(({ id }) => id),
      );
      for (const [response, { sessionId }] of looked) if (!alive.has(sessionId)) end(response);
    } catch {
      // The database is away: nobody knows better yet.
    } finally {
      this.isLooking = false;
    }
    this.keepOpen();
  }

  private keepOpen(): void {
    const now = performance.now();
    for (const [response, watch] of this.watches) {
      // One that has ended stays until its reader has gone: what is written to it now ends the process.
      if (response.writableEnded || now - watch.saidAt < SAY_EVERY_MS) continue;
      watch.saidAt = now;
      response.write(':\n\n');
    }
  }
}

function requireRoom(taken: number, limit: number, what: string): void {
  if (taken >= limit) throw new TooManyAtOnce(limit, what);
}

function end(response: ServerResponse): void {
  if (response.writableEnded) return;
  response.end('event: ended\ndata: {"code":"session_ended"}\n\n');
  setTimeout(() => response.destroy(), LINGER_MS).unref();
}
