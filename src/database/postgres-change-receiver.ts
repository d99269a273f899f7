import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHANGE_CHANNEL } from './change-message';
import { PostgresConnection } from './postgres-connection';

/** A connection can die without a word; asking it something tells. */
const HEARTBEAT_MS = 2000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

interface Hearer {
  /** A message, from anyone who may connect to the database. */
  received: (text: string) => void;
  /** Messages may have been lost up to now. */
  missed: () => void;
}

/** Listens for the changes of other processes, and begins anew whenever the connection is lost. */
export class PostgresChangeReceiver {
  private readonly logger = new Logger('ChangeFeed');
  private readonly ending = new AbortController();
  private running: Promise<void> | undefined;
  isListening = false;

  constructor(
    private readonly url: string,
    private readonly hearer: Hearer,
  ) {}

  get isStarted(): boolean {
    return this.running !== undefined;
  }

  /** In the background; nobody waits for a connection. */
  start(): void {
    this.running ??= this.run();
  }

  /** A connection that is just being opened is waited for. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    let pause = SHORTEST_PAUSE_MS;
    for (;;) {
      const wasListening = await this.listen();
      pause = wasListening ? SHORTEST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
      if (!(await this.rest(pause * (0.5 + Math.random())))) return;
    }
  }

  /** False, at once, when the receiver is closed. */
  private async rest(ms: number): Promise<boolean> {
    try {
      await sleep(ms, undefined, { signal: this.ending.signal, ref: false });
      return true;
    } catch {
      return false;
    }
  }

  /** Until the connection is lost or the receiver is closed. Tells whether there was one, and never fails. */
  private async listen(): Promise<boolean> {
    const connection = new PostgresConnection(this.url, 'listen');
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.ending.signal]);
    let wasListening = false;
    try {
      connection.onNotification(this.hearer.received);
      await connection.open(() => {
        lost.abort();
      });
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

  /** Before it listens it has heard nothing, and what it heard last may not have been the last. */
  private setListening(isListening: boolean): void {
    this.isListening = isListening;
    this.hearer.missed();
    if (this.ending.signal.aborted) return;
    if (isListening) this.logger.log({ msg: 'changes of other processes are heard of at once' });
    else this.logger.warn({ msg: 'changes of other processes are heard of late' });
  }
}
