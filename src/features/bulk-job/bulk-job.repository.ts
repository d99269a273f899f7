import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { TokenCaller } from '../../platform/common/access/caller.ts';
import type { UserGroupFilterDto } from '../../core/user-group/resource/dto/user-group-query.dto.ts';
import type { Page, PageQueryDto } from '../../platform/common/http/parameters/page.dto.ts';
import { DatabaseUnavailable } from '../../platform/common/problem/errors.ts';
import { currentTime } from '../../platform/common/time.ts';
import type { Dialect } from '../../platform/database/dialect.ts';
import { KeysetList, KeysetOrder } from '../../platform/database/keyset-list.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { databaseTime } from '../../platform/database/stored-times.ts';
import { BulkJobNotFound } from './bulk-job.errors.ts';
import type { BulkJob } from './entities/bulk-job.entity.ts';

/** Ids have nine digits, and none tells how many there are. */
const ID_RANGE = [100_000_000, 1_000_000_000] as const;
/** A random id may be taken already, but seldom twice in a row. */
const MAX_ATTEMPTS = 20;

interface JobKey {
  workspaceId: number;
  id: number;
}

/** The filters that select the groups, null for another selection; and the parameters of the action. */
export interface BulkJobRequest {
  filters: UserGroupFilterDto | null;
  graceSeconds: number;
  /** Tokens issued from this time on are not rotated, in milliseconds since 1970. */
  issuedBefore: number;
}

type Row = Pick<
  BulkJob,
  | 'id'
  | 'workspaceId'
  | 'apiTokenId'
  | 'action'
  | 'request'
  | 'undoOf'
  | 'total'
  | 'created'
  | 'changed'
  | 'unchanged'
  | 'refused'
  | 'state'
  | 'failureCode'
  | 'failureDetail'
  | 'createdAt'
  | 'startedAt'
  | 'endedAt'
> & { tokenName: string; undoneBy: number | null };

/** The request of a job that needs none of it. */
export const NO_REQUEST: BulkJobRequest = { filters: null, graceSeconds: 0, issuedBefore: 0 };

export type ShownBulkJob = Omit<Row, 'request'> & { request: BulkJobRequest };

/** A job to be stored. */
export type NewBulkJob = Pick<BulkJob, 'action' | 'undoOf' | 'total'> & {
  request: BulkJobRequest;
  ids: readonly string[] | null;
  /** Whether its lines are still to come. */
  isReceiving?: boolean;
};

/** Finds an undo that has not been cut short. */
const UNDONE_BY = `(
    SELECT max(u.id) FROM bulk_job u WHERE u.undo_of = j.id AND u.state NOT IN ('cancelled', 'failed'))`;

const COLUMNS = `
  j.id, j.workspace_id AS "workspaceId", j.api_token_id AS "apiTokenId", j.action, j.request,
  j.undo_of AS "undoOf", j.total, j.created, j.changed, j.unchanged, j.refused, j.state,
  j.failure_code AS "failureCode", j.failure_detail AS "failureDetail", j.created_at AS "createdAt",
  j.started_at AS "startedAt", j.ended_at AS "endedAt", t.name AS "tokenName", ${UNDONE_BY} AS "undoneBy"`;

const JOBS = `SELECT ${COLUMNS} FROM bulk_job j JOIN api_token t ON t.id = j.api_token_id
  WHERE j.workspace_id = :workspaceId AND j.state <> 'receiving'`;

const jobList = new KeysetList<{ workspaceId: number }, Row>(
  'bulk-job.list',
  new KeysetOrder<Row>(
    [
      ['createdAt', 'j.created_at'],
      ['id', 'j.id'],
    ],
    'DESC',
  ),
  (page) => `${JOBS} AND ${page}`,
);

const findJob = statement<JobKey, Row>('bulk-job.find', () => `${JOBS} AND j.id = :id`);

type Owner = Pick<TokenCaller, 'workspaceId' | 'firstTokenId'>;

/** Jobs, and the bytes of lines that they have brought: of the workspace, and among them of the API token. */
interface OpenJobs {
  all: number;
  own: number;
  allBytes: number;
  ownBytes: number;
}

const ofOwn = 'FILTER (WHERE first_token_id = :firstTokenId)';

/** An upload that its process has left counts no more; the sweep removes it. */
const countOpen = statement<Owner & { now: number }, OpenJobs>(
  'bulk-job.count-open',
  (dialect) => `
    SELECT CAST(count(*) AS integer) AS "all", CAST(count(*) ${ofOwn} AS integer) AS own,
      CAST(coalesce(sum(line_bytes), 0) AS bigint) AS "allBytes",
      CAST(coalesce(sum(line_bytes) ${ofOwn}, 0) AS bigint) AS "ownBytes"
    FROM bulk_job
    WHERE workspace_id = :workspaceId AND ended_at IS NULL
      AND (state <> 'receiving' OR lease_until > ${databaseTime(dialect)})`,
);

type Inserted = JobKey &
  Pick<
    BulkJob,
    | 'apiTokenId'
    | 'firstTokenId'
    | 'requestId'
    | 'address'
    | 'action'
    | 'request'
    | 'ids'
    | 'undoOf'
    | 'total'
    | 'state'
  > & { now: number };

/** An upload is abandoned when nothing of it has been stored for this long. */
export const UPLOAD_LEASE_MS = 10 * 60 * 1000;

/** The time of a job that is created now: after those before it, whatever the clock says. */
export const createdNow = ({ greatest }: Dialect) => `
  ${greatest}(CAST(:now AS bigint),
    coalesce((SELECT max(j.created_at) + 1 FROM bulk_job j WHERE j.workspace_id = :workspaceId), 0))`;

/** Groups have growing ids: those after the greatest are created later. */
const insertJob = statement<{ [Name in keyof Inserted]: Inserted[Name] }, { id: number }>(
  'bulk-job.insert',
  (dialect) => `
    INSERT INTO bulk_job (id, workspace_id, api_token_id, first_token_id, request_id, address, action,
      request, ids, undo_of, last_id, total, state, lease_until, created_at, turn_at)
    VALUES (:id, :workspaceId, :apiTokenId, :firstTokenId, :requestId, :address, :action, :request,
      :ids, CAST(:undoOf AS integer),
      coalesce((SELECT max(g.id) FROM user_group g WHERE g.workspace_id = :workspaceId), 0),
      CAST(:total AS integer), CAST(:state AS text),
      CASE CAST(:state AS text) WHEN 'receiving' THEN ${databaseTime(dialect)} + ${UPLOAD_LEASE_MS} ELSE 0 END,
      ${createdNow(dialect)}, ${databaseTime(dialect)})
    ON CONFLICT (id) DO NOTHING RETURNING id`,
);

const cancelJob = statement<JobKey & { now: number }, { id: number }>(
  'bulk-job.cancel',
  () => `
    UPDATE bulk_job SET state = 'cancelled', ended_at = :now
    WHERE workspace_id = :workspaceId AND id = :id AND ended_at IS NULL AND state <> 'receiving'
    RETURNING id`,
);

/** Queries jobs for those who look at them; each query names its workspace. */
@Injectable()
export class BulkJobRepository {
  constructor(private readonly statements: Statements) {}

  /** Lists one page, the newest first. */
  async list(workspaceId: number, query: PageQueryDto): Promise<Page<ShownBulkJob>> {
    const page = await jobList.page(this.statements, query, { workspaceId });
    return { ...page, rows: page.rows.map(toShown) };
  }

  /** @param manager of the transaction to read in, if there is one @throws BulkJobNotFound */
  async get(key: JobKey, manager?: EntityManager): Promise<ShownBulkJob> {
    const job = await this.find(key, manager);
    if (!job) throw new BulkJobNotFound();
    return job;
  }

  async find(key: JobKey, manager?: EntityManager): Promise<ShownBulkJob | undefined> {
    const [row] = await this.statements.read(findJob, key, manager);
    return row && toShown(row);
  }

  /** Counts the jobs that have not ended. */
  async countOpen(manager: EntityManager, { workspaceId, firstTokenId }: Owner): Promise<OpenJobs> {
    const row = { workspaceId, firstTokenId, now: currentTime() };
    return (await this.statements.run(manager, countOpen, row))[0]!;
  }

  /** Stores a job of the caller under a new id. @returns the id */
  async insert(
    manager: EntityManager,
    caller: TokenCaller,
    { request, ids, isReceiving = false, ...job }: NewBulkJob,
  ): Promise<number> {
    const { workspaceId, apiTokenId, firstTokenId, requestId, address } = caller;
    const row = {
      workspaceId,
      apiTokenId,
      firstTokenId,
      requestId,
      address,
      ...job,
      request: JSON.stringify(request),
      ids: ids && JSON.stringify(ids),
      state: isReceiving ? 'receiving' : 'queued',
      now: currentTime(),
    };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const id = randomInt(...ID_RANGE);
      if ((await this.statements.run(manager, insertJob, { ...row, id })).length > 0) return id;
    }
    throw new DatabaseUnavailable(new Error(`found no free id in ${MAX_ATTEMPTS} attempts`));
  }

  /** Ends a job; a part that is under way is not stored then. @returns false if it had ended */
  async cancel(manager: EntityManager, key: JobKey): Promise<boolean> {
    const ended = await this.statements.run(manager, cancelJob, { ...key, now: currentTime() });
    return ended.length > 0;
  }
}

const INVERSES: Partial<Record<BulkJob['action'], 'suspend' | 'resume' | 'restore'>> = {
  suspend: 'resume',
  resume: 'suspend',
  import: 'restore',
};

/** Returns the action that exactly undoes the other; undefined if there is none. */
export function inverseOf(action: BulkJob['action']): (typeof INVERSES)[BulkJob['action']] {
  return INVERSES[action];
}

function toShown({ request, ...row }: Row): ShownBulkJob {
  return { ...row, request: JSON.parse(request) as BulkJobRequest };
}
