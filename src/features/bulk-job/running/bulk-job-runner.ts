import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import { RateLimits } from '../../../core/rate-limit/rate-limits.ts';
import type { StoredUserGroup } from '../../../core/user-group/group/user-group.repository.ts';
import type { WrittenUserGroup } from '../../../core/user-group/writing/user-group-write.ts';
import { UserGroupWriter } from '../../../core/user-group/writing/user-group-writer.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { DatabaseUnavailable, InternalError } from '../../../platform/common/problem/errors.ts';
import { ServiceError } from '../../../platform/common/problem/problem.ts';
import { logRepeated } from '../../../platform/common/repeated-failures.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { Outcome } from '../../../platform/database/waves/shared-writes.ts';
import { requiredFlaw } from '../../bulk/bulk-change.ts';
import { BulkJobResultRepository } from '../bulk-job-result.repository.ts';
import { KeyMissing } from '../lines/bulk-job-line-cipher.ts';
import { BulkJobLineRepository } from '../lines/bulk-job-line.repository.ts';
import { BulkJobCallers } from './bulk-job-callers.ts';
import { BulkJobLeases, type HeldJob, LeaseLost } from './bulk-job-leases.ts';
import { BulkJobParts, type GroupOfPart } from './bulk-job-parts.ts';
import { type Result, toResult, wantedBy } from './change-of-group.ts';

/** The groups of one transaction: few enough that nobody waits long for a lock on one of them. */
const BATCH = 200;
/** Goes on after this time when a rate limit is reached, or when the database or the workspace is busy. */
const PAUSE_MS = 1000;

/** Groups to write in one transaction, and the position of the job when all are done; null if others come before it. */
interface Batch {
  groups: readonly GroupOfPart[];
  position: string | null;
}

/**
 * Does jobs part by part. The results of a part, and how far the job is, are stored in the transaction of its changes:
 * whatever ends the process, each group is changed once.
 */
@Injectable()
export class BulkJobRunner {
  private readonly logger = new Logger(BulkJobRunner.name);
  private isEnding = false;
  /** Jobs that waited in their last turn: they try one group before they take the rate limit of a batch again. */
  private readonly waiting = new Set<number>();

  constructor(
    private readonly leases: BulkJobLeases,
    private readonly callers: BulkJobCallers,
    private readonly parts: BulkJobParts,
    private readonly results: BulkJobResultRepository,
    private readonly lines: BulkJobLineRepository,
    private readonly limits: RateLimits,
    private readonly writer: UserGroupWriter,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /** Lets the part under way end with the transaction that it is in. */
  stop(): void {
    this.isEnding = true;
  }

  /**
   * Does the next part of a job that this process holds, or leaves the job to a later turn. A job whose API token has
   * ended or lost a right fails.
   * @throws DatabaseUnavailable
   */
  async run(job: HeldJob): Promise<void> {
    const batch = this.waiting.delete(job.id) ? 1 : BATCH;
    try {
      await this.runPart(job, batch);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      if (isPassing(error)) {
        this.waiting.add(job.id);
        logRepeated(this.logger, 'warn', { msg: 'a job waits', job: job.id, err: error });
        await this.leases.release(job, PAUSE_MS);
        return;
      }
      await this.end(job, this.toServiceError(error)).catch((reason: unknown) => {
        if (!(reason instanceof LeaseLost)) throw reason;
      });
    }
  }

  private async runPart(job: HeldJob, batch: number): Promise<void> {
    const caller = await this.callers.callerOf(job);
    const part = await this.parts.next(job, caller);
    const wanted = Math.min(part.groups.length, batch);
    const granted = wanted === 0 ? 0 : await this.limits.take(caller, wanted);
    const groups = part.groups.slice(0, granted);
    const isWhole = granted === part.groups.length;
    const isDone = await this.writeAll(job, caller, {
      groups,
      position: isWhole ? part.next : null,
    });
    if (isDone && isWhole && part.next === null) await this.end(job);
    else if (granted < wanted) await this.leases.release(job, PAUSE_MS);
  }

  /** Writes the groups together, and those that are left one by one. @returns whether each has its result */
  private async writeAll(job: HeldJob, caller: Caller, batch: Batch): Promise<boolean> {
    const { position } = batch;
    const left = await this.writeTogether(job, caller, batch);
    for (const [index, group] of left.entries()) {
      if (this.isEnding) return false;
      const isLast = index === left.length - 1;
      await this.writeAlone(job, caller, { groups: [group], position: isLast ? position : null });
    }
    return true;
  }

  /** @returns the groups that another transaction holds, or all of them if the transaction has failed as a whole */
  private async writeTogether(
    job: HeldJob,
    caller: Caller,
    batch: Batch,
  ): Promise<readonly GroupOfPart[]> {
    try {
      return await this.write(job, caller, batch, false);
    } catch (error) {
      // A guard may have thrown for one of them.
      if (error instanceof LeaseLost || isPassing(error) || batch.groups.length === 0) throw error;
      return batch.groups;
    }
  }

  /** Writes one group, and waits for its lock. @throws LeaseLost, DatabaseUnavailable if that takes too long */
  private async writeAlone(job: HeldJob, caller: Caller, batch: Batch): Promise<void> {
    try {
      const left = await this.write(job, caller, batch, true);
      if (left.length > 0) throw new DatabaseUnavailable(new Error('lost a race for a locked row'));
    } catch (error) {
      if (error instanceof LeaseLost || isPassing(error)) throw error;
      const outcome = { error: this.toServiceError(error) };
      const refused = batch.groups.map((group) => toResult(job, group, undefined, outcome));
      await this.transactor.run((manager) => this.store(manager, job, batch.position, refused));
    }
  }

  /** @returns the groups that another transaction holds */
  private write(
    job: HeldJob,
    caller: Caller,
    { groups, position }: Batch,
    isAlone: boolean,
  ): Promise<GroupOfPart[]> {
    const { id, workspaceId, action, request } = job;
    return this.writer.runTogether(workspaceId, async (manager, write) => {
      const found = new Map<GroupOfPart, StoredUserGroup | undefined>();
      const writes = groups.map((group) => ({
        caller,
        providedId: group.id,
        plan: (stored: StoredUserGroup | undefined) => {
          found.set(group, stored);
          return wantedBy(job, group, stored);
        },
        newToken: group.line?.token,
        flaw: requiredFlaw(request.filters ?? {}),
        showsToken: false,
        details: { [action === 'import' ? 'import' : 'bulk']: true, job: id },
      }));
      const attempts = groups.length > 0 ? await write(writes, isAlone) : [];
      const left = groups.filter((_group, index) => attempts[index] === 'retry');
      const results = groups.flatMap((group, index) => {
        const attempt = attempts[index]!;
        return attempt === 'retry' ? [] : this.resultOf(job, group, found.get(group), attempt);
      });
      await this.store(manager, job, left.length > 0 ? null : position, results);
      return left;
    });
  }

  /** @throws the error of an outage, which concerns more than this group */
  private resultOf(
    job: HeldJob,
    group: GroupOfPart,
    before: StoredUserGroup | undefined,
    outcome: Outcome<WrittenUserGroup>,
  ): Result {
    if ('value' in outcome) return toResult(job, group, before, outcome);
    if (isPassing(outcome.error)) throw outcome.error;
    return toResult(job, group, before, { error: this.toServiceError(outcome.error) });
  }

  /** @throws LeaseLost */
  private async store(
    manager: EntityManager,
    job: HeldJob,
    position: string | null,
    results: readonly Result[],
  ): Promise<void> {
    const count = (wanted: Result['result']) =>
      results.filter(({ result }) => result === wanted).length;
    await this.results.insert(
      manager,
      results.map((result) => ({ jobId: job.id, ...result })),
    );
    await this.leases.advance(manager, job, {
      created: count('created'),
      changed: count('changed'),
      unchanged: count('unchanged'),
      refused: count('refused'),
      position,
    });
    if (job.action === 'import' && position !== null) {
      await this.lines.removeDone(manager, job.id, Number(position));
    }
  }

  /** Ends the job, and records its end. */
  private async end(job: HeldJob, failure?: ServiceError): Promise<void> {
    await this.transactor.run(async (manager) => {
      const reason = failure && { code: failure.spec.code, detail: failure.message };
      const counts = await this.leases.end(manager, job, reason);
      const { id, action } = job;
      if (action === 'import') await this.lines.removeSome(manager, id);
      await this.auditLog.record(manager, job, {
        action: 'bulk_job.end',
        object: { type: 'bulk_job', id },
        details: { action, ...counts, ...(reason && { code: reason.code }) },
      });
    });
    if (job.action === 'import') await this.lines.removeRest(job.id);
  }

  private toServiceError(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    this.logger.error({ msg: 'a job could not store a group', err: error });
    return new InternalError(error);
  }
}

/** Tells whether an error ends by itself, so that the job waits. */
function isPassing(error: unknown): boolean {
  if (error instanceof KeyMissing) return true;
  return error instanceof ServiceError && [429, 503].includes(error.spec.status);
}
