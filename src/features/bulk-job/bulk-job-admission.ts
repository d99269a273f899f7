import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../core/audit/audit-log.ts';
import type { Caller, TokenCaller } from '../../platform/common/access/caller.ts';
import { TooManyBulkJobLines, TooManyBulkJobs } from './bulk-job.errors.ts';
import { BulkJobRepository, type ShownBulkJob } from './bulk-job.repository.ts';
import { toBulkJobView } from './dto/bulk-job.view.ts';

const MIB = 1024 * 1024;
/** Jobs that have not ended, and bytes of the lines that those have brought. */
const MAX_OPEN = { ofWorkspace: 60, ofToken: 20 };
const MAX_BYTES = { ofWorkspace: 384 * MIB, ofToken: 128 * MIB };

/** Bounds the jobs that have not ended, and records what callers do with jobs. */
@Injectable()
export class BulkJobAdmission {
  constructor(
    private readonly jobs: BulkJobRepository,
    private readonly auditLog: AuditLog,
  ) {}

  /** @throws TooManyBulkJobs unless the caller may have another job */
  async requirePlace(manager: EntityManager, owner: TokenCaller): Promise<void> {
    const { all, own } = await this.jobs.countOpen(manager, owner);
    if (own >= shareOf(MAX_OPEN, { all, own })) throw new TooManyBulkJobs();
  }

  /** @throws TooManyBulkJobLines if jobs of the caller have brought more than they may */
  async requireSpace(manager: EntityManager, owner: TokenCaller): Promise<void> {
    const { allBytes: all, ownBytes: own } = await this.jobs.countOpen(manager, owner);
    if (own > shareOf(MAX_BYTES, { all, own })) throw new TooManyBulkJobLines();
  }

  record(
    manager: EntityManager,
    caller: Caller,
    action: 'bulk_job.create' | 'bulk_job.cancel',
    job: ShownBulkJob,
  ): Promise<void> {
    const { action: done, selection, created, changed, refused } = toBulkJobView(job);
    const details =
      action === 'bulk_job.create'
        ? { action: done, selection }
        : { action: done, created, changed, refused };
    return this.auditLog.record(manager, caller, {
      action,
      object: { type: 'bulk_job', id: job.id },
      details,
    });
  }
}

/** Returns the most that an API token may have: half of what its workspace has left, so that it uses up that of no other. */
function shareOf(
  { ofWorkspace, ofToken }: typeof MAX_OPEN,
  { all, own }: { all: number; own: number },
): number {
  return Math.min(ofToken, Math.ceil((ofWorkspace - all + own) / 2));
}
