import { BulkJobLineCipher } from '../../src/features/bulk-job/lines/bulk-job-line-cipher.ts';
import { BulkJobRunner } from '../../src/features/bulk-job/running/bulk-job-runner.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { withKeys } from '../support/keys.ts';
import { runCli, runWarm } from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';
import { TestJobs } from './test-jobs.ts';

onEachDatabase((kind) => {
  let database: TestDatabase;
  let id: number;

  beforeEach(async () => {
    database = await createTestDatabase(kind);
    const service = await startTestService(database, withKeys(database, 'k1'));
    jest.spyOn(service.app.get(BulkJobRunner), 'run').mockResolvedValue(undefined);
    ({ id } = await new TestJobs(service.api).beginImport([{ provided_id: 'waits', name: 'W' }]));
    await service.close();
  });

  afterEach(() => database.drop());

  /** The job once a service with these keys has done it. */
  const endedWith = async (...keys: string[]) => {
    const service = await startTestService(database, withKeys(database, ...keys));
    const job = await new TestJobs(service.api).ended(id);
    await service.close();
    return job;
  };

  test('rewrapping encrypts lines that wait with the new key, after which the old one is not needed', async () => {
    const { code, stderr } = await runCli(withKeys(database, 'k2', 'k1'), 'keys', 'rewrap');
    expect([code, stderr]).toEqual([0, '0 tokens and 1 part of imports re-encrypted.\n']);
    expect(await endedWith('k2')).toMatchObject({ state: 'done', created: 1 });
  });

  test('a process that lacks the key of lines leaves them to one that has it', async () => {
    const behind = await startTestService(database, withKeys(database, 'k1'));
    await new TestJobs(behind.api).ended(id);
    const tried = jest.spyOn(BulkJobLineCipher.prototype, 'decrypt');
    const ahead = await startTestService(database, withKeys(database, 'k2', 'k1'));
    jest.spyOn(ahead.app.get(BulkJobRunner), 'run').mockResolvedValue(undefined);
    ({ id } = await new TestJobs(ahead.api).beginImport([{ provided_id: 'new', name: 'N' }]));
    await ahead.close();
    await until(() => tried.mock.results.some(({ type }) => type === 'throw'));
    expect(await endedWith('k2', 'k1')).toMatchObject({ state: 'done', created: 1 });
    await behind.close();
  });

  test('a key that only lines need is missed at the start; when it is given up, their job fails', async () => {
    const refused = await runWarm('main.js', withKeys(database, 'k2'));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('key "k1"')]);
    const forgotten = await runCli(withKeys(database, 'k2'), 'keys', 'forget', 'k1', '--yes');
    expect(forgotten.stderr).toBe(
      'The key "k1" is forgotten, and with it 0 tokens and 1 part of imports.\n',
    );
    expect(await endedWith('k2')).toMatchObject({
      state: 'failed',
      done: 0,
      failure: { code: 'bulk_job_lines_unreadable' },
    });
  });
});
