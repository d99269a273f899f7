import { request } from 'node:http';
import { scopes } from '../../src/platform/common/access/scopes.ts';
import { BulkJobUploadRetention } from '../../src/features/bulk-job/bulk-job-retention.ts';
import { BulkJobLineRepository } from '../../src/features/bulk-job/lines/bulk-job-line.repository.ts';
import { BulkJobUploadRepository } from '../../src/features/bulk-job/lines/bulk-job-upload.repository.ts';
import { BulkJobLeases } from '../../src/features/bulk-job/running/bulk-job-leases.ts';
import { BulkJobRunner } from '../../src/features/bulk-job/running/bulk-job-runner.ts';
import { BulkJobWorker } from '../../src/features/bulk-job/running/bulk-job-worker.ts';
import { DatabaseUnavailable } from '../../src/platform/common/problem/errors.ts';
import { Transactor } from '../../src/platform/database/transactor.ts';
import { NDJSON } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { withService } from '../support/test-service.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { until } from '../support/time/until.ts';
import { idOfJob, jobOf, JOBS, TestJobs } from './test-jobs.ts';

/** A job writes as many lines at a time. */
const PART = 200;

const groupsOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ provided_id: `${prefix} ${n}`, name: 'G' }));

onEachDatabase((kind) => {
  const service = withService(kind);
  let jobs: TestJobs;
  let apiToken: string;
  let count = 0;

  beforeEach(async () => {
    apiToken = await service.issueToken([...scopes], `import jobs ${++count}`);
    jobs = new TestJobs(service.clientOf(apiToken));
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const by = async (...own: typeof scopes) =>
    new TestJobs(service.clientOf(await service.issueToken([...own], `import jobs ${count}`)));
  const groupOf = async (id: string) =>
    (await jobs.api.call('GET', `/api/v1/user-groups/${encodeURIComponent(id)}`)).body.user_group;
  const tokenOf = async (user_group_id: string) =>
    (await jobs.api.get({ user_group_id })).body.user_group.token;
  const rowsOf = async (table: string) =>
    Number(
      (
        await runSql<{ count: number | string }>(
          service.database,
          `SELECT count(*) AS count FROM ${table}`,
        )
      )[0]!.count,
    );
  const events = async (types: string) =>
    (await jobs.api.call('GET', `/api/v1/audit-events?limit=200&types=${types}`)).body.audit_events;
  /** Keeps the worker from any job until the returned function is called. */
  const hold = () => {
    const held = jest.spyOn(service.app.get(BulkJobRunner), 'run').mockResolvedValue(undefined);
    return () => {
      held.mockRestore();
      service.app.get(BulkJobWorker).wake();
    };
  };
  /** Does the work when a job has done its first part and has read the second. */
  const inTheMiddle = (work: () => Promise<unknown>) => {
    const lines = service.app.get(BulkJobLineRepository);
    const next = lines.next.bind(lines);
    jest
      .spyOn(lines, 'next')
      .mockImplementationOnce(next)
      .mockImplementationOnce(async (...of) => {
        const part = await next(...of);
        await work();
        return part;
      });
  };

  test('a job stores the group of each line, says which it has created, and keeps no line', async () => {
    await jobs.api.put({ user_group_id: 'old', name: 'Old', properties: { seats: 1 } });
    await jobs.api.put({ user_group_id: 'same', name: 'Same' });
    const lines = [
      ...groupsOf('new', PART + 50),
      { provided_id: 'old', properties: { seats: 2 } },
      { provided_id: 'same', name: 'Same' },
    ];
    const answer = await jobs.import(lines);
    const created = jobOf(answer);
    expect([answer.status, answer.headers['location']]).toEqual([202, `${JOBS}/${created.id}`]);
    expect(created).toMatchObject({
      state: 'queued',
      action: 'import',
      selection: { lines: PART + 52 },
      total: PART + 52,
      done: 0,
      created: 0,
      changed: 0,
      unchanged: 0,
      refused: 0,
    });
    const job = await jobs.ended(created.id);
    expect(job).toMatchObject({
      state: 'done',
      done: PART + 52,
      created: PART + 50,
      changed: 1,
      unchanged: 1,
      refused: 0,
      failure: null,
      undo_until: expect.any(String),
    });
    const results = await jobs.results(job.id);
    expect(results.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
    expect(results[0]).toEqual({
      line: 1,
      provided_id: 'new 0',
      team_id: (await groupOf('new 0')).team_id,
      result: 'created',
      version_before: null,
      version_after: 1,
    });
    expect(results.slice(-2)).toMatchObject([
      { line: PART + 51, result: 'changed', version_before: 1, version_after: 2 },
      { line: PART + 52, result: 'unchanged', version_before: 1, version_after: 1 },
    ]);
    expect((await jobs.results(job.id, '&result=created')).length).toBe(PART + 50);
    expect((await groupOf('old')).properties).toEqual({ seats: 2 });
    expect(await rowsOf('bulk_job_line')).toBe(0);
    const [event] = await events('user_group.update');
    expect(event).toMatchObject({ details: { import: true, job: job.id } });
    expect(await events('bulk_job.*')).toMatchObject([
      { action: 'bulk_job.end', details: { action: 'import', created: PART + 50, changed: 1 } },
      { action: 'bulk_job.create', details: { action: 'import', selection: { lines: PART + 52 } } },
    ]);
  });

  test('a refused line affects no other, and its result has its number, its code and the place of the fault', async () => {
    const [one] = groupsOf('valid', 1);
    const text = [
      '\uFEFF' + JSON.stringify(one),
      '',
      '{"provided_id": "nameless"}',
      '{"provided_id": "empty", "name": ""}',
      '[{"provided_id": "x"}]',
      'not json',
      '{"provided_id": "valid 0", "name": "Twice"}',
      `{"provided_id": "long", "name": "${'x'.repeat(1024 * 1024)}"}`,
      '{"summary": {"exported": 1, "complete": true}}',
      '{"provided_id": "last", "name": "Last"}',
    ].join('\r\n');
    const job = await jobs.beginImport(text);
    expect(job).toMatchObject({ total: 8, refused: 5, done: 5 });
    expect(await jobs.ended(job.id)).toMatchObject({ state: 'done', created: 2, refused: 6 });
    const refused = await jobs.results(job.id, '&result=refused');
    expect(refused.map(({ line, provided_id, code }) => [line, provided_id, code])).toEqual([
      [3, 'nameless', 'validation_failed'],
      [4, null, 'validation_failed'],
      [5, null, expect.any(String)],
      [6, null, 'json_malformed'],
      [7, 'valid 0', 'validation_failed'],
      [8, null, 'body_too_large'],
    ]);
    expect(refused[0]!.detail).toMatch(/^\/name: /);
    expect(refused[2]!.detail).toContain('looks like a JSON array');
    expect(refused[4]!.detail).toContain('Lines 1 and 7');
    expect((await groupOf('valid 0')).name).toBe('G');
  });

  test('a line with a token needs tokens:rotate; what waits is encrypted; a replaced token is told', async () => {
    const token = 'a-token-of-another-system-1';
    await jobs.api.put({ user_group_id: 'has one', name: 'Has one' });
    const before = await tokenOf('has one');
    const lines = [
      { provided_id: 'with token', name: 'G', token, properties: { pin: 'a-secret-of-the-line' } },
      { provided_id: 'has one', token: 'a-token-of-another-system-2' },
    ];
    const writer = await by('user-groups:write', 'user-groups:read');
    const refused = await writer.beginImport(lines);
    expect(await writer.ended(refused.id)).toMatchObject({ state: 'done', refused: 2 });
    expect((await writer.results(refused.id)).map(({ code }) => code)).toEqual([
      'insufficient_scope',
      'insufficient_scope',
    ]);
    const resume = hold();
    const { id } = await jobs.beginImport(lines);
    const stored = await runSql<{ ciphertext: Buffer }>(
      service.database,
      'SELECT ciphertext FROM bulk_job_line',
    );
    expect(stored.length).toBe(1);
    for (const { ciphertext } of stored) {
      for (const part of [token, 'a-secret-of-the-line', 'with token']) {
        expect(ciphertext.includes(part)).toBe(false);
      }
    }
    resume();
    expect(await jobs.ended(id)).toMatchObject({ created: 1, changed: 1 });
    const [first, second] = await jobs.results(id);
    expect(first).not.toHaveProperty('token_replaced');
    expect(second).toMatchObject({ token_replaced: true, version_before: 1, version_after: 1 });
    expect(await tokenOf('with token')).toBe(token);
    expect(await jobs.api.isActive(before)).toBe(false);
    const { text } = await jobs.api.call('GET', `${JOBS}/${id}/results`);
    expect(text).not.toContain(token);
  });

  test('an undo deletes what the import has created, gives back what it has changed, and leaves what has changed since', async () => {
    const was = { mapping: { sales: 'a' }, properties: { seats: 1 }, name: 'Before' };
    for (const id of ['changed', 'changed since', 'token alone']) {
      await jobs.api.put({ user_group_id: id, ...was });
    }
    const { id } = await jobs.beginImport([
      { provided_id: 'made', name: 'Made' },
      { provided_id: 'made, then changed', name: 'Made' },
      { provided_id: 'made, then rotated', name: 'Made' },
      {
        provided_id: 'changed',
        name: 'After',
        mapping: { sales: 'b' },
        properties: { seats: 2 },
        suspended: true,
        valid_until: '2099-01-01T00:00:00.000Z',
      },
      { provided_id: 'changed since', name: 'After' },
      { provided_id: 'token alone', token: 'a-token-of-another-system-3' },
    ]);
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', created: 3, changed: 3 });
    await jobs.api.put({ user_group_id: 'made, then changed', name: 'Another' });
    await jobs.api.rotate(await tokenOf('made, then rotated'));
    await jobs.api.put({ user_group_id: 'changed since', name: 'Another' });
    const undo = jobOf(await jobs.undo(id));
    expect(undo).toMatchObject({ action: 'restore', selection: { undo_of: id }, total: 6 });
    expect(await jobs.ended(undo.id)).toMatchObject({ state: 'done', changed: 2, refused: 4 });
    const results = await jobs.results(undo.id);
    expect(results.map(({ provided_id, code }) => [provided_id, code])).toEqual([
      ['made', undefined],
      ['made, then changed', 'precondition_failed'],
      ['made, then rotated', 'precondition_failed'],
      ['changed', undefined],
      ['changed since', 'precondition_failed'],
      ['token alone', 'precondition_failed'],
    ]);
    expect(results[0]).toMatchObject({ version_before: 1, version_after: null });
    expect(results[5]!.detail).toContain('does not come back');
    expect(await groupOf('made')).toBeUndefined();
    expect(await groupOf('changed')).toMatchObject({
      ...was,
      valid_until: null,
      suspended_at: null,
      status: 'active',
    });
    expect((await groupOf('changed since')).name).toBe('Another');
    expect(await tokenOf('token alone')).toBe('a-token-of-another-system-3');
    expect(await jobs.get(id)).toMatchObject({ undone_by: undo.id, undo_until: null });
    expect((await jobs.undo(undo.id)).body.code).toBe('bulk_job_not_undoable');
  });

  test('a cancelled import stores no further line, and keeps none', async () => {
    const { tell, told } = idOfJob();
    inTheMiddle(async () => jobs.cancel(await told));
    const { id } = await jobs.beginImport(groupsOf('cancelled', 2 * PART + 1));
    tell(id);
    expect(await jobs.ended(id)).toMatchObject({ state: 'cancelled', created: PART });
    // The next job begins when the worker has left this one.
    await jobs.ended((await jobs.beginImport('')).id);
    expect([await rowsOf('bulk_job_line'), (await jobs.results(id)).length]).toEqual([0, PART]);
    expect(await groupOf(`cancelled ${PART}`)).toBeUndefined();
  });

  /** Adds parts to a job that waits, after those that it has. */
  const addParts = async (jobId: number, parts: number) => {
    const bytes = kind === 'postgres' ? String.raw`'\x00'` : "X'00'";
    const rows = Array.from(
      { length: parts },
      (_, n) => `(${jobId}, ${n + 100}, ${bytes}, 'none')`,
    );
    await changeDatabase(
      service.database,
      `INSERT INTO bulk_job_line (job_id, part, ciphertext, key_id) VALUES ${rows.join()}`,
    );
  };
  /** The rows of each statement that is a transaction by itself and removes parts of this job. */
  const removalsOf = (id: number) => {
    const transactor = service.app.get(Transactor);
    const apply = transactor.apply.bind(transactor);
    const removals: number[] = [];
    jest.spyOn(transactor, 'apply').mockImplementation(async (statement, parameters) => {
      const rows = await apply(statement, parameters);
      if ('jobId' in parameters && parameters['jobId'] === id) removals.push(rows.length);
      return rows;
    });
    return removals;
  };

  test('the lines of a job that is cancelled are removed some at a time', async () => {
    hold();
    const { id } = await jobs.beginImport(groupsOf('in parts', 1));
    await addParts(id, 64);
    const removals = removalsOf(id);
    expect((await jobs.cancel(id)).status).toBe(200);
    // The transaction that ends it removes the first 20.
    expect(removals).toEqual([20, 20, 5]);
    expect(await rowsOf('bulk_job_line')).toBe(0);
  });

  test('the lines of a job that fails are removed some at a time', async () => {
    const resume = hold();
    const looking = await by(...scopes);
    const { id } = await jobs.beginImport(groupsOf('that fails', 1));
    await addParts(id, 64);
    const removals = removalsOf(id);
    await service.revokeToken(apiToken);
    resume();
    expect(await looking.ended(id)).toMatchObject({ state: 'failed' });
    await until(async () => (await rowsOf('bulk_job_line')) === 0);
    await until(() => removals.length === 3);
    expect(removals).toEqual([20, 20, 5]);
  });

  test('lines that are left when a job has ended are removed by the sweep, and those that wait are not', async () => {
    const resume = hold();
    const { id } = await jobs.beginImport(groupsOf('left over', 1));
    await addParts(id, 64);
    const other = await jobs.beginImport(groupsOf('waits', 1));
    const lines = service.app.get(BulkJobLineRepository);
    const transactor = service.app.get(Transactor);
    const apply = transactor.apply.bind(transactor);
    jest.spyOn(transactor, 'apply').mockImplementation((statement, parameters) => {
      if (!('jobId' in parameters)) return apply(statement, parameters);
      throw new DatabaseUnavailable(new Error('as if the process had ended'));
    });
    expect((await jobs.cancel(id)).status).toBe(200);
    expect(await rowsOf('bulk_job_line')).toBe(45 + 1);
    expect(await service.app.get(BulkJobUploadRetention).sweep()).toBe(45);
    expect(await rowsOf('bulk_job_line')).toBe(1);
    expect(await lines.next(other.id, 0)).toMatchObject({ part: 1 });
    expect(await jobs.get(id)).toMatchObject({ state: 'cancelled' });
    resume();
    expect(await jobs.ended(other.id)).toMatchObject({ state: 'done', created: 1 });
  });

  test('an import whose API token is revoked in the middle fails, and keeps no line', async () => {
    const looking = await by(...scopes);
    inTheMiddle(() => service.revokeToken(apiToken));
    const { id } = await jobs.beginImport(groupsOf('revoked', 2 * PART + 1));
    expect(await looking.ended(id)).toMatchObject({
      state: 'failed',
      created: 2 * PART,
      failure: { code: 'api_token_invalid' },
    });
    expect(await rowsOf('bulk_job_line')).toBe(0);
    expect((await looking.undo(id)).status).toBe(202);
  });

  test('a part that fails is stored neither in groups nor in results, and its lines wait', async () => {
    const lines = service.app.get(BulkJobLineRepository);
    const remove = lines.removeDone.bind(lines);
    jest.spyOn(lines, 'removeDone').mockImplementationOnce(async (...given) => {
      await remove(...given);
      throw new Error('after the changes, before the end of the transaction');
    });
    const { id } = await jobs.beginImport(groupsOf('again', PART + 50));
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', created: PART + 50, refused: 0 });
    expect((await groupOf('again 0')).name).toBe('G');
    expect((await jobs.results(id)).every(({ version_after }) => version_after === 1)).toBe(true);
  });

  test('another process does nothing with a job that this one holds, and its lines are written once', async () => {
    const lines = service.app.get(BulkJobLineRepository);
    const next = lines.next.bind(lines);
    const taking = jest.spyOn(service.app.get(BulkJobLeases), 'take');
    jest.spyOn(lines, 'next').mockImplementationOnce(async (...of) => {
      const part = await next(...of);
      // The lease ends in ten seconds, in which a busy machine may not have looked.
      taking.mockResolvedValue(undefined);
      await changeDatabase(service.database, 'UPDATE bulk_job SET lease_owner = 1');
      return part;
    });
    const { id } = await jobs.beginImport(groupsOf('lost', 3));
    await until(
      async () =>
        (
          await runSql(
            service.database,
            `SELECT id FROM bulk_job WHERE id = ${id} AND lease_owner = 1`,
          )
        ).length === 1,
    );
    expect(await groupOf('lost 0')).toBeUndefined();
    await changeDatabase(service.database, 'UPDATE bulk_job SET lease_owner = 0, lease_until = 0');
    taking.mockRestore();
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', created: 3 });
  });

  test('two imports of one file at once create each group once', async () => {
    const lines = groupsOf('twice', PART + 1);
    // Jobs of one API token are done one after the other.
    const other = await by(...scopes);
    const both = await Promise.all([jobs.beginImport(lines), other.beginImport(lines)]);
    const ended = await Promise.all(both.map(({ id }) => jobs.ended(id)));
    expect(ended.map(({ created, unchanged }) => created + unchanged)).toEqual([
      PART + 1,
      PART + 1,
    ]);
    expect(ended[0]!.created + ended[1]!.created).toBe(PART + 1);
  });

  test('an upload that breaks off leaves no job and no line', async () => {
    const before = await rowsOf('bulk_job_result');
    const refused = Array.from({ length: PART }, () => ({ provided_id: '' }));
    const lines = [...refused, ...groupsOf('broken', 5 * PART)]
      .map((one) => JSON.stringify(one))
      .join('\n');
    const { baseUrl } = service;
    const outgoing = request(`${baseUrl}${JOBS}/import`, {
      method: 'POST',
      headers: { Authorization: `Token ${apiToken}`, 'Transfer-Encoding': 'chunked', ...NDJSON },
    });
    outgoing.on('error', () => undefined);
    outgoing.write(lines);
    await until(async () => (await rowsOf('bulk_job_line')) > 0);
    expect((await jobs.api.call('GET', JOBS)).body).toMatchObject({ bulk_jobs: [] });
    outgoing.destroy();
    await until(async () => (await rowsOf("bulk_job WHERE state = 'receiving'")) === 0);
    expect(await rowsOf('bulk_job_line')).toBe(0);
    const [rows] = await runSql<{ count: number | string }>(
      service.database,
      "SELECT count(*) AS count FROM bulk_job WHERE state = 'receiving'",
    );
    expect(Number(rows!.count)).toBe(0);
    expect(await rowsOf('bulk_job_result')).toBe(before);
    expect(await groupOf('broken 0')).toBeUndefined();
  });

  test('an upload whose commits the connection does not tell of is one whole job', async () => {
    const uploads = service.app.get(BulkJobUploadRepository);
    const transactor = service.app.get(Transactor);
    const run = transactor.run.bind(transactor);
    let isLost = false;
    const [extend, complete] = [uploads.extend.bind(uploads), uploads.complete.bind(uploads)];
    jest.spyOn(uploads, 'extend').mockImplementationOnce((...of) => {
      isLost = true;
      return extend(...of);
    });
    jest.spyOn(uploads, 'complete').mockImplementationOnce((...of) => {
      isLost = true;
      return complete(...of);
    });
    jest.spyOn(transactor, 'run').mockImplementation(async (work) => {
      const result = await run(work);
      if (!isLost) return result;
      isLost = false;
      throw new DatabaseUnavailable(new Error('the connection was lost'));
    });
    const refused = { provided_id: '' };
    const { id } = await jobs.beginImport([refused, ...groupsOf('told', PART)]);
    expect(await jobs.ended(id)).toMatchObject({ total: PART + 1, created: PART, refused: 1 });
    expect(await jobs.results(id)).toHaveLength(PART + 1);
    expect((await jobs.api.call('GET', JOBS)).body).toMatchObject({ bulk_jobs: [{ id }] });
  });

  test('an upload that is being removed is not completed, and the sweep removes it with all that it has', async () => {
    const uploads = service.app.get(BulkJobUploadRepository);
    const complete = uploads.complete.bind(uploads);
    const transactor = service.app.get(Transactor);
    const lines = service.app.get(BulkJobLineRepository);
    const removeRest = lines.removeRest.bind(lines);
    let left = 0;
    let isLeft = false;
    // The worker calls it at the end of a job, too.
    jest.spyOn(lines, 'removeRest').mockImplementation((id, ...rest) => {
      if (id !== left || isLeft) return removeRest(id, ...rest);
      isLeft = true;
      return Promise.reject(new Error('as if the process had ended'));
    });
    jest.spyOn(uploads, 'complete').mockImplementationOnce(async (manager, key, total) => {
      left = key.id;
      await complete(manager, key, total);
      throw new Error('as if the service could not go on');
    });
    const refused = { provided_id: '' };
    expect((await jobs.import([refused, ...groupsOf('removed', PART + 1)])).status).toBe(500);
    const key = { workspaceId: 0, id: left };
    await transactor.run(async (manager) => {
      expect(await uploads.extend(manager, left, 1)).toBe(false);
      expect(await uploads.complete(manager, key, 1)).toBe(false);
    });
    expect(await rowsOf('bulk_job_line')).toBeGreaterThan(0);
    await uploads.discard(left);
    expect(await rowsOf(`bulk_job WHERE id = ${left}`)).toBe(1);
    await service.app.get(BulkJobUploadRetention).sweep();
    expect(await rowsOf(`bulk_job WHERE id = ${left}`)).toBe(0);
    expect(await rowsOf('bulk_job_line')).toBe(0);
    expect(await rowsOf(`bulk_job_result WHERE job_id = ${left}`)).toBe(0);
  });

  test('an upload that its process has left is seen by nobody, counts no more and is removed', async () => {
    jest.spyOn(service.app.get(BulkJobUploadRepository), 'discard').mockResolvedValue();
    const lines = service.app.get(BulkJobLineRepository);
    jest.spyOn(lines, 'insert').mockRejectedValueOnce(new Error('as if the process had ended'));
    expect((await jobs.import(groupsOf('left', PART))).status).toBe(500);
    const left = await runSql<{ id: number }>(
      service.database,
      "SELECT id FROM bulk_job WHERE state = 'receiving'",
    );
    expect(left.length).toBe(1);
    const { id } = left[0]!;
    for (const answer of [
      await jobs.api.call('GET', `${JOBS}/${id}`),
      await jobs.api.call('GET', `${JOBS}/${id}/results`),
      await jobs.cancel(id),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'bulk_job_not_found']);
    }
    const sweep = service.app.get(BulkJobUploadRetention);
    expect(await sweep.sweep()).toBe(0);
    const large = `UPDATE bulk_job SET line_bytes = ${128 * 1024 * 1024}`;
    await changeDatabase(service.database, `${large} WHERE id = ${id}`);
    expect((await jobs.import(groupsOf('while it counts', 1))).status).toBe(409);
    await changeDatabase(service.database, `UPDATE bulk_job SET lease_until = 1 WHERE id = ${id}`);
    const later = await jobs.beginImport(groupsOf('later', 1));
    expect(await sweep.sweep()).toBe(1);
    await jobs.ended(later.id);
  });

  test('what imports of an API token have brought is bounded, and a refused upload leaves nothing', async () => {
    const resume = hold();
    const { id } = await jobs.beginImport(groupsOf('large', 1));
    await changeDatabase(
      service.database,
      `UPDATE bulk_job SET line_bytes = ${128 * 1024 * 1024} WHERE id = ${id}`,
    );
    const refused = await jobs.import(groupsOf('too large', 1));
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_bulk_job_lines']);
    expect(await rowsOf('bulk_job_line')).toBe(1);
    const other = await by(...scopes);
    expect((await other.import(groupsOf('of another', 1))).status).toBe(202);
    resume();
    await jobs.ended(id);
    expect((await jobs.import(groupsOf('large, later', 1))).status).toBe(202);
  });

  test('a token has at most 20 imports that have not ended', async () => {
    const resume = hold();
    for (let n = 0; n < 20; n++) await jobs.beginImport(groupsOf(`crowd ${n}`, 1));
    const refused = await jobs.import(groupsOf('crowd', 1));
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_bulk_jobs']);
    resume();
  });

  test('a request that an import refuses is refused, and an empty body is a job without lines', async () => {
    const json = await jobs.api.call('POST', `${JOBS}/import`, groupsOf('json', 1)[0]);
    expect([json.status, json.body.code]).toEqual([415, 'media_type_unsupported']);
    const query = await jobs.api.call('POST', `${JOBS}/import?dry_run=true`, '', NDJSON);
    expect([query.status, query.body.code]).toEqual([422, 'validation_failed']);
    const reader = await by('user-groups:read');
    expect((await reader.import(groupsOf('reader', 1))).body.code).toBe('insufficient_scope');
    expect((await jobs.api.call('GET', JOBS)).body).toMatchObject({ bulk_jobs: [] });
    const { id } = await jobs.beginImport('\n\n');
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', total: 0, done: 0 });
    expect((await jobs.undo(id)).body.code).toBe('bulk_job_not_undoable');
  });

  test('no workspace sees, cancels or undoes an import of another', async () => {
    const { id } = await jobs.beginImport(groupsOf('own', 1));
    await jobs.ended(id);
    const token = await service.issueToken([...scopes], `import jobs ${count}, another`);
    const other = new TestJobs(service.clientOf(token));
    for (const answer of [
      await other.api.call('GET', `${JOBS}/${id}`),
      await other.api.call('GET', `${JOBS}/${id}/results`),
      await other.cancel(id),
      await other.undo(id),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'bulk_job_not_found']);
    }
  });

  describe('with a rate limit', () => {
    const buckets = withFrozenBuckets();
    const limited = withService(kind, { RATE_LIMIT_PER_MINUTE: '1000' });

    test('each line counts as a call: the job waits for the limit, the upload waits for none of its lines', async () => {
      const own = new TestJobs(limited.clientOf(await limited.issueToken([...scopes], 'limited')));
      const looking = new TestJobs(
        limited.clientOf(await limited.issueToken([...scopes], 'limited')),
      );
      const { id } = await own.beginImport(groupsOf('limited', 1500));
      await until(async () => (await looking.get(id)).done > 800);
      expect((await looking.get(id)).done).toBeLessThan(1000);
      buckets.pass(60_000);
      expect(await looking.ended(id)).toMatchObject({ state: 'done', created: 1500 });
    });
  });
});
