import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { createClient } from '@redis/client';
import { within } from '../../platform/common/concurrency/within.ts';
import { reasonOf } from '../../platform/common/problem/reason-of.ts';
import type { Config } from '../../platform/config/config.ts';

const RESPONSE_LIMIT_MS = 100;
const CONNECT_LIMIT_MS = 2000;
/** Pause before reconnecting. */
const PAUSE_MS = 1000;

type Client = ReturnType<typeof createConnection>;

/**
 * The Redis of REDIS_URL. It connects at the first use and reconnects after an outage, always in the background: no
 * caller waits for a connection, or longer than 100 ms for a response.
 */
export class Redis implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private client: Client | undefined;
  private askAgainAt = 0;
  private isThere: boolean | undefined;
  /** Without a response for this long Redis is considered down. */
  private readonly responseLimitMs = RESPONSE_LIMIT_MS;

  private constructor(private readonly createConnection?: () => Client) {}

  /** Loads the library eagerly if REDIS_URL is set: otherwise the first call would wait for it. */
  static async of({ redisUrl }: Config): Promise<Redis> {
    if (redisUrl === undefined) return new Redis();
    const { createClient } = await import('@redis/client');
    return new Redis(() => createConnection(createClient, redisUrl));
  }

  get isConfigured(): boolean {
    return this.createConnection !== undefined;
  }

  /**
   * Runs a Lua script, like a client of the package `redis`.
   * @throws an error at once while Redis is down or not yet connected, and when the connection is lost meanwhile
   */
  async eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown> {
    if (!this.client?.isOpen) this.connect();
    const { client } = this;
    if (!this.isThere || !client?.isReady) throw new Error('Redis is not connected');
    try {
      return await withinLimit(this.responseLimitMs, client.eval(script, options));
    } catch (error) {
      this.giveUp(client, error);
      throw error;
    }
  }

  onApplicationShutdown(): void {
    this.askAgainAt = Infinity;
    this.release();
  }

  private connect(): void {
    if (!this.createConnection || performance.now() < this.askAgainAt) return;
    this.release();
    const client = this.createConnection();
    this.client = client;
    withinLimit(CONNECT_LIMIT_MS, open(client)).then(
      () => this.notice(true),
      (error: unknown) => this.giveUp(client, error),
    );
  }

  /** Replaces the connection: nobody can tell whether the old one will ever respond again. */
  private giveUp(client: Client, error: unknown): void {
    // Several calls can fail with the same connection, and the end of the process breaks it too.
    if (client !== this.client) return;
    this.release();
    this.askAgainAt = performance.now() + PAUSE_MS;
    this.notice(false, error);
  }

  private release(): void {
    this.client?.destroy();
    this.client = undefined;
  }

  /** Logs once for each change, not for each call. */
  private notice(isThere: boolean, error?: unknown): void {
    if (isThere === this.isThere) return;
    this.isThere = isThere;
    if (isThere) this.logger.log({ msg: 'rate limits are shared through Redis' });
    else {
      const reason = reasonOf(error);
      this.logger.warn({ msg: 'Redis is down: rate limits are counted in this process', reason });
    }
  }
}

function createConnection(create: typeof createClient, url: string) {
  const client = create({
    url,
    // The oldest protocol, without a handshake: every Redis, proxy and access list knows it.
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    // `responseLimitMs` also covers the time after the command was sent.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: CONNECT_LIMIT_MS, reconnectStrategy: false },
  });
  // Failed calls report their own errors; a connection lost between calls is simply reopened.
  client.on('error', () => undefined);
  return client;
}

/** Connects, and waits for a response: the kernel accepts the connections of a process that hangs. */
async function open(client: Client): Promise<void> {
  await client.connect();
  await client.eval('return 1');
}

function withinLimit<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return within(limitMs, promise, () => new Error(`no response within ${limitMs} ms`));
}
