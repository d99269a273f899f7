import { Client } from 'pg';
import { scopes } from '../../src/platform/common/access/scopes.ts';
import {
  definePlugin,
  UserGroupChangeGuard,
  type UserGroupChangeRequest,
} from '../../src/server/library/index.ts';
import { changeDatabase, onEachDatabase, onPostgres } from '../support/database/databases.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { until } from '../support/time/until.ts';
import { TestJobs } from './test-jobs.ts';

/** Refuses one group, and throws for another. */
class Picky extends UserGroupChangeGuard {
  override beforeChange(changes: readonly UserGroupChangeRequest[]) {
    if (changes.some(({ userGroupId }) => userGroupId === 'guarded 7')) throw new Error('a bug');
    const refused = changes.filter(
      ({ userGroupId, kind }) => kind === 'suspend' && userGroupId === 'guarded 3',
    );
    return Promise.resolve(refused.map((change) => ({ change, detail: 'It must stay.' })));
  }
}

/** Is away for a while: the database refuses its statements. */
class Away extends UserGroupChangeGuard {
  readonly asked: number[] = [];
  isAway = true;

  override beforeChange(changes: readonly UserGroupChangeRequest[]) {
    this.asked.push(changes.length);
    const refusal = { code: 'SQLITE_BUSY', severity: 'ERROR' };
    return this.isAway
      ? Promise.reject(Object.assign(new Error('busy'), refusal))
      : Promise.resolve([]);
  }
}

onPostgres('on postgres', () => {
  const service = withService('postgres');

  test('a job does not wait for a group that another transaction holds before it has done the others', async () => {
    const jobs = new TestJobs(service.api);
    const ids = await jobs.groups('held', 230);
    const client = new Client({ connectionString: service.database.env['DATABASE_URL'] });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`SELECT id FROM user_group WHERE provided_id = '${ids[4]}' FOR UPDATE`);
    const { id } = await jobs.begin({ action: 'suspend', all: true });
    await until(async () => (await jobs.get(id)).done === 199);
    await client.query('ROLLBACK');
    await client.end();
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: 230, refused: 0 });
    const results = await jobs.results(id);
    expect(results.map(({ provided_id }) => provided_id)).toEqual(ids);
  });
});

onEachDatabase((kind) => {
  describe('with a rate limit', () => {
    const buckets = withFrozenBuckets();
    const service = withService(kind, { RATE_LIMIT_PER_MINUTE: '1000' });

    test('each group counts as a call: a job waits for the limit, and leaves a tenth to other calls', async () => {
      const [one, two] = await Promise.all(
        ['limited', 'other'].map(
          async (name) =>
            new TestJobs(service.clientOf(await service.issueToken([...scopes], name))),
        ),
      );
      await one!.groups('limited', 500);
      await two!.groups('limited', 1);
      const { id } = await one!.begin({ action: 'suspend', all: true });
      await until(
        async () =>
          (await two!.ended((await two!.begin({ action: 'suspend', all: true })).id)).state ===
          'done',
      );
      let { done } = await one!.get(id);
      expect(done).toBeLessThan(500);
      buckets.pass(60_000);
      await until(async () => ({ done } = await one!.get(id)).done === 500);
      expect(await one!.ended(id)).toMatchObject({ state: 'done', changed: 500 });
    });
  });

  describe('with several API tokens', () => {
    const buckets = withFrozenBuckets();
    const service = withService(kind, { RATE_LIMIT_PER_MINUTE: '1000' });

    test('a job that waits for the limit of its API token holds up none of another, nor do its successors', async () => {
      const jobsOfOne = async () =>
        new TestJobs(service.clientOf(await service.issueToken([...scopes], 'shared')));
      const [busy, other] = [await jobsOfOne(), await jobsOfOne()];
      await busy.groups('busy', 500);
      const [id] = await other.groups('other', 1);
      const waiting = await busy.begin({ action: 'suspend', all: true });
      for (let n = 1; n < 20; n++) {
        await busy.begin({ action: 'resume', ids: ['busy 0'] });
      }
      const refused = await busy.create({ action: 'resume', ids: ['busy 0'] });
      expect([refused.status, refused.body.code]).toEqual([409, 'too_many_bulk_jobs']);
      const own = await other.begin({ action: 'suspend', ids: [id!] });
      expect(await other.ended(own.id)).toMatchObject({ state: 'done', changed: 1 });
      expect(await busy.get(waiting.id)).toMatchObject({ ended_at: null });
      buckets.pass(60_000);
      expect(await busy.ended(waiting.id)).toMatchObject({ state: 'done' });
    });
  });

  test('a job whose guard is away waits for it with one group, and goes on with all', async () => {
    const guard = new Away();
    guard.isAway = false;
    const plugin = definePlugin({
      name: 'away',
      compatibility: '^0.1.0',
      ports: [{ provide: UserGroupChangeGuard, useValue: guard }],
    });
    const service = await startTestService(kind, {}, [plugin]);
    const jobs = new TestJobs(service.api);
    const ids = await jobs.groups('away', 30);
    guard.isAway = true;
    guard.asked.length = 0;
    const { id } = await jobs.begin({ action: 'suspend', ids });
    await until(() => guard.asked.length >= 3);
    guard.isAway = false;
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: 30, refused: 0 });
    const [first, ...others] = guard.asked;
    expect(first).toBe(30);
    expect(others.slice(0, -1)).toEqual(others.slice(0, -1).map(() => 1));
    expect(others.at(-1)).toBe(29);
    await service.close();
  });

  test('a guard of the application is asked for each group, and a fault of it refuses that group alone', async () => {
    const plugin = definePlugin({
      name: 'picky',
      compatibility: '^0.1.0',
      ports: [{ provide: UserGroupChangeGuard, useClass: Picky }],
    });
    const service = await startTestService(kind, {}, [plugin]);
    const jobs = new TestJobs(service.api);
    for (let n = 0; n < 10; n++) {
      if (n !== 7) await jobs.api.put({ user_group_id: `guarded ${n}`, name: 'G' });
    }
    const ids = Array.from({ length: 10 }, (_, n) => `guarded ${n}`);
    const { id } = await jobs.begin({ action: 'suspend', ids });
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', changed: 8, refused: 2 });
    expect((await jobs.results(id, '&result=refused')).map(({ code }) => code)).toEqual([
      'change_refused',
      'user_group_not_found',
    ]);
    await changeDatabase(
      service.database,
      "UPDATE user_group SET provided_id = 'guarded 7' WHERE provided_id = 'guarded 6'",
    );
    const resumed = await jobs.begin({ action: 'resume', all: true });
    expect(await jobs.ended(resumed.id)).toMatchObject({ state: 'done', changed: 7, refused: 1 });
    expect((await jobs.results(resumed.id, '&result=refused')).map(({ code }) => code)).toEqual([
      'internal_error',
    ]);
    await service.close();
  });
});
