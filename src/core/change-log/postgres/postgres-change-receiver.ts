import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { handled } from '../../../platform/common/concurrency/handled.ts';
import { CHANGE_CHANNEL } from './change-message.ts';
import { PostgresConnection } from '../../../platform/database/postgres/postgres-connection.ts';
import { keepReconnecting } from '../../../platform/database/postgres/reconnecting.ts';

/** A connection can fail unnoticed until it is used. */
const HEARTBEAT_MS = 2000;

/**
 * Listens for announcements of other processes, and reconnects whenever the connection is lost; announcements meanwhile
 * are lost.
 */
export class PostgresChangeReceiver {
  private readonly logger = new Logger('ChangeFeed');
  private readonly ending = new AbortController();
  private running: Promise<void> | undefined;
  isListening = false;

  /** @param received gets each message, which anyone who may connect to the database can have sent */
  constructor(
    private readonly url: string,
    private readonly received: (text: string) => void,
  ) {}

  get isStarted(): boolean {
    return this.running !== undefined;
  }

  start(): void {
    this.running ??= handled(keepReconnecting(this.ending.signal, () => this.listen()));
  }

  /** Stops listening; waits for a connection that is being opened. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  /**
   * Listens until the connection is lost or the receiver is closed. Resolves to whether it ever listened; never
   * rejects.
   */
  private async listen(): Promise<boolean> {
    const connection = new PostgresConnection(this.url, 'listen');
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.ending.signal]);
    let wasListening = false;
    try {
      connection.onNotification(this.received);
      await connection.open(() => lost.abort());
      await connection.query({ text: `LISTEN ${CHANGE_CHANNEL}` });
      wasListening = true;
      this.setListening(true);
      for (;;) {
        await sleep(HEARTBEAT_MS, undefined, { signal, ref: false });
        await connection.query({ text: 'SELECT 1' });
      }
    } catch {
      if (wasListening) this.setListening(false);
    } finally {
      await connection.close();
    }
    return wasListening;
  }

  private setListening(isListening: boolean): void {
    this.isListening = isListening;
    if (this.ending.signal.aborted) return;
    if (isListening) this.logger.log({ msg: 'listening for changes of other processes' });
    else this.logger.warn({ msg: 'not listening for changes of other processes' });
  }
}
