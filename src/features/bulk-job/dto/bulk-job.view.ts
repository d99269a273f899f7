import { DAY_MS, toWireTime, toWireTimeOrNull } from '../../../platform/common/time.ts';
import type { BulkJobResult } from '../entities/bulk-job-result.entity.ts';
import { inverseOf, type ShownBulkJob } from '../bulk-job.repository.ts';
import type { BulkJobResultView, BulkJobView } from './bulk-job.dto.ts';

/** Returns until when a job that has ended can be undone, in milliseconds since 1970; null if it cannot. */
export function undoableUntil({
  action,
  created,
  changed,
  endedAt,
}: Pick<ShownBulkJob, 'action' | 'created' | 'changed' | 'endedAt'>): number | null {
  return inverseOf(action) && created + changed > 0 && endedAt !== null ? endedAt + DAY_MS : null;
}

export function toBulkJobView(job: ShownBulkJob): BulkJobView {
  const { failureCode: code, failureDetail: detail } = job;
  return {
    id: job.id,
    // One whose lines arrive is not shown.
    state: job.state as BulkJobView['state'],
    action: job.action,
    selection: selectionOf(job),
    created_by: { api_token_id: job.apiTokenId, name: job.tokenName },
    total: job.total,
    done: job.created + job.changed + job.unchanged + job.refused,
    created: job.created,
    changed: job.changed,
    unchanged: job.unchanged,
    refused: job.refused,
    failure: code === null ? null : { code, detail: detail ?? '' },
    created_at: toWireTime(job.createdAt),
    started_at: toWireTimeOrNull(job.startedAt),
    ended_at: toWireTimeOrNull(job.endedAt),
    undo_until: job.undoneBy === null ? toWireTimeOrNull(undoableUntil(job)) : null,
    undone_by: job.undoneBy,
  };
}

export function toBulkJobResultView(
  row: Omit<BulkJobResult, 'jobId'>,
  { action }: Pick<ShownBulkJob, 'action'>,
): BulkJobResultView {
  return {
    ...(action === 'import' && { line: row.place }),
    provided_id: row.providedId,
    team_id: row.teamId,
    result: row.result,
    version_before: row.versionBefore,
    version_after: row.versionAfter,
    ...(row.tokenReplaced === 1 && { token_replaced: true }),
    ...(row.code !== null && { code: row.code, detail: row.detail ?? '' }),
  };
}

function selectionOf({ action, request, undoOf, total }: ShownBulkJob): BulkJobView['selection'] {
  if (action === 'import') return { lines: total ?? 0 };
  if (undoOf !== null) return { undo_of: undoOf };
  const { filters } = request;
  if (!filters) return { ids: total ?? 0 };
  return Object.keys(filters).length === 0 ? { all: true } : { filters };
}
