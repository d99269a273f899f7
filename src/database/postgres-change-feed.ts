import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type Change, ChangeFeed, type ChangeListener } from './change-feed';
import { fromMessage } from './change-message';
import { PostgresChangeReceiver } from './postgres-change-receiver';
import { PostgresChangeSender } from './postgres-change-sender';

/**
 * Tells every process on the database, by LISTEN and NOTIFY. It makes changes known at once where it
 * can, and promises nothing: a process may end between its commit and its announcement.
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
      missed: () => {
        this.tellMissed();
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

  /** Whoever subscribes to nothing, such as the command line, needs no connection to listen on. */
  override subscribe(listener: ChangeListener): void {
    super.subscribe(listener);
    this.receiver.start();
  }

  override async close(): Promise<void> {
    await Promise.all([this.sender.close(), this.receiver.close()]);
  }

  /** What cannot be read, of a later version perhaps, may have been any change. */
  private receive(text: string): void {
    const message = fromMessage(text);
    if (!message) this.tellMissed();
    else if (message.from !== this.self) for (const change of message.changes) this.tell(change);
  }
}
