import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { randomNumber } from '../../../platform/common/secret/random-bytes.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { databaseTime, hasCome } from '../../../platform/database/stored-times.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { BulkJobRequest } from '../bulk-job.repository.ts';
import type { BulkJob } from '../entities/bulk-job.entity.ts';

/** Another process goes on with a job when the one that held it has stored nothing for this long. */
const LEASE_MS = 10_000;

type Row = Pick<
  BulkJob,
  | 'id'
  | 'workspaceId'
  | 'apiTokenId'
  | 'firstTokenId'
  | 'requestId'
  | 'address'
  | 'action'
  | 'request'
  | 'ids'
  | 'undoOf'
  | 'lastId'
  | 'position'
  | 'createdAt'
>;

/** A job that this process holds. */
export type HeldJob = Omit<Row, 'request' | 'ids'> & {
  request: BulkJobRequest;
  ids: readonly string[] | null;
};

/** The counts that a part adds to a job, and its position after the part if that is done as a whole. */
export type PartProgress = EndedCounts & {
  position: string | null;
};

/** The counts of a job that has ended. */
export type EndedCounts = Pick<BulkJob, 'created' | 'changed' | 'unchanged' | 'refused'>;

const findOpen = statement<object, { id: number }>(
  'bulk-job.find-open',
  () => "SELECT id FROM bulk_job WHERE ended_at IS NULL AND state <> 'receiving' LIMIT 1",
);

/**
 * Gives turns to the oldest job of each API token: its jobs are done one after the other. Workspaces take turns, and in
 * each its tokens do.
 */
const takeJob = statement<{ owner: number; now: number }, Row>('bulk-job.take', (dialect) => {
  const next = `
    SELECT j.id FROM bulk_job j
    WHERE j.ended_at IS NULL AND j.state <> 'receiving' AND (j.lease_owner = :owner
        OR ${hasCome('j.lease_until', LEASE_MS, databaseTime(dialect))})
      AND NOT EXISTS (
        SELECT 1 FROM bulk_job o WHERE o.workspace_id = j.workspace_id AND o.ended_at IS NULL AND o.state <> 'receiving'
          AND o.first_token_id = j.first_token_id AND (o.created_at, o.id) < (j.created_at, j.id))
    ORDER BY coalesce((SELECT max(w.turn_at) FROM bulk_job w
        WHERE w.workspace_id = j.workspace_id AND w.ended_at IS NULL AND w.started_at IS NOT NULL), 0),
      j.turn_at, j.id LIMIT 1 ${dialect.lockFreeRows('j')}`;
  return `
    UPDATE bulk_job SET state = 'running', started_at = coalesce(started_at, ${databaseTime(dialect)}),
      lease_owner = :owner, lease_until = ${databaseTime(dialect)} + ${LEASE_MS}, turn_at = ${databaseTime(dialect)}
    WHERE ${dialect.isAmong('id', next)} AND ended_at IS NULL
    RETURNING id, workspace_id AS "workspaceId", api_token_id AS "apiTokenId",
      first_token_id AS "firstTokenId", request_id AS "requestId", address, action, request, ids,
      undo_of AS "undoOf", last_id AS "lastId", position, created_at AS "createdAt"`;
});

interface Owned {
  id: number;
  owner: number;
  now: number;
}

const storeProgress = statement<
  Owned & { [Name in keyof PartProgress]: PartProgress[Name] },
  { id: number }
>(
  'bulk-job.store-progress',
  (dialect) => `
    UPDATE bulk_job SET created = created + :created, changed = changed + :changed, unchanged = unchanged + :unchanged,
      refused = refused + :refused, position = coalesce(CAST(:position AS text), position),
      lease_until = ${databaseTime(dialect)} + ${LEASE_MS}
    WHERE id = :id AND lease_owner = :owner AND ended_at IS NULL RETURNING id`,
);

const endJob = statement<
  Owned & { state: string; failureCode: string | null; failureDetail: string | null },
  EndedCounts
>(
  'bulk-job.end',
  (dialect) => `
    UPDATE bulk_job SET state = :state, ended_at = ${databaseTime(dialect)},
      failure_code = :failureCode, failure_detail = :failureDetail
    WHERE id = :id AND lease_owner = :owner AND ended_at IS NULL
    RETURNING created, changed, unchanged, refused`,
);

const releaseJob = statement<Owned & { afterMs: number }>(
  'bulk-job.release',
  (dialect) => `
    UPDATE bulk_job SET lease_owner = 0, lease_until = ${databaseTime(dialect)} + :afterMs
    WHERE id = :id AND lease_owner = :owner`,
);

const releaseAll = statement<{ owner: number }>(
  'bulk-job.release-all',
  () => `
    UPDATE bulk_job SET lease_owner = 0, lease_until = 0
    WHERE lease_owner = :owner AND ended_at IS NULL`,
);

/** The job has been cancelled, or another process holds it: nothing of the transaction may be stored. */
export class LeaseLost extends Error {}

/** Lets one process at a time work on a job: nothing of another one is stored. */
@Injectable()
export class BulkJobLeases {
  private readonly owner = randomNumber();

  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** Takes the job that has waited longest for a turn; undefined if there is none. @throws DatabaseUnavailable */
  async take(): Promise<HeldJob | undefined> {
    if ((await this.statements.read(findOpen, {})).length === 0) return undefined;
    const [row] = await this.transactor.apply(takeJob, { owner: this.owner, now: currentTime() });
    if (!row) return undefined;
    const { request, ids, ...job } = row;
    return {
      ...job,
      request: JSON.parse(request) as BulkJobRequest,
      ids: ids === null ? null : (JSON.parse(ids) as string[]),
    };
  }

  /** Stores the progress of a held job, and keeps it for longer. @throws LeaseLost */
  async advance(manager: EntityManager, { id }: HeldJob, progress: PartProgress): Promise<void> {
    const row = { ...this.owned(id), ...progress };
    const stored = await this.statements.run(manager, storeProgress, row);
    if (stored.length === 0) throw new LeaseLost();
  }

  /** Ends a held job. @returns its counts @throws LeaseLost */
  async end(
    manager: EntityManager,
    { id }: HeldJob,
    failure?: { code: string; detail: string },
  ): Promise<EndedCounts> {
    const [counts] = await this.statements.run(manager, endJob, {
      ...this.owned(id),
      state: failure ? 'failed' : 'done',
      failureCode: failure?.code ?? null,
      failureDetail: failure?.detail ?? null,
    });
    if (!counts) throw new LeaseLost();
    return counts;
  }

  /** Leaves a job to any process, not before this time. */
  async release({ id }: HeldJob, afterMs: number): Promise<void> {
    await this.transactor.apply(releaseJob, { ...this.owned(id), afterMs });
  }

  /** Leaves every job of this process to others at once. */
  async releaseAll(): Promise<void> {
    await this.transactor.apply(releaseAll, { owner: this.owner });
  }

  private owned(id: number): Owned {
    return { id, owner: this.owner, now: currentTime() };
  }
}
