import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { currentTime } from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { databaseTime } from '../../../platform/database/stored-times.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { BATCH } from '../../../platform/database/upkeep/expiry-sweep.ts';
import { BulkJobLineRepository } from './bulk-job-line.repository.ts';
import { createdNow, UPLOAD_LEASE_MS } from '../bulk-job.repository.ts';

interface UploadKey {
  id: number;
  now: number;
}

const extendUpload = statement<UploadKey & { bytes: number }, { id: number }>(
  'bulk-job.extend-upload',
  (dialect) => `
    UPDATE bulk_job SET line_bytes = line_bytes + :bytes,
      lease_until = ${databaseTime(dialect)} + ${UPLOAD_LEASE_MS}
    WHERE id = :id AND state = 'receiving' AND ended_at IS NULL RETURNING id`,
);

const completeUpload = statement<
  UploadKey & { workspaceId: number; total: number },
  { id: number }
>(
  'bulk-job.complete-upload',
  (dialect) => `
    UPDATE bulk_job SET state = 'queued', total = :total, lease_until = 0,
      refused = (SELECT count(*) FROM bulk_job_result r WHERE r.job_id = bulk_job.id),
      created_at = ${createdNow(dialect)}, turn_at = ${databaseTime(dialect)}
    WHERE id = :id AND state = 'receiving' AND ended_at IS NULL RETURNING id`,
);

const endUpload = statement<UploadKey, { id: number }>(
  'bulk-job.end-upload',
  (dialect) => `
    UPDATE bulk_job SET ended_at = ${databaseTime(dialect)}
    WHERE id = :id AND state = 'receiving' AND ended_at IS NULL RETURNING id`,
);

const removeResults = statement<{ id: number }, { place: number }>(
  'bulk-job.remove-results-of-upload',
  () => `
    DELETE FROM bulk_job_result WHERE job_id = :id AND place IN (
      SELECT r.place FROM bulk_job_result r WHERE r.job_id = :id LIMIT ${BATCH})
    RETURNING place`,
);

const removeUpload = statement<{ id: number }>(
  'bulk-job.remove-upload',
  () => `DELETE FROM bulk_job WHERE id = :id AND state = 'receiving' AND ended_at IS NOT NULL`,
);

/** Queries jobs whose lines arrive: nobody sees them yet, and none runs. */
@Injectable()
export class BulkJobUploadRepository {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly lines: BulkJobLineRepository,
  ) {}

  /** Counts what has arrived, and keeps the upload for longer. @returns false if it was removed because it took too long */
  async extend(manager: EntityManager, id: number, bytes: number): Promise<boolean> {
    const row = { id, now: currentTime(), bytes };
    return (await this.statements.run(manager, extendUpload, row)).length > 0;
  }

  /** Makes it a job that waits for its turn, created now. @returns false if it was removed because it took too long */
  async complete(
    manager: EntityManager,
    { workspaceId, id }: { workspaceId: number; id: number },
    total: number,
  ): Promise<boolean> {
    const row = { workspaceId, id, total, now: currentTime() };
    return (await this.statements.run(manager, completeUpload, row)).length > 0;
  }

  /** Removes it with its lines, unless it is complete: ends it first, so that nothing can complete it meanwhile. */
  async discard(id: number): Promise<void> {
    const ended = await this.transactor.apply(endUpload, { id, now: currentTime() });
    if (ended.length === 0) return;
    await this.lines.removeRest(id);
    for (let removed = BATCH; removed > 0;) {
      removed = (await this.transactor.apply(removeResults, { id })).length;
    }
    await this.transactor.apply(removeUpload, { id });
  }
}
