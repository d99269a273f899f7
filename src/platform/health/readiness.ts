import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { MigrationsPending, ShuttingDown, Starting } from '../common/problem/errors.ts';
import { handled } from '../common/concurrency/handled.ts';
import { Config } from '../config/config.ts';
import { AppliedMigrations } from '../database/schema/applied-migrations.ts';

/** Age limit of a reused result: anyone may call, and not every call may reach the database. */
const MAX_AGE_MS = 1000;

/** Decides whether this process may receive calls. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private isStarting = false;
  private isEnding = false;
  private lastCheck: { startedAt: number; result: Promise<void> } | undefined;

  constructor(
    private readonly migrations: AppliedMigrations,
    private readonly config: Config,
  ) {}

  /** Reports not ready until the returned function is called. */
  holdBack(): () => void {
    this.isStarting = true;
    return () => {
      this.isStarting = false;
    };
  }

  /** @throws ShuttingDown, Starting, DatabaseUnavailable, MigrationsPending */
  async require(): Promise<void> {
    if (this.isEnding) throw new ShuttingDown();
    if (this.isStarting) throw new Starting();
    const now = performance.now();
    if (!this.lastCheck || now - this.lastCheck.startedAt >= MAX_AGE_MS) {
      this.lastCheck = { startedAt: now, result: handled(this.check()) };
    }
    await this.lastCheck.result;
  }

  /**
   * Reports not ready from now on, and continues to serve until load balancers have had time to notice.
   * @param signal undefined if nobody was served, or no load balancer has to notice
   */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    this.isEnding = true;
    if (signal !== undefined) await sleep(this.config.shutdownDelaySeconds * 1000);
  }

  private async check(): Promise<void> {
    if ((await this.migrations.count()).pending > 0) throw new MigrationsPending();
  }
}
