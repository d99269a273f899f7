import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Page, PageQueryDto } from '../../platform/common/http/parameters/page.dto.ts';
import { columnsOf } from '../../platform/database/dialect.ts';
import { KeysetList, KeysetOrder } from '../../platform/database/keyset-list.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import type { BulkJobResult } from './entities/bulk-job-result.entity.ts';

const RESULT = {
  jobId: 'integer',
  place: 'integer',
  providedId: 'text',
  teamId: 'integer',
  result: 'text',
  code: 'text',
  detail: 'text',
  versionBefore: 'integer',
  versionAfter: 'integer',
  tokenReplaced: 'integer',
} as const;

const { columns, members } = columnsOf(RESULT);

const SHOWN = `
  r.place, r.provided_id AS "providedId", r.team_id AS "teamId", r.result, r.code, r.detail,
  r.version_before AS "versionBefore", r.version_after AS "versionAfter",
  r.token_replaced AS "tokenReplaced"`;

type Row = Omit<BulkJobResult, 'jobId'>;

const resultList = new KeysetList<{ jobId: number; result: string | null }, Row>(
  'bulk-job-result.list',
  new KeysetOrder<Row>([['place', 'r.place']]),
  (page) => `
    SELECT ${SHOWN} FROM bulk_job_result r
    WHERE r.job_id = :jobId AND (CAST(:result AS text) IS NULL OR r.result = CAST(:result AS text)) AND ${page}`,
);

const listChanged = statement<{ jobId: number; after: number; limit: number }, Row>(
  'bulk-job-result.list-changed',
  () => `
    SELECT ${SHOWN} FROM bulk_job_result r
    WHERE r.job_id = :jobId AND r.place > CAST(:after AS integer) AND r.result IN ('created', 'changed')
    ORDER BY r.place LIMIT :limit`,
);

const findPlaces = statement<{ jobId: number; places: readonly number[] }, { place: number }>(
  'bulk-job-result.find-places',
  ({ isOneOf }) => `
    SELECT r.place FROM bulk_job_result r
    WHERE r.job_id = :jobId AND ${isOneOf('r.place', ':places', 'integer')}`,
);

const insertResults = statement<{ rows: readonly object[] }>(
  'bulk-job-result.insert',
  ({ recordsOf }) => `
    INSERT INTO bulk_job_result (${columns}) SELECT ${members} FROM ${recordsOf(':rows', RESULT)}`,
);

/** Queries the results of jobs of which the caller knows that the workspace has them. */
@Injectable()
export class BulkJobResultRepository {
  constructor(private readonly statements: Statements) {}

  /** Lists one page in the order of the job. @param result only groups with this result */
  list(jobId: number, result: string | undefined, query: PageQueryDto): Promise<Page<Row>> {
    return resultList.page(this.statements, query, { jobId, result: result ?? null });
  }

  /** Lists at most `limit` groups that a job has changed, after this place. */
  listChanged(jobId: number, after: number, limit: number): Promise<Row[]> {
    return this.statements.read(listChanged, { jobId, after, limit });
  }

  /** Returns those of the places that have a result. */
  async findPlaces(
    jobId: number,
    places: readonly number[],
    manager?: EntityManager,
  ): Promise<Set<number>> {
    if (places.length === 0) return new Set();
    const found = await this.statements.read(findPlaces, { jobId, places }, manager);
    return new Set(found.map(({ place }) => place));
  }

  /** Stores results. A place that has one makes the transaction fail. */
  async insert(manager: EntityManager, rows: readonly BulkJobResult[]): Promise<void> {
    if (rows.length > 0) await this.statements.run(manager, insertResults, { rows });
  }
}
