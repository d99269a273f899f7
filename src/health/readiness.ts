import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { MigrationsPending, ShuttingDown } from '../common/errors';
import { Config } from '../config/config';
import { AppliedMigrations } from '../database/applied-migrations';

/** Anyone may ask, so the database is not asked each time. */
const BELIEVED_MS = 1000;

/** Whether this process should be sent calls. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private isEnding = false;
  private asked: { at: number; answer: Promise<void> } | undefined;

  constructor(
    private readonly migrations: AppliedMigrations,
    private readonly config: Config,
  ) {}

  /** @throws ShuttingDown, DatabaseUnavailable, MigrationsPending */
  async require(): Promise<void> {
    if (this.isEnding) throw new ShuttingDown();
    const now = performance.now();
    if (!this.asked || now - this.asked.at >= BELIEVED_MS) {
      this.asked = { at: now, answer: this.ask() };
    }
    await this.asked.answer;
  }

  /**
   * From here on the answer is no. Calls are taken until who sends them has had time to notice.
   * @param signal that ends the process; without one it has served nobody, or nobody has to notice
   */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    this.isEnding = true;
    if (signal !== undefined) await sleep(this.config.shutdownDelaySeconds * 1000);
  }

  private async ask(): Promise<void> {
    if ((await this.migrations.findPending()).length > 0) throw new MigrationsPending();
  }
}
