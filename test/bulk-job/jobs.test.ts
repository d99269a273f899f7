import { scopes } from '../../src/platform/common/access/scopes.ts';
import { UserGroupList } from '../../src/core/user-group/resource/user-group-list.ts';
import { BulkJobLeases } from '../../src/features/bulk-job/running/bulk-job-leases.ts';
import { BulkJobWorker } from '../../src/features/bulk-job/running/bulk-job-worker.ts';
import type { BulkJobView } from '../../src/features/bulk-job/dto/bulk-job.dto.ts';
import { DAY_MS } from '../../src/platform/common/time.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { jobOf, JOBS, TestJobs } from './test-jobs.ts';

const prefixed = (prefix: string) => `?name_prefix=${encodeURIComponent(prefix)}`;

onEachDatabase((kind) => {
  const service = withService(kind);
  let jobs: TestJobs;
  let count = 0;

  beforeEach(async () => {
    const token = await service.issueToken([...scopes], `jobs ${++count}`);
    jobs = new TestJobs(service.clientOf(token));
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const groupOf = async (id: string) =>
    (await jobs.api.call('GET', `/api/v1/user-groups/${encodeURIComponent(id)}`)).body.user_group;
  const statusOf = async (id: string) => (await groupOf(id)).status;
  const events = async (types: string) =>
    (await jobs.api.call('GET', `/api/v1/audit-events?limit=200&types=${types}`)).body.audit_events;

  test.each([
    'property_name=region&property_value=',
    'property_name=region&property_value=null',
    'property_name=region',
    'property_name=region&property_value=EMEA&search=&name_prefix=',
    'property_name=&property_value=x',
  ])('a job changes the groups that the list shows for %s', async (query) => {
    const properties = [{ region: '' }, { region: 'EMEA' }, { region: null }, { '': 'x' }, {}];
    for (const [n, one] of properties.entries()) {
      await jobs.api.put({ user_group_id: `of ${n}`, name: 'G', properties: one });
    }
    const listed = await jobs.api.call('GET', `/api/v1/user-groups?${query}`);
    const answer = await jobs.create({ action: 'suspend' }, `?${query}`);
    expect(answer.status).toBe(listed.status === 200 ? 202 : listed.status);
    if (listed.status !== 200) return;
    const ids = (listed.body.user_groups as { provided_id: string }[]).map(
      (one) => one.provided_id,
    );
    expect(ids.length).toBeGreaterThan(0);
    expect(await jobs.ended(jobOf(answer).id)).toMatchObject({ changed: ids.length });
    for (let n = 0; n < properties.length; n++) {
      expect(await statusOf(`of ${n}`)).toBe(ids.includes(`of ${n}`) ? 'suspended' : 'active');
    }
  });

  test('a job suspends the groups that pass its filters, with a result and an event for each', async () => {
    const ids = await jobs.groups('many', 430);
    await jobs.groups('other', 1);
    await jobs.api.call('POST', `/api/v1/user-groups/${encodeURIComponent(ids[7]!)}/suspend`);
    const answer = await jobs.create({ action: 'suspend' }, prefixed('many'));
    const created = jobOf(answer);
    expect([answer.status, answer.headers['location']]).toEqual([202, `${JOBS}/${created.id}`]);
    expect(created).toEqual({
      id: expect.any(Number),
      state: 'queued',
      action: 'suspend',
      selection: { filters: { name_prefix: 'many' } },
      created_by: { api_token_id: expect.any(Number), name: 'test' },
      total: 430,
      done: 0,
      created: 0,
      changed: 0,
      unchanged: 0,
      refused: 0,
      failure: null,
      created_at: expect.any(String),
      started_at: null,
      ended_at: null,
      undo_until: null,
      undone_by: null,
    });
    const job = await jobs.ended(created.id);
    expect(job).toMatchObject({
      state: 'done',
      total: 430,
      done: 430,
      changed: 429,
      unchanged: 1,
      refused: 0,
      undo_until: new Date(Date.parse(job.ended_at!) + 24 * 3600 * 1000).toISOString(),
    });
    const results = await jobs.results(job.id);
    expect(results.map(({ provided_id }) => provided_id)).toEqual(ids);
    expect(results[0]).toEqual({
      provided_id: ids[0],
      team_id: (await groupOf(ids[0]!)).team_id,
      result: 'changed',
      version_before: 1,
      version_after: 2,
    });
    expect(results[7]).toMatchObject({ result: 'unchanged', version_before: 2, version_after: 2 });
    expect((await jobs.results(job.id, '&result=unchanged')).length).toBe(1);
    expect([await statusOf(ids[429]!), await statusOf('other 0')]).toEqual(['suspended', 'active']);
    const [event] = await events('user_group.suspend');
    expect(event).toMatchObject({
      actor: { api_token_id: job.created_by.api_token_id },
      details: { bulk: true, job: job.id },
    });
    expect(await events('bulk_job.*')).toMatchObject([
      { action: 'bulk_job.end', details: { action: 'suspend', changed: 429, unchanged: 1 } },
      {
        action: 'bulk_job.create',
        object: { type: 'bulk_job', id: String(job.id) },
        details: { action: 'suspend', selection: { filters: { name_prefix: 'many' } } },
      },
    ]);
  });

  test('a job for ids keeps their order, and an unknown one affects no other', async () => {
    const [one, two] = await jobs.groups('named', 2);
    const { id, selection, total } = await jobs.begin({
      action: 'suspend',
      ids: [two, 'nobody', one],
    });
    expect([selection, total]).toEqual([{ ids: 3 }, 3]);
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: 2, refused: 1 });
    const results = await jobs.results(id);
    expect(results.map(({ provided_id, result }) => [provided_id, result])).toEqual([
      [two, 'changed'],
      ['nobody', 'refused'],
      [one, 'changed'],
    ]);
    expect(results[1]).toMatchObject({
      team_id: null,
      version_before: null,
      version_after: null,
      code: 'user_group_not_found',
      detail: expect.any(String),
    });
  });

  test('a job that rotates keeps no token, and rotates each once', async () => {
    const ids = await jobs.groups('rotated', 3);
    const tokenOf = async (user_group_id: string) =>
      (await jobs.api.get({ user_group_id })).body.user_group.token;
    const before = await tokenOf(ids[0]!);
    const { id } = await jobs.begin({ action: 'rotate', ids, grace_period_seconds: 60 });
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: 3, undo_until: null });
    const now = await tokenOf(ids[0]!);
    expect(now).not.toBe(before);
    expect(await jobs.api.introspect(before)).toMatchObject({ active: true });
    const { text } = await jobs.api.call('GET', `${JOBS}/${id}/results`);
    expect(text).not.toContain(now);
    expect(text).not.toContain('token');
    expect((await events('user_group_token.rotate')).length).toBe(3);
  });

  test('a job deletes what it listed, but no group that has changed since', async () => {
    const ids = await jobs.groups('gone', 3);
    const list = service.app.get(UserGroupList);
    const readPage = list.page.bind(list);
    jest.spyOn(list, 'page').mockImplementationOnce(async (...of) => {
      const page = await readPage(...of);
      await jobs.api.put({ user_group_id: ids[1], name: 'gone, and changed' });
      return page;
    });
    const { id } = await jobs.begin({ action: 'delete' }, prefixed('gone'));
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: 2, refused: 1 });
    const [first, second] = await jobs.results(id);
    expect(first).toMatchObject({ result: 'changed', version_before: 1, version_after: null });
    expect(second).toMatchObject({ result: 'refused', code: 'precondition_failed' });
    expect((await jobs.undo(id)).body.code).toBe('bulk_job_not_undoable');
  });

  test('groups that are created after a job are left out of it', async () => {
    await jobs.groups('early', 2);
    const list = service.app.get(UserGroupList);
    const readPage = list.page.bind(list);
    jest.spyOn(list, 'page').mockImplementationOnce(async (...of) => {
      await jobs.groups('early, but later', 1);
      return readPage(...of);
    });
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    expect(await jobs.ended(id)).toMatchObject({ changed: 2, selection: { all: true } });
    expect(await statusOf('early, but later 0')).toBe('active');
  });

  test('a request that the call for many groups refuses is refused', async () => {
    const refusals = [
      await jobs.create({ action: 'suspend' }),
      await jobs.create({ action: 'suspend', all: true }, '?search=x'),
      await jobs.create({ action: 'suspend', all: true, grace_period_seconds: 1 }),
      await jobs.create({ action: 'explode', all: true }),
      await jobs.create({ action: 'suspend' }, '?statu=active'),
      await jobs.create({ action: 'suspend', ids: ['a', 'a'] }),
    ];
    for (const { status, body } of refusals) {
      expect([status, body.code]).toEqual([422, 'validation_failed']);
    }
    const { body } = await jobs.api.call('GET', JOBS);
    expect(body).toMatchObject({ success: 1, bulk_jobs: [], has_more: false });
  });

  test('a job needs the scopes of its action', async () => {
    const by = async (...own: typeof scopes) =>
      new TestJobs(service.clientOf(await service.issueToken([...own], `jobs ${count}`)));
    const writer = await by('user-groups:write');
    expect((await writer.create({ action: 'suspend', all: true })).body.code).toBe(
      'insufficient_scope',
    );
    expect((await writer.create({ action: 'rotate', ids: ['x'] })).body.code).toBe(
      'insufficient_scope',
    );
    expect((await writer.create({ action: 'suspend', ids: ['x'] })).status).toBe(202);
    const reader = await by('user-groups:read');
    expect((await reader.create({ action: 'suspend', ids: ['x'] })).status).toBe(403);
  });

  test('a job is created once for an Idempotency-Key, also by calls at once', async () => {
    await jobs.groups('once', 3);
    const create = (body: object) => jobs.create(body, '', { 'Idempotency-Key': 'a-key' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => create({ action: 'suspend', all: true })),
    );
    expect(new Set(answers.map((answer) => jobOf(answer).id)).size).toBe(1);
    const other = await create({ action: 'resume', all: true });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
    await jobs.ended(jobOf(answers[0]!).id);
    const { body } = await jobs.api.call('GET', JOBS);
    expect((body as unknown as { bulk_jobs: BulkJobView[] }).bulk_jobs.length).toBe(1);
  });

  test('jobs of a workspace are done one after the other, and listed from the newest', async () => {
    const ids = await jobs.groups('turns', 250);
    const created: number[] = [];
    for (const action of ['suspend', 'resume', 'suspend']) {
      created.push((await jobs.begin({ action }, prefixed('turns'))).id);
    }
    for (const id of created) {
      expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: 250 });
    }
    expect((await groupOf(ids[249]!)).status).toBe('suspended');
    const found: number[] = [];
    for (let cursor = ''; ;) {
      const { body } = await jobs.api.call('GET', `${JOBS}?limit=2${cursor}`);
      found.push(
        ...(body as unknown as { bulk_jobs: BulkJobView[] }).bulk_jobs.map(({ id }) => id),
      );
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(found).toEqual(created.toReversed());
  });

  test('an API token has at most 20 jobs that have not ended, and half of the places that its workspace has left', async () => {
    const working = jest.spyOn(service.app.get(BulkJobLeases), 'take').mockResolvedValue(undefined);
    const one = { action: 'suspend', ids: ['crowd 0'] };
    await jobs.groups('crowd', 1);
    const open = [];
    for (let n = 0; n < 20; n++) open.push(await jobs.begin(one));
    const refused = await jobs.create(one);
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_bulk_jobs']);
    expect((await jobs.cancel(open[5]!.id)).status).toBe(200);
    expect((await jobs.create(one)).status).toBe(202);
    const places = [];
    for (let n = 0; n < 4; n++) {
      const own = new TestJobs(
        service.clientOf(await service.issueToken([...scopes], `jobs ${count}`)),
      );
      let accepted = 0;
      while ((await own.create(one)).status === 202) accepted++;
      places.push(accepted);
    }
    expect(places).toEqual([20, 10, 5, 3]);
    working.mockRestore();
    service.app.get(BulkJobWorker).wake();
    expect(await jobs.ended(open[19]!.id)).toMatchObject({ state: 'done' });
  });

  test('a job that a clock ahead has held goes on once the clock is right', async () => {
    const working = jest.spyOn(service.app.get(BulkJobLeases), 'take').mockResolvedValue(undefined);
    await jobs.groups('ahead', 1);
    const { id } = await jobs.begin({ action: 'suspend', ids: ['ahead 0'] });
    await changeDatabase(
      service.database,
      `UPDATE bulk_job SET lease_owner = 1, lease_until = ${Date.now() + 2 * DAY_MS} WHERE id = ${id}`,
    );
    working.mockRestore();
    service.app.get(BulkJobWorker).wake();
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: 1 });
  });

  test('no workspace sees, cancels or undoes a job of another', async () => {
    await jobs.groups('own', 1);
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    await jobs.ended(id);
    const other = new TestJobs(
      service.clientOf(await service.issueToken([...scopes], `jobs ${count}, another`)),
    );
    expect((await other.api.call('GET', JOBS)).body).toMatchObject({ bulk_jobs: [] });
    for (const answer of [
      await other.api.call('GET', `${JOBS}/${id}`),
      await other.api.call('GET', `${JOBS}/${id}/results`),
      await other.cancel(id),
      await other.undo(id),
      await other.api.call('GET', `${JOBS}/x`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'bulk_job_not_found']);
    }
    await other.begin({ action: 'resume', all: true });
    expect(await statusOf('own 0')).toBe('suspended');
  });
});
