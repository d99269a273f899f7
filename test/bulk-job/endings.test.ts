import { type Scope, scopes } from '../../src/platform/common/access/scopes.ts';
import { UserGroupList } from '../../src/core/user-group/resource/user-group-list.ts';
import {
  BulkJobResultRetention,
  BulkJobRetention,
} from '../../src/features/bulk-job/bulk-job-retention.ts';
import { BulkJobResultRepository } from '../../src/features/bulk-job/bulk-job-result.repository.ts';
import type { Answer } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { idOfJob, jobOf, JOBS, TestJobs } from './test-jobs.ts';

/** A job reads as many groups at a time. */
const PART = 200;
const DAY_MS = 24 * 3600 * 1000;

onEachDatabase((kind) => {
  const service = withService(kind);
  let jobs: TestJobs;
  let apiToken: string;
  let count = 0;

  beforeEach(async () => {
    apiToken = await service.issueToken([...scopes], `endings ${++count}`);
    jobs = new TestJobs(service.clientOf(apiToken));
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Does the work when the job has done its first part and has read the second. */
  const inTheMiddle = (work: () => Promise<unknown>) => {
    const list = service.app.get(UserGroupList);
    const readPage = list.page.bind(list);
    jest
      .spyOn(list, 'page')
      .mockImplementationOnce(readPage)
      .mockImplementationOnce(async (...of) => {
        const page = await readPage(...of);
        await work();
        return page;
      });
  };
  const versions = async () => {
    const rows: { id: string; version: string }[] = [];
    for (let cursor = ''; ;) {
      const { body } = await jobs.api.call('GET', `/api/v1/user-groups?limit=200${cursor}`);
      rows.push(...(body.user_groups as unknown as typeof rows));
      if (!body.has_more) return rows;
      cursor = `&cursor=${body.next_cursor}`;
    }
  };
  const suspended = async () =>
    (await jobs.api.call('GET', '/api/v1/user-groups?status=suspended&count=true&limit=1')).body;
  const suspendedCount = async () =>
    ((await suspended()) as unknown as { total: { count: number } }).total.count;

  test('a job that is cancelled in the middle changes no further group, and what it has changed can be undone', async () => {
    await jobs.groups('cancelled', PART + 50);
    const { tell, told } = idOfJob();
    const cancelled = new Promise<Answer>((resolve) =>
      inTheMiddle(async () => resolve(await jobs.cancel(await told))),
    );
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    tell(id);
    const job = await jobs.ended(id);
    expect(job).toMatchObject({ state: 'cancelled', changed: PART, done: PART, failure: null });
    // The job has ended before its caller has the response.
    const answer = await cancelled;
    expect([answer.status, jobOf(answer).state]).toEqual([200, 'cancelled']);
    // The next job begins when the worker has left this one.
    await jobs.ended((await jobs.begin({ action: 'resume', ids: ['none'] })).id);
    expect([await suspendedCount(), (await jobs.results(id)).length]).toEqual([PART, PART]);
    expect((await jobs.cancel(id)).status).toBe(200);
    const undone = await jobs.undo(id);
    expect([undone.status, jobOf(undone).selection]).toEqual([202, { undo_of: id }]);
    expect(await jobs.ended(jobOf(undone).id)).toMatchObject({ state: 'done', changed: PART });
    expect(await suspendedCount()).toBe(0);
    const { body } = await jobs.api.call('GET', '/api/v1/audit-events?types=bulk_job.cancel');
    expect(body.audit_events).toMatchObject([{ details: { action: 'suspend', changed: PART } }]);
  });

  test('a job that waits is cancelled, and one that has ended is not', async () => {
    const list = service.app.get(UserGroupList);
    const readPage = list.page.bind(list);
    let go!: () => void;
    const held = new Promise<void>((resolve) => (go = resolve));
    jest.spyOn(list, 'page').mockImplementationOnce(async (...of) => {
      await held;
      return readPage(...of);
    });
    await jobs.groups('waits', 1);
    const first = await jobs.begin({ action: 'suspend', all: true });
    const second = await jobs.begin({ action: 'resume', all: true });
    expect(jobOf(await jobs.cancel(second.id))).toMatchObject({ state: 'cancelled', done: 0 });
    go();
    await jobs.ended(first.id);
    const refused = await jobs.cancel(first.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'bulk_job_ended']);
    expect(await suspendedCount()).toBe(1);
  });

  test('an undo leaves out groups that were so before, or have changed since, and says so', async () => {
    const ids = await jobs.groups('undone', PART + 5);
    await jobs.api.call('POST', `/api/v1/user-groups/${encodeURIComponent(ids[0]!)}/suspend`);
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    expect(await jobs.ended(id)).toMatchObject({ changed: PART + 4, unchanged: 1 });
    await jobs.api.put({ user_group_id: ids[1], name: 'Changed since' });
    await jobs.api.call('DELETE', `/api/v1/user-groups/${encodeURIComponent(ids[2]!)}`);
    await jobs.api.call('DELETE', `/api/v1/user-groups/${encodeURIComponent(ids[3]!)}`);
    await jobs.api.put({ user_group_id: ids[3], name: 'Another of this id' });
    await jobs.api.call('POST', `/api/v1/user-groups/${encodeURIComponent(ids[3]!)}/suspend`);
    const undo = jobOf(await jobs.undo(id));
    expect([undo.action, undo.total]).toEqual(['resume', PART + 4]);
    expect(await jobs.ended(undo.id)).toMatchObject({ changed: PART + 1, refused: 3 });
    const refused = await jobs.results(undo.id, '&result=refused');
    expect(refused.map(({ provided_id, code }) => [provided_id, code])).toEqual([
      [ids[1], 'precondition_failed'],
      [ids[2], 'user_group_not_found'],
      [ids[3], 'precondition_failed'],
    ]);
    expect(await suspendedCount()).toBe(3);
    expect(await jobs.get(id)).toMatchObject({ undone_by: undo.id, undo_until: null });
    const twice = await jobs.undo(id);
    expect([twice.status, twice.body.code]).toEqual([409, 'bulk_job_not_undoable']);
    // An undo is a job like any other.
    const redone = jobOf(await jobs.undo(undo.id));
    expect(redone.action).toBe('suspend');
    expect(await jobs.ended(redone.id)).toMatchObject({ changed: PART + 1 });
  });

  test('a job is undone once by two calls at once, and twice by none', async () => {
    await jobs.groups('once', 2);
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    await jobs.ended(id);
    const answers = await Promise.all([jobs.undo(id), jobs.undo(id), jobs.undo(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    const key = { 'Idempotency-Key': 'undo' };
    const other = await jobs.begin({ action: 'suspend', ids: ['once 0'] });
    expect(await jobs.ended(other.id)).toMatchObject({ changed: 1 });
    const undone = jobOf(await jobs.undo(other.id, key));
    expect(jobOf(await jobs.undo(other.id, key)).id).toBe(undone.id);
  });

  test('a job cannot be undone before its end, without a change, without an inverse, or after a day', async () => {
    const ids = await jobs.groups('no undo', 2);
    const codeOf = async (id: number) => {
      const { status, body } = await jobs.undo(id);
      return [status, body.code, body.detail];
    };
    const refusal = (detail: string) => [409, 'bulk_job_not_undoable', detail];
    let early: unknown;
    const list = service.app.get(UserGroupList);
    const readPage = list.page.bind(list);
    const { tell, told } = idOfJob();
    jest.spyOn(list, 'page').mockImplementationOnce(async (...of) => {
      early = await codeOf(await told);
      return readPage(...of);
    });
    const { id: created } = await jobs.begin({ action: 'suspend', all: true });
    tell(created);
    await jobs.ended(created);
    expect(early).toEqual(refusal('The job has not ended yet.'));
    const idle = await jobs.begin({ action: 'suspend', ids });
    expect(await jobs.ended(idle.id)).toMatchObject({ changed: 0, undo_until: null });
    expect(await codeOf(idle.id)).toEqual(refusal('The job has changed no group.'));
    const rotated = await jobs.begin({ action: 'rotate', ids });
    await jobs.ended(rotated.id);
    expect(await codeOf(rotated.id)).toEqual(
      refusal('A job with the action rotate cannot be undone.'),
    );
    await changeDatabase(
      service.database,
      `UPDATE bulk_job SET ended_at = ended_at - ${DAY_MS} WHERE id = ${created}`,
    );
    expect(await codeOf(created)).toEqual(refusal('The job ended more than 24 hours ago.'));
  });

  test('a job whose API token is revoked in the middle fails, and goes no further', async () => {
    await jobs.groups('revoked', 2 * PART + 1);
    inTheMiddle(() => service.revokeToken(apiToken));
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    const admin = new TestJobs(
      service.clientOf(await service.issueToken([...scopes], `endings ${count}`)),
    );
    jobs = admin;
    expect(await jobs.ended(id)).toMatchObject({
      state: 'failed',
      changed: 2 * PART,
      done: 2 * PART,
      failure: { code: 'api_token_invalid', detail: expect.any(String) },
    });
    expect(await suspendedCount()).toBe(2 * PART);
    expect((await jobs.undo(id)).status).toBe(202);
  });

  test.each([
    ['loses a scope', "scopes = 'user-groups:write'", 'insufficient_scope'],
    ['may not be used from there', "allowed_cidrs = '203.0.113.0/24'", 'address_not_allowed'],
    ['has expired', 'expires_at = 1', 'api_token_invalid'],
  ])('a job whose API token %s fails', async (_how, change, code) => {
    await jobs.groups('restricted', PART + 1);
    const all: Scope[] = [...scopes];
    const looking = new TestJobs(
      service.clientOf(await service.issueToken(all, `endings ${count}`)),
    );
    const { tell, told } = idOfJob();
    inTheMiddle(async () => {
      const { created_by } = await looking.get(await told);
      const sql = `UPDATE api_token SET ${change} WHERE id = ${created_by.api_token_id}`;
      await changeDatabase(service.database, sql);
    });
    await jobs.groups('restricted too', PART);
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    tell(id);
    expect(await looking.ended(id)).toMatchObject({
      state: 'failed',
      changed: 2 * PART,
      failure: { code },
    });
  });

  test('a part that fails is stored neither in groups nor in results, and is done again', async () => {
    await jobs.groups('again', PART + 50);
    const results = service.app.get(BulkJobResultRepository);
    const insert = results.insert.bind(results);
    const failing = jest.spyOn(results, 'insert');
    failing.mockImplementationOnce(async (...given) => {
      await insert(...given);
      throw new Error('after the changes, before the end of the transaction');
    });
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: PART + 50 });
    failing.mockRestore();
    const all = await jobs.results(id);
    expect(
      all.every(
        ({ version_before, version_after }) => `${version_before} ${version_after}` === '1 2',
      ),
    ).toBe(true);
    expect((await versions()).length).toBe(PART + 50);
  });

  test('jobs that ended 30 days ago are removed with their results', async () => {
    await jobs.groups('old', 3);
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    const young = await jobs.begin({ action: 'resume', all: true });
    await jobs.ended(young.id);
    await changeDatabase(
      service.database,
      `UPDATE bulk_job SET ended_at = ended_at - ${30 * DAY_MS} - 1 WHERE id = ${id}`,
    );
    expect(await service.app.get(BulkJobRetention).sweep()).toBe(0);
    expect(await service.app.get(BulkJobResultRetention).sweep()).toBe(3);
    expect(await service.app.get(BulkJobRetention).sweep()).toBe(1);
    expect((await jobs.api.call('GET', `${JOBS}/${id}`)).status).toBe(404);
    expect((await jobs.results(young.id)).length).toBe(3);
  });
});
