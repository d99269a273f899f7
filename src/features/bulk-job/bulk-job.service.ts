import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IdempotentCalls } from '../../core/idempotency/idempotent-calls.ts';
import type { UserGroupFilterDto } from '../../core/user-group/resource/dto/user-group-query.dto.ts';
import { UserGroupTotal } from '../../core/user-group/resource/user-group-total.ts';
import { WorkspaceService } from '../../core/workspace/workspace.service.ts';
import {
  type Caller,
  requireScope,
  type TokenCaller,
} from '../../platform/common/access/caller.ts';
import type { Lines } from '../../platform/common/http/responses/ndjson.ts';
import type { PageQueryDto } from '../../platform/common/http/parameters/page.dto.ts';
import { currentTime } from '../../platform/common/time.ts';
import { Config } from '../../platform/config/config.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { changeOfRequest, neededFor, requireSelection } from '../bulk/bulk-change.ts';
import type { ChangeUserGroupsRequest } from '../bulk/dto/bulk-change.dto.ts';
import { BulkJobAdmission } from './bulk-job-admission.ts';
import { BulkJobEnded, BulkJobNotUndoable } from './bulk-job.errors.ts';
import {
  BulkJobRepository,
  inverseOf,
  type NewBulkJob,
  NO_REQUEST,
  type ShownBulkJob,
} from './bulk-job.repository.ts';
import { BulkJobResultRepository } from './bulk-job-result.repository.ts';
import type {
  BulkJobResponse,
  BulkJobResultQueryDto,
  BulkJobResultsResponse,
  BulkJobsResponse,
} from './dto/bulk-job.dto.ts';
import { BulkJobImportService } from './lines/bulk-job-import.service.ts';
import { BulkJobLineRepository } from './lines/bulk-job-line.repository.ts';
import { toBulkJobResultView, toBulkJobView, undoableUntil } from './dto/bulk-job.view.ts';
import { BulkJobWorker } from './running/bulk-job-worker.ts';

/** Creates jobs, which the worker does in the background, and tells how far they are. */
@Injectable()
export class BulkJobService {
  constructor(
    private readonly jobs: BulkJobRepository,
    private readonly results: BulkJobResultRepository,
    private readonly totals: UserGroupTotal,
    private readonly worker: BulkJobWorker,
    private readonly workspaces: WorkspaceService,
    private readonly transactor: Transactor,
    private readonly calls: IdempotentCalls,
    private readonly admission: BulkJobAdmission,
    private readonly imports: BulkJobImportService,
    private readonly waiting: BulkJobLineRepository,
    private readonly config: Config,
  ) {}

  /** Lists one page, the newest first. */
  async list({ workspaceId }: Caller, query: PageQueryDto): Promise<BulkJobsResponse> {
    const { rows, ...next } = await this.jobs.list(workspaceId, query);
    return { success: 1, bulk_jobs: rows.map(toBulkJobView), ...next };
  }

  /** @throws BulkJobNotFound */
  async get({ workspaceId }: Caller, id: number): Promise<BulkJobResponse> {
    return toResponse(await this.jobs.get({ workspaceId, id }));
  }

  /** Lists one page of the results that a job has so far. @throws BulkJobNotFound */
  async listResults(
    { workspaceId }: Caller,
    id: number,
    { result, ...query }: BulkJobResultQueryDto,
  ): Promise<BulkJobResultsResponse> {
    const job = await this.jobs.get({ workspaceId, id });
    const { rows, ...next } = await this.results.list(id, result, query);
    return { success: 1, results: rows.map((row) => toBulkJobResultView(row, job)), ...next };
  }

  /**
   * Stores a job for the worker.
   * @throws ValidationFailed, InsufficientScope, TooManyBulkJobs; errors of idempotency
   */
  async create(
    caller: Caller,
    dto: ChangeUserGroupsRequest,
    filters: UserGroupFilterDto,
    key?: string,
  ): Promise<BulkJobResponse> {
    requireSelection(dto, filters);
    const { action, ids } = dto;
    for (const [scope, doing] of neededFor(action, ids !== undefined)) {
      requireScope(caller, scope, doing);
    }
    const given = Object.fromEntries(
      Object.entries(filters).filter(([, value]) => value !== undefined),
    );
    const grace = this.config.rotationGraceSeconds;
    const { graceSeconds, issuedBefore } = changeOfRequest(dto, filters, grace, currentTime());
    // The default of issued_before is the time of the call, and differs for each.
    const asked = { action, ids, graceSeconds, issuedBefore: dto.issued_before };
    const request = ['bulk_job.create', asked, given];
    const total = ids ? ids.length : await this.count(caller, filters);
    return this.begin(caller, { key, request }, () => ({
      action,
      undoOf: null,
      total,
      ids: ids ?? null,
      request: { filters: ids ? null : given, graceSeconds, issuedBefore },
    }));
  }

  /**
   * Stores the lines of an import, and a job for them once all have arrived.
   * @throws TooManyBulkJobs, TooManyBulkJobLines; errors of the body and of the caller
   */
  async import(caller: Caller, lines: Lines): Promise<BulkJobResponse> {
    const response = toResponse(await this.imports.receive(caller, lines));
    this.worker.wake();
    return response;
  }

  /**
   * Stores a job that does the inverse with the groups that another has changed.
   * @throws BulkJobNotFound, BulkJobNotUndoable, TooManyBulkJobs; errors of idempotency
   */
  undo(caller: Caller, id: number, key?: string): Promise<BulkJobResponse> {
    const { workspaceId } = caller;
    return this.begin(caller, { key, request: ['bulk_job.undo', id] }, async (manager) => {
      const job = await this.jobs.get({ workspaceId, id }, manager);
      const action = inverseToUse(job);
      const total = job.created + job.changed;
      return { action, undoOf: id, total, ids: null, request: NO_REQUEST };
    });
  }

  /** Ends a job that has not ended; what it has changed stays. @throws BulkJobNotFound, BulkJobEnded */
  async cancel(caller: Caller, id: number): Promise<BulkJobResponse> {
    const key = { workspaceId: caller.workspaceId, id };
    const response = await this.transactor.run(async (manager) => {
      const isEnded = await this.jobs.cancel(manager, key);
      const job = await this.jobs.get(key, manager);
      if (isEnded) {
        await this.waiting.removeSome(manager, job.id);
        await this.admission.record(manager, caller, 'bulk_job.cancel', job);
      } else if (job.state !== 'cancelled') throw new BulkJobEnded();
      return toResponse(job);
    });
    await this.waiting.removeRest(id);
    return response;
  }

  private async begin(
    caller: Caller,
    call: { key: string | undefined; request: readonly unknown[] },
    toJob: (manager: EntityManager) => NewBulkJob | Promise<NewBulkJob>,
  ): Promise<BulkJobResponse> {
    const { workspaceId } = caller;
    const owner = caller as TokenCaller;
    const response = await this.calls.run<BulkJobResponse>(caller, call, async (manager) => {
      // Serialises creations, so that the maximum holds, and that a job is undone once.
      await this.workspaces.lock(manager, workspaceId);
      const job = await toJob(manager);
      await this.admission.requirePlace(manager, owner);
      const id = await this.jobs.insert(manager, owner, job);
      const stored = await this.jobs.get({ workspaceId, id }, manager);
      await this.admission.record(manager, caller, 'bulk_job.create', stored);
      return toResponse(stored);
    });
    this.worker.wake();
    return response;
  }

  private async count(caller: Caller, filters: UserGroupFilterDto): Promise<number | null> {
    const { count, exact } = await this.totals.count(caller, filters);
    return exact ? count : null;
  }
}

function toResponse(job: ShownBulkJob): BulkJobResponse {
  return { success: 1, bulk_job: toBulkJobView(job) };
}

/** @throws BulkJobNotUndoable */
function inverseToUse(job: ShownBulkJob): NonNullable<ReturnType<typeof inverseOf>> {
  const action = inverseOf(job.action);
  if (!action) {
    throw new BulkJobNotUndoable(`A job with the action ${job.action} cannot be undone.`);
  }
  if (job.endedAt === null) throw new BulkJobNotUndoable('The job has not ended yet.');
  if (job.undoneBy !== null) {
    throw new BulkJobNotUndoable(`The job ${job.undoneBy} undoes it.`);
  }
  const until = undoableUntil(job);
  if (until === null) throw new BulkJobNotUndoable('The job has changed no group.');
  if (until <= currentTime()) {
    throw new BulkJobNotUndoable('The job ended more than 24 hours ago.');
  }
  return action;
}
