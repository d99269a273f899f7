import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type Change, ChangeFeed, type ChangeListener } from '../change-feed';
import { fromMessage } from './change-message';
import { PostgresChangeReceiver } from './postgres-change-receiver';
import { PostgresChangeSender } from './postgres-change-sender';

/**
 * Notifies every process on the database, by LISTEN and NOTIFY. Delivery is fast but not guaranteed:
 * a process may end between its commit and its announcement.
 */
@Injectable()
export class PostgresChangeFeed extends ChangeFeed {
  private readonly self = randomUUID();
  private readonly sender: PostgresChangeSender;
  private readonly receiver: PostgresChangeReceiver;

  constructor(url: string) {
    super();
    this.sender = new PostgresChangeSender(url, this.self);
    this.receiver = new PostgresChangeReceiver(url, {
      received: (message) => {
        this.receive(message);
      },
      invalidateAll: () => {
        this.invalidateAll();
      },
    });
  }

  override isConnected(): boolean | null {
    return this.receiver.isStarted ? this.receiver.isListening : null;
  }

  override announce(change: Change): void {
    super.announce(change);
    this.sender.send(change);
  }

  /** Opens the connection to listen on with the first listener: the command line has none. */
  override subscribe(listener: ChangeListener): void {
    super.subscribe(listener);
    this.receiver.start();
  }

  override async close(): Promise<void> {
    await Promise.all([this.sender.close(), this.receiver.close()]);
  }

  /** Takes a message that it cannot read, perhaps a later version's, for any change. */
  private receive(text: string): void {
    const message = fromMessage(text);
    if (!message) this.invalidateAll();
    else if (message.from !== this.self)
      for (const change of message.changes) this.invalidate(change);
  }
}
