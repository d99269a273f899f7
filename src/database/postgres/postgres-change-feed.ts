import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type Change, ChangeFeed, type ChangeListener } from '../change-feed';
import { fromMessage, isOfUserGroups } from './change-message';
import { PostgresChangePoller } from './postgres-change-poller';
import { PostgresChangeReceiver } from './postgres-change-receiver';
import { PostgresChangeSender } from './postgres-change-sender';

/** How the process reaches the database. */
interface Ways {
  /** By which it also writes. */
  url: string;
  /** Past a pooler in transaction mode, if there is one. */
  directUrl: string | undefined;
}

/**
 * Learns of the changes of every process by asking for them three times a second, which misses none.
 * LISTEN and NOTIFY make them known at once, as a rule: a process may end between its commit and its
 * announcement.
 */
@Injectable()
export class PostgresChangeFeed extends ChangeFeed {
  private readonly self = randomUUID();
  private readonly poller: PostgresChangePoller;
  private readonly sender: PostgresChangeSender;
  private readonly receiver: PostgresChangeReceiver;

  constructor({ url, directUrl }: Ways) {
    super();
    this.poller = new PostgresChangePoller(url, directUrl !== undefined, {
      invalidate: (change) => {
        this.invalidate(change);
      },
      invalidateAll: () => {
        this.invalidateAll();
      },
    });
    this.sender = new PostgresChangeSender(directUrl ?? url, this.self);
    this.receiver = new PostgresChangeReceiver(directUrl ?? url, (message) => {
      this.receive(message);
    });
  }

  override isCurrent(): boolean {
    return this.poller.hasLease();
  }

  override isConnected(): boolean | null {
    return this.receiver.isStarted ? this.receiver.isListening : null;
  }

  override announce(change: Change): void {
    super.announce(change);
    // No message names API tokens: the other processes ask soon enough.
    if (isOfUserGroups(change)) this.sender.send(change);
  }

  /** Opens the connections with the first listener: the command line has none. */
  override subscribe(listener: ChangeListener): void {
    super.subscribe(listener);
    this.poller.start();
    this.receiver.start();
  }

  override async close(): Promise<void> {
    await Promise.all([this.poller.close(), this.sender.close(), this.receiver.close()]);
  }

  /** Takes a message that it cannot read, perhaps a later version's, for any change. */
  private receive(text: string): void {
    const message = fromMessage(text);
    if (!message) this.invalidateAll();
    else if (message.from !== this.self)
      for (const change of message.changes) this.invalidate(change);
  }
}
