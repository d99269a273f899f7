import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../platform/common/time.ts';
import { unnamedStatement } from '../../platform/database/statement.ts';
import { ExpirySweep, type RemoveExpired } from '../../platform/database/upkeep/expiry-sweep.ts';

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

/** Removes uploads that their process has left, with their lines. */
@Injectable()
export class BulkJobUploadRetention extends ExpirySweep {
  protected readonly removeExpired: RemoveExpired = unnamedStatement(
    ({ isAmong }) => `
      DELETE FROM bulk_job WHERE state = 'receiving' AND ${isAmong(
        'id',
        `SELECT j.id FROM bulk_job j
         WHERE j.ended_at IS NULL AND j.state = 'receiving' AND j.lease_until < CAST(:now AS bigint) LIMIT :limit`,
      )}
      RETURNING id`,
  );
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
