import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { handled } from '../../../platform/common/concurrency/handled.ts';
import type { Change } from '../change-feed.ts';
import { CHANGE_CHANNEL, toMessages } from './change-message.ts';
import { PostgresConnection } from '../../../platform/database/postgres/postgres-connection.ts';

const CLOSE_LIMIT_MS = 1500;
/** Pause after a failure. */
const PAUSE_MS = 1000;
/** Pause after a message: a message for each of many writes would cost a fifth of them. */
const GAP_MS = 20;

/**
 * Sends changes in the background, the first at once; those that follow within 20 ms share the next message. A
 * notification inside the writer's transaction would make commits wait for each other. It need not survive a crash, so
 * it does not wait for the disk either.
 */
export class PostgresChangeSender {
  private readonly logger = new Logger('ChangeFeed');
  private readonly pending = new Map<string, Change>();
  private connection: PostgresConnection | undefined;
  private sending: Promise<void> | undefined;
  private pausedUntil = 0;

  /** @param self identifies the sender in each message, so that it can ignore its own */
  constructor(
    private readonly url: string,
    private readonly self: string,
  ) {}

  /** Queues a change; never fails or waits. A change that cannot be sent is dropped: it would come too late. */
  send(change: Change): void {
    if (performance.now() < this.pausedUntil) return;
    this.pending.set(`${change.workspaceId}/${change.userGroupId ?? ''}`, change);
    this.sending ??= handled(this.sendPending());
  }

  /** Sends pending changes, for 1.5 seconds at most, and closes the connection. */
  async close(): Promise<void> {
    this.pausedUntil = Infinity;
    await Promise.race([this.finish(), sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }

  private async finish(): Promise<void> {
    await this.sending;
    await this.connection?.close();
  }

  private async sendPending(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.pending.size > 0) {
      const changes = [...this.pending.values()];
      this.pending.clear();
      try {
        for (const message of toMessages(this.self, changes)) await this.notify(message);
        await sleep(GAP_MS, undefined, { ref: false });
      } catch (err) {
        this.giveUp(err);
      }
    }
    this.sending = undefined;
  }

  private async notify(message: string): Promise<void> {
    this.connection ??= await this.connect();
    await this.connection.query({
      name: 'change.notify',
      // Applies to this transaction alone: behind a pooler the session may next commit another write.
      text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
      values: [CHANGE_CHANNEL, message],
    });
  }

  private async connect(): Promise<PostgresConnection> {
    const connection = new PostgresConnection(this.url, 'notify');
    try {
      await connection.open(() => {
        if (this.connection === connection) this.connection = undefined;
      });
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private giveUp(err: unknown): void {
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + PAUSE_MS);
    void this.connection?.close();
    this.connection = undefined;
    this.pending.clear();
    this.logger.warn({ msg: 'could not announce changes to other processes', err });
  }
}
