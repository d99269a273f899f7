import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { WakeableLoop } from '../../../platform/common/concurrency/wakeable-loop.ts';
import { onDrained, type OnDrained } from '../../../platform/database/upkeep/shutdown-phases.ts';
import { BulkJobLeases } from './bulk-job-leases.ts';
import { BulkJobRunner } from './bulk-job-runner.ts';

/** Finds jobs that other processes have created or left. */
const EVERY_MS = 1000;
/** Lets calls that wait have the connection, or the one writer of SQLite. */
const BETWEEN_PARTS_MS = 10;

/** Does jobs of all workspaces: one part at a time, of the job that has waited longest. */
@Injectable()
export class BulkJobWorker implements OnApplicationBootstrap, BeforeApplicationShutdown, OnDrained {
  private readonly logger = new Logger(BulkJobWorker.name);
  private readonly loop = new WakeableLoop(
    () => this.look(),
    (err) => {
      if (this.loop.failures === 1) this.logger.warn({ msg: 'job worker failed; retrying', err });
      return EVERY_MS;
    },
  );

  constructor(
    private readonly leases: BulkJobLeases,
    private readonly runner: BulkJobRunner,
    private readonly host: HttpAdapterHost,
  ) {}

  /** Looks for a job now. */
  wake(): void {
    this.loop.wake(0);
  }

  onApplicationBootstrap(): void {
    // A command, which has no server, leaves jobs alone: it may lack the keys of lines that wait.
    if (this.host.httpAdapter as object | null | undefined) this.loop.wake(0);
  }

  beforeApplicationShutdown(): void {
    this.runner.stop();
    void this.loop.stop();
  }

  /** Waits for the part under way, and leaves the jobs of this process to others. */
  async [onDrained](): Promise<void> {
    await this.loop.stop();
    await this.leases.releaseAll();
  }

  private async look(): Promise<number> {
    const job = await this.leases.take();
    if (!job) return EVERY_MS;
    await this.runner.run(job);
    return BETWEEN_PARTS_MS;
  }
}
