import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WorkspaceService } from '../../../core/workspace/workspace.service.ts';
import type { Caller, TokenCaller } from '../../../platform/common/access/caller.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import type { Line } from '../../../platform/common/http/responses/lines.ts';
import type { Lines } from '../../../platform/common/http/responses/ndjson.ts';
import { RequestTimeout } from '../../../platform/common/problem/errors.ts';
import { Config } from '../../../platform/config/config.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { BulkWrites } from '../../bulk/bulk-writes.ts';
import type { RefusedLine } from '../../bulk/dto/import-response.dto.ts';
import { IMPORTING, readImportLine } from '../../bulk/import-lines.ts';
import { SeenIds } from '../../bulk/seen-ids.ts';
import { BulkJobAdmission } from '../bulk-job-admission.ts';
import { BulkJobResultRepository } from '../bulk-job-result.repository.ts';
import { BulkJobRepository, NO_REQUEST, type ShownBulkJob } from '../bulk-job.repository.ts';
import type { BulkJobResult } from '../entities/bulk-job-result.entity.ts';
import { placedDetail } from './placed-detail.ts';
import type { WaitingLine } from './bulk-job-line-cipher.ts';
import { BulkJobLineRepository } from './bulk-job-line.repository.ts';
import { BulkJobUploadRepository } from './bulk-job-upload.repository.ts';

/** The lines of a part: they are written in one transaction, and are in memory together. */
const PART = { lines: 200, bytes: 256 * 1024 };

/** The lease of an upload whose caller waits is extended after this time. */
const HOLD_MS = 60_000;

/** Lines that are not stored yet: those that wait, and the results of those that are refused as they are. */
class Arrived {
  readonly lines: WaitingLine[] = [];
  readonly refused: Omit<BulkJobResult, 'jobId'>[] = [];
  bytes = 0;

  get count(): number {
    return this.lines.length + this.refused.length;
  }

  /** Tells whether the part has room for these, too. */
  fits(group: readonly Line[]): boolean {
    return this.count + group.length <= PART.lines && this.bytes < PART.bytes;
  }

  add(line: number, bytes: Buffer): void {
    this.lines.push({ line, text: bytes.toString() });
    this.bytes += bytes.length;
  }

  refuse({ line, provided_id, code, detail, errors }: RefusedLine): void {
    this.refused.push({
      place: line,
      providedId: provided_id ?? null,
      teamId: null,
      versionBefore: null,
      versionAfter: null,
      tokenReplaced: 0,
      result: 'refused',
      code,
      detail: placedDetail(detail, errors),
    });
  }
}

/** An upload under way. */
interface Upload {
  id: number;
  parts: number;
  total: number;
  /** When its lease was last extended, by `performance.now()`. */
  heldAt: number;
}

/** Takes the lines of imports, which the worker stores in the background. */
@Injectable()
export class BulkJobImportService {
  private readonly logger = new Logger(BulkJobImportService.name);

  constructor(
    private readonly jobs: BulkJobRepository,
    private readonly uploads: BulkJobUploadRepository,
    private readonly waiting: BulkJobLineRepository,
    private readonly results: BulkJobResultRepository,
    private readonly admission: BulkJobAdmission,
    private readonly workspaces: WorkspaceService,
    private readonly bulk: BulkWrites,
    private readonly gate: Gate,
    private readonly transactor: Transactor,
    private readonly config: Config,
  ) {}

  /**
   * Stores lines as they arrive, encrypted, part by part; the last one makes them a job. A part counts as a call for the
   * rate limits, and has a turn as a call has. A line that can be stored in no case gets its result at once, and counts
   * as a call, as a blank one does; the others count when they are written. If the upload fails, nothing is left of it.
   * @throws TooManyBulkJobs, TooManyBulkJobLines, RequestTimeout; errors of the body and of the caller
   */
  async receive(caller: Caller, lines: Lines): Promise<ShownBulkJob> {
    let current = caller;
    let upload: Upload | undefined;
    let arrived = new Arrived();
    const seen = new SeenIds();
    try {
      for await (const group of lines) {
        upload ??= await this.begin(current);
        const part = arrived.fits(group) ? undefined : arrived;
        if (part) arrived = new Arrived();
        const counted = [...(part ? [part] : []), ...this.take(group, seen, arrived)];
        for await (const admitted of this.bulk.admit(current, counted, [IMPORTING])) {
          current = admitted.caller;
          await this.hold(current, upload);
        }
        if (part) await this.store(current, upload, part);
      }
      upload ??= await this.begin(current);
      return await this.complete(current, upload, arrived);
    } catch (error) {
      if (upload) await this.discard(upload);
      throw error;
    }
  }

  /** Reads lines. @returns those that do not wait */
  private take(group: readonly Line[], seen: SeenIds, arrived: Arrived): Line[] {
    return group.filter((line) => {
      const read = readImportLine(line, seen, this.config.bodyLimit);
      if (read && 'refused' in read) arrived.refuse(read.refused);
      else if (read) arrived.add(read.line, line.bytes!);
      return !read || 'refused' in read;
    });
  }

  private begin(caller: Caller): Promise<Upload> {
    const owner = caller as TokenCaller;
    return this.patiently(caller, async (manager) => {
      await this.workspaces.lock(manager, owner.workspaceId);
      await this.admission.requirePlace(manager, owner);
      const job = { action: 'import', undoOf: null, total: null, ids: null } as const;
      const id = await this.jobs.insert(manager, owner, {
        ...job,
        request: NO_REQUEST,
        isReceiving: true,
      });
      return { id, parts: 0, total: 0, heldAt: performance.now() };
    });
  }

  /** Keeps the upload while its caller has to wait for the rate limits. @throws RequestTimeout, TooManyBulkJobLines */
  private async hold(caller: Caller, upload: Upload): Promise<void> {
    if (performance.now() - upload.heldAt < HOLD_MS) return;
    await this.patiently(caller, (manager) => this.storeIn(manager, caller, upload, new Arrived()));
  }

  private async store(caller: Caller, upload: Upload, arrived: Arrived): Promise<void> {
    await this.patiently(caller, (manager) => this.storeIn(manager, caller, upload, arrived));
    if (arrived.lines.length > 0) upload.parts++;
    upload.total += arrived.count;
  }

  /**
   * Stores what has arrived, also after an attempt that has stored it and whose success the connection did not tell.
   * @throws RequestTimeout, TooManyBulkJobLines
   */
  private async storeIn(
    manager: EntityManager,
    caller: Caller,
    upload: Upload,
    { lines, refused, bytes }: Arrived,
  ): Promise<void> {
    const { id, parts } = upload;
    if (!(await this.uploads.extend(manager, id, bytes))) throw new RequestTimeout();
    upload.heldAt = performance.now();
    await this.admission.requireSpace(manager, caller as TokenCaller);
    if (lines.length > 0) {
      await this.waiting.insert(manager, { jobId: id, part: parts + 1 }, lines);
    }
    const places = refused.map(({ place }) => place);
    const known = await this.results.findPlaces(id, places, manager);
    const missing = refused.filter(({ place }) => !known.has(place));
    await this.results.insert(
      manager,
      missing.map((result) => ({ jobId: id, ...result })),
    );
  }

  private complete(caller: Caller, upload: Upload, arrived: Arrived): Promise<ShownBulkJob> {
    const { workspaceId } = caller;
    const { id } = upload;
    const total = upload.total + arrived.count;
    return this.patiently(caller, async (manager) => {
      // Serialises creations: a job is created after those before it.
      await this.workspaces.lock(manager, workspaceId);
      // An attempt whose success the connection did not tell has completed it.
      const completed = await this.jobs.find({ workspaceId, id }, manager);
      if (completed) return completed;
      await this.storeIn(manager, caller, upload, arrived);
      if (!(await this.uploads.complete(manager, { workspaceId, id }, total))) {
        throw new RequestTimeout();
      }
      const job = await this.jobs.get({ workspaceId, id }, manager);
      await this.admission.record(manager, caller, 'bulk_job.create', job);
      return job;
    });
  }

  private patiently<T>(caller: Caller, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.bulk.patiently(() => this.gate.run(caller, () => this.transactor.run(work)));
  }

  /** Removes what is left of an upload; the sweep removes it later if this fails. */
  private async discard({ id }: Upload): Promise<void> {
    try {
      await this.uploads.discard(id);
    } catch (err) {
      this.logger.warn({ msg: 'an upload could not be removed', job: id, err });
    }
  }
}
