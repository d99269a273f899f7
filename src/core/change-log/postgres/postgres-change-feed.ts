import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type Change, ChangeFeed, type ChangeListener } from '../change-feed.ts';
import { fromMessage, isOfUserGroups } from './change-message.ts';
import { PostgresChangePoller } from './postgres-change-poller.ts';
import { PostgresChangeReceiver } from './postgres-change-receiver.ts';
import { PostgresChangeSender } from './postgres-change-sender.ts';

interface Ways {
  /** The connection for writes. */
  url: string;
  /** Whether `url` leads through a pooler in transaction mode. */
  isPooled: boolean;
  /** A connection with sessions, past a pooler; undefined if there is none. */
  sessionUrl: string | undefined;
}

/**
 * Polls the changes of every process three times a second, which misses none. LISTEN and NOTIFY usually deliver them at
 * once, but a process may end between its commit and its announcement. They need sessions, and are left out if there
 * are none.
 */
@Injectable()
export class PostgresChangeFeed extends ChangeFeed {
  private readonly logger = new Logger('ChangeFeed');
  private readonly self = randomUUID();
  private readonly poller: PostgresChangePoller;
  private readonly sender: PostgresChangeSender | undefined;
  private readonly receiver: PostgresChangeReceiver | undefined;
  private isStarted = false;

  constructor({ url, isPooled, sessionUrl }: Ways) {
    super();
    this.poller = new PostgresChangePoller(url, isPooled, this);
    if (sessionUrl === undefined) return;
    this.sender = new PostgresChangeSender(sessionUrl, this.self);
    this.receiver = new PostgresChangeReceiver(sessionUrl, (message) => this.receive(message));
  }

  override isCurrent(): boolean {
    return this.poller.hasLease();
  }

  override isConnected(): boolean | null {
    return this.receiver?.isStarted ? this.receiver.isListening : null;
  }

  override announce(change: Change): void {
    super.announce(change);
    // Messages do not name API tokens: the other processes poll soon enough.
    if (isOfUserGroups(change)) this.sender?.send(change);
  }

  /** Opens the connections with the first listener: the command line has none. */
  override subscribe(listener: ChangeListener): void {
    super.subscribe(listener);
    if (this.isStarted) return;
    this.isStarted = true;
    this.poller.start();
    if (this.receiver) this.receiver.start();
    else {
      this.logger.warn({
        msg: 'not listening for changes of other processes: DATABASE_URL leads through a pooler and DATABASE_DIRECT_URL is not set; polling three times a second',
      });
    }
  }

  override async close(): Promise<void> {
    await Promise.all([this.poller.close(), this.sender?.close(), this.receiver?.close()]);
  }

  /** Treats an unreadable message, perhaps of a later version, as any change. */
  private receive(text: string): void {
    const message = fromMessage(text);
    if (!message) this.invalidateAll();
    else if (message.from !== this.self) {
      for (const change of message.changes) this.invalidate(change);
    }
  }
}
