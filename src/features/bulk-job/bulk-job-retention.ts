import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../platform/common/time.ts';
import { unnamedStatement } from '../../platform/database/statement.ts';
import {
  BATCH,
  ExpirySweep,
  type RemoveExpired,
} from '../../platform/database/upkeep/expiry-sweep.ts';
import { REMOVED_AT_ONCE } from './lines/bulk-job-line.repository.ts';

/** A job that has ended is kept for this long, with its results. */
const KEPT_MS = 30 * DAY_MS;

/** Removes the results of jobs that ended long ago, in batches: a job can have any number of them. */
@Injectable()
export class BulkJobResultRetention extends ExpirySweep {
  protected readonly removeExpired: RemoveExpired = unnamedStatement(
    () => `
      DELETE FROM bulk_job_result WHERE (job_id, place) IN (
        SELECT r.job_id, r.place FROM bulk_job j JOIN bulk_job_result r ON r.job_id = j.id
        WHERE j.ended_at < CAST(:now AS bigint) LIMIT :limit)
      RETURNING place`,
  );
  protected override readonly retentionMs = KEPT_MS;
}

const endAbandoned: RemoveExpired = unnamedStatement(
  ({ isAmong }) => `
    UPDATE bulk_job SET ended_at = CAST(:now AS bigint) WHERE state = 'receiving' AND ${isAmong(
      'id',
      `SELECT j.id FROM bulk_job j
       WHERE j.ended_at IS NULL AND j.state = 'receiving' AND j.lease_until < CAST(:now AS bigint) LIMIT :limit`,
    )}
    RETURNING id`,
);

const removeLines = unnamedStatement<{ limit: number }, object>(
  ({ isAmong }) => `
    DELETE FROM bulk_job_line WHERE ${isAmong(
      'id',
      `SELECT l.id FROM bulk_job_line l JOIN bulk_job j ON j.id = l.job_id
       WHERE j.ended_at IS NOT NULL LIMIT :limit`,
    )}
    RETURNING id`,
);

const removeResults = unnamedStatement<{ limit: number }, object>(
  () => `
    DELETE FROM bulk_job_result WHERE (job_id, place) IN (
      SELECT r.job_id, r.place FROM bulk_job j JOIN bulk_job_result r ON r.job_id = j.id
      WHERE j.ended_at IS NOT NULL AND j.state = 'receiving' LIMIT :limit)
    RETURNING place`,
);

/** Removes uploads that their process has left, and the lines of jobs whose process ended before it could remove them. */
@Injectable()
export class BulkJobUploadRetention extends ExpirySweep {
  protected readonly removeExpired: RemoveExpired = unnamedStatement(
    ({ isAmong }) => `
      DELETE FROM bulk_job WHERE ${isAmong(
        'id',
        `SELECT j.id FROM bulk_job j
         WHERE j.ended_at <= CAST(:now AS bigint) AND j.state = 'receiving'
           AND NOT EXISTS (SELECT 1 FROM bulk_job_line l WHERE l.job_id = j.id)
           AND NOT EXISTS (SELECT 1 FROM bulk_job_result r WHERE r.job_id = j.id) LIMIT :limit`,
      )}
      RETURNING id`,
  );

  protected override async *removeBatches(now: number): AsyncGenerator<number> {
    await this.transactor.apply(endAbandoned, { now, limit: BATCH });
    for (const [remove, limit] of [
      [removeLines, REMOVED_AT_ONCE],
      [removeResults, BATCH],
    ] as const) {
      for (let batch: number = limit; batch > 0; yield batch) {
        batch = (await this.transactor.apply(remove, { limit })).length;
      }
    }
    yield* super.removeBatches(now);
  }
}

/** Removes jobs that ended long ago and have no results any more. */
@Injectable()
export class BulkJobRetention extends ExpirySweep {
  protected readonly removeExpired: RemoveExpired = unnamedStatement(
    ({ isAmong }) => `
      DELETE FROM bulk_job WHERE ${isAmong(
        'id',
        `SELECT j.id FROM bulk_job j
         WHERE j.ended_at < CAST(:now AS bigint) AND NOT EXISTS (SELECT 1 FROM bulk_job_result r WHERE r.job_id = j.id)
         ORDER BY j.ended_at LIMIT :limit`,
      )}
      RETURNING id`,
  );
  protected override readonly retentionMs = KEPT_MS;
}
