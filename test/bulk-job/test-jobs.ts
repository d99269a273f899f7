import type {
  BulkJobResultView,
  BulkJobView,
} from '../../src/features/bulk-job/dto/bulk-job.dto.ts';
import { type Answer, type ApiClient, NDJSON } from '../support/api/api-client.ts';
import { importGroups, toLines } from '../support/api/lines.ts';
import { until } from '../support/time/until.ts';

export const JOBS = '/api/v1/bulk-jobs';

/** The id of a job for what the worker does: it may be at the job before its caller has the response. */
export function idOfJob(): { tell: (id: number) => void; told: Promise<number> } {
  let tell!: (id: number) => void;
  const told = new Promise<number>((resolve) => (tell = resolve));
  return { tell, told };
}

/** The jobs of a workspace, as one of its callers sees them. */
export class TestJobs {
  constructor(readonly api: ApiClient) {}

  create(body: object, query = '', headers?: Record<string, string>): Promise<Answer> {
    return this.api.call('POST', JOBS + query, body, headers);
  }

  /** Creates a job, which must be accepted. */
  async begin(body: object, query = ''): Promise<BulkJobView> {
    const answer = await this.create(body, query);
    expect([answer.status, answer.body.code]).toEqual([202, undefined]);
    return jobOf(answer);
  }

  /** Sends objects, or lines as they are, to be imported by a job. */
  import(lines: string | readonly object[]): Promise<Answer> {
    const text = typeof lines === 'string' ? lines : toLines(...lines);
    return this.api.call('POST', `${JOBS}/import`, text, NDJSON);
  }

  /** Creates a job that imports, which must be accepted. */
  async beginImport(lines: string | readonly object[]): Promise<BulkJobView> {
    const answer = await this.import(lines);
    expect([answer.status, answer.body.code]).toEqual([202, undefined]);
    return jobOf(answer);
  }

  async get(id: number): Promise<BulkJobView> {
    return jobOf(await this.api.call('GET', `${JOBS}/${id}`));
  }

  cancel(id: number): Promise<Answer> {
    return this.api.call('POST', `${JOBS}/${id}/cancel`);
  }

  undo(id: number, headers?: Record<string, string>): Promise<Answer> {
    return this.api.call('POST', `${JOBS}/${id}/undo`, undefined, headers);
  }

  /** The job once it has ended. */
  async ended(id: number): Promise<BulkJobView> {
    let job!: BulkJobView;
    await until(
      async () => (job = await this.get(id)).ended_at !== null,
      () => JSON.stringify(job),
    );
    return job;
  }

  /** Every result, page by page. */
  async results(id: number, query = ''): Promise<BulkJobResultView[]> {
    const all: BulkJobResultView[] = [];
    for (let cursor = ''; ;) {
      const path = `${JOBS}/${id}/results?limit=150${query}${cursor}`;
      const { body } = await this.api.call('GET', path);
      all.push(...(body as unknown as { results: BulkJobResultView[] }).results);
      if (!body.has_more) return all;
      cursor = `&cursor=${body.next_cursor}`;
    }
  }

  /** Creates groups whose ids begin with the prefix, in the order of their numbers. */
  async groups(prefix: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, n) => `${prefix} ${n}`);
    const lines = await importGroups(
      this.api,
      ...ids.map((provided_id) => ({ provided_id, name: provided_id })),
    );
    expect(lines.at(-1)!.summary).toMatchObject({ created: count, complete: true });
    return ids;
  }
}

export function jobOf({ body }: Answer): BulkJobView {
  return (body as unknown as { bulk_job: BulkJobView }).bulk_job;
}
