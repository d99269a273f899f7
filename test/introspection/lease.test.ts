import { Client } from 'pg';
import { createHash, randomInt } from 'node:crypto';
import { ChangeFeed } from '../../src/core/change-log/change-feed.ts';
import { RECORDS_CHANGES } from '../../src/platform/database/data-source-options.ts';
import { PostgresConnection } from '../../src/platform/database/postgres/postgres-connection.ts';
import { SnapshotCache } from '../../src/core/user-group/snapshot/snapshot-cache.ts';
import { UserGroupSnapshots } from '../../src/core/user-group/snapshot/user-group-snapshots.ts';
import {
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { untilPolled } from '../support/api/polls.ts';
import { inRealTime } from '../support/time/real-time.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { lastAskedBefore, until } from '../support/time/until.ts';

/** Answers from the cache: a million with `LONG_TESTS`, which takes a minute more. */
const ANSWERS = process.env['LONG_TESTS'] ? 1_000_000 : 30_000;
/** Writes that there are at least, so that transactions overlap with cuts and with each other however fast the answers come. */
const WRITES = 800;
const GROUPS = 40;
/** The time for which one transaction stays open. */
const OPEN_MS = process.env['LONG_TESTS'] ? 10_000 : 2500;
/** The time after which every process knows an acknowledged change. */
const BOUND_MS = 1000;
const POLLERS = `application_name IN ('user-group-service poll', 'user-group-service listen')
  AND datname = current_database()`;

const RECORD = `
  INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, user_group_id, occurred_at)
  VALUES (CAST(CAST(pg_current_xact_id() AS text) AS bigint), 1, 1, 'user_group.update', $1, 0)`;
const RECORD_MANY = RECORD.replace('$1', 'n')
  .replace('VALUES (', 'SELECT ')
  .replace(/\)$/, ' FROM generate_series(-100000, 0) AS n');

/** A value of a group, and when its commit was acknowledged. */
interface Acknowledged {
  value: number;
  at: number;
}

onPostgres('three processes on postgres', () => {
  let database: TestDatabase;
  let services: TestService[];
  const clients: Client[] = [];

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    services = [];
    for (let index = 0; index < 3; index++) services.push(await startTestService(database));
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await Promise.all(services.map(({ close }) => close()));
    await database.drop();
  });

  const connect = async () => {
    const client = new Client({ connectionString: database.env['DATABASE_URL'] });
    clients.push(client);
    await client.connect();
    return client;
  };
  const snapshotsOf = (service: TestService) => service.app.get(UserGroupSnapshots);

  const pass = (ms: number) =>
    inRealTime(ms, 'transactions overlap, and some stay open for longer than the bound');

  /** The response of the process for the group: the number in its properties. */
  const answerOf = async (service: TestService, userGroupId: number) => {
    const key = { workspaceId: 1, range: null, userGroupId };
    const group = await snapshotsOf(service).find(key, { isFresh: false });
    return (JSON.parse(group!.properties) as { value: number }).value;
  };

  test('whatever the order of commits, with polls that are cut and a transaction that stays open, no answer is older than a second', async () => {
    const ids = await Promise.all(
      Array.from({ length: GROUPS }, async (_, index) => {
        const properties = { value: 0 };
        const { teamId } = await services[index % 3]!.api.create({ properties });
        return teamId;
      }),
    );
    const history = new Map<number, Acknowledged[]>(
      ids.map((id) => [id, [{ value: 0, at: -Infinity }]]),
    );
    const { rows } = await (
      await connect()
    ).query<{ id: number; provided_id: string }>('SELECT id, provided_id FROM user_group');
    const providedIds = new Map(rows.map(({ id, provided_id }) => [id, provided_id]));
    const endless = { isOver: false };
    let lastValue = 0;

    /** Writes by a call: the service records the event. */
    const call = async (id: number, value: number) => {
      const { api } = services[randomInt(3)]!;
      const written = await api.put({ user_group_id: providedIds.get(id)!, properties: { value } });
      expect(written.status).toBe(200);
    };
    /** Writes like the service, in a transaction that has its number long before its commit, and announces nothing. */
    const write = async (client: Client, id: number, value: number, openMs = randomInt(600)) => {
      await client.query(`BEGIN; SET LOCAL ${RECORDS_CHANGES} = 'on'`);
      await client.query('SELECT pg_current_xact_id()');
      await pass(openMs);
      const properties = JSON.stringify({ value });
      await client.query('UPDATE user_group SET properties = $1 WHERE id = $2', [properties, id]);
      await client.query(RECORD, [id]);
      await pass(randomInt(600));
      await client.query(value % 7 === 0 ? 'ROLLBACK' : 'COMMIT');
      return value % 7 !== 0;
    };
    /** Each writer has groups of its own, so that the order of its values is that of their commits. */
    const writers = Array.from({ length: 8 }, async (_, index) => {
      const client = index % 2 === 0 ? undefined : await connect();
      const own = ids.filter((_id, place) => place > 0 && place % 8 === index);
      while (!endless.isOver) {
        const id = own[randomInt(own.length)]!;
        const value = ++lastValue;
        const isStored = client ? await write(client, id, value) : (await call(id, value), true);
        if (isStored) history.get(id)!.push({ value, at: performance.now() });
        await pass(randomInt(30));
      }
    });
    const staying = (async () => {
      const client = await connect();
      while (!endless.isOver) {
        const value = ++lastValue;
        if (!(await write(client, ids[0]!, value, OPEN_MS))) continue;
        history.get(ids[0]!)!.push({ value, at: performance.now() });
      }
    })();
    const cutting = (async () => {
      const client = await connect();
      while (!endless.isOver) {
        await pass(randomInt(1500));
        // A process that is cut before its first poll waits longer each time until it connects again.
        if (!services.every(({ app }) => app.get(ChangeFeed).isCurrent())) continue;
        await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${POLLERS}`,
        );
      }
    })();

    const stale: object[] = [];
    let answers = 0;
    /** Answers from the database show nothing about the cache. */
    const fromTheCache = () =>
      services.reduce((sum, service) => sum + snapshotsOf(service).counts.hit, 0);
    const asking = services.map(async (service, index) => {
      while (fromTheCache() < ANSWERS || lastValue < WRITES) {
        const id = ids[randomInt(GROUPS)]!;
        const askedAt = performance.now();
        const answer = await answerOf(service, id);
        answers++;
        const acknowledged = history.get(id)!.findLast(({ at }) => at <= askedAt - BOUND_MS)!;
        if (answer < acknowledged.value) stale.push({ index, id, answer, acknowledged, askedAt });
        // Other work of this process gets its turn, above all the poll without which nothing comes from the cache.
        if (!service.app.get(ChangeFeed).isCurrent()) await pass(randomInt(30));
        else if (answers % 100 === 0) await pass(randomInt(3));
      }
    });
    await Promise.all(asking);
    endless.isOver = true;
    await Promise.all([...writers, cutting, staying]);
    expect(stale).toEqual([]);
    // The answers follow the writes: all processes know the last value of every group in the end.
    await Promise.all(services.map(untilPolled));
    for (const id of ids) {
      const last = history.get(id)!.at(-1)!.value;
      expect(await Promise.all(services.map((service) => answerOf(service, id)))).toEqual([
        last,
        last,
        last,
      ]);
    }
  });

  test('what is not asked for is remembered for as long as nothing changes', async () => {
    const [service] = services as [TestService];
    const { teamId } = await service.api.create({ properties: { value: 1 } });
    const feed = service.app.get(ChangeFeed);
    await until(() => feed.isCurrent());
    // The poll that tells of the creation.
    await untilPolled(service);
    const forgetting = jest.spyOn(SnapshotCache.prototype, 'invalidateAll');
    // After a poll that takes too long the process forgets everything: only then it is asked again.
    for (let isForgotten = true; isForgotten;) {
      forgetting.mockClear();
      await answerOf(service, teamId);
      for (let polls = 0; polls < 3; polls++) await untilPolled(service);
      // The process may be held up for longer than its lease.
      jest.spyOn(feed, 'isCurrent').mockReturnValueOnce(true);
      const { miss } = snapshotsOf(service).counts;
      await answerOf(service, teamId);
      isForgotten = forgetting.mock.calls.length > 0;
      if (!isForgotten) expect(snapshotsOf(service).counts.miss).toBe(miss);
    }
    forgetting.mockRestore();
  });

  test('of more changes than are told one by one none is missed', async () => {
    const [service] = services as [TestService];
    const { teamId } = await service.api.create({ properties: { value: 1 } });
    await untilPolled(service);
    await answerOf(service, teamId);
    const client = await connect();
    await client.query(`BEGIN; SET LOCAL ${RECORDS_CHANGES} = 'on'`);
    // There are too many changes for one poll to read that of the group.
    await client.query(RECORD_MANY);
    await client.query(RECORD, [teamId]);
    await client.query(`UPDATE user_group SET properties = '{"value":2}' WHERE id = ${teamId}`);
    await client.query('COMMIT');
    const committedAt = performance.now();
    const lastAskedAt = await lastAskedBefore(async () => (await answerOf(service, teamId)) === 2);
    expect(lastAskedAt - committedAt).toBeLessThan(BOUND_MS);
  });

  test('an API token that an operator revokes by SQL is refused within a second', async () => {
    const [service, ...others] = services as [TestService, ...TestService[]];
    const token = await service.issueToken(['user-groups:read']);
    const statuses = () =>
      Promise.all(
        [service, ...others].map(
          async ({ clientOf }) =>
            (await clientOf(token).call('GET', '/api/v1/user-groups/x')).status,
        ),
      );
    // After the poll that tells of its issue.
    await Promise.all(services.map(untilPolled));
    expect(await statuses()).toEqual([404, 404, 404]);
    await (
      await connect()
    ).query('UPDATE api_token SET revoked_at = 1 WHERE token_hash = $1', [
      createHash('sha256').update(token).digest(),
    ]);
    const revokedAt = performance.now();
    const lastAskedAt = await lastAskedBefore(async () =>
      (await statuses()).every((status) => status === 401),
    );
    expect(lastAskedAt - revokedAt).toBeLessThan(BOUND_MS);
  });

  test('a poll that meets a lock leaves nothing behind that waits for it', async () => {
    const client = await connect();
    await client.query('BEGIN; LOCK TABLE change_event IN ACCESS EXCLUSIVE MODE');
    const query = jest.spyOn(PostgresConnection.prototype, 'query');
    const polls = () => query.mock.calls.filter(([{ name }]) => name === 'change.poll').length;
    // PostgreSQL has cancelled some of each process, which begins one after the other.
    await until(() => polls() > 4 * services.length);
    query.mockRestore();
    const { rows } = await client.query<{ waiting: number }>(
      `SELECT count(*)::integer AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await client.query('ROLLBACK');
    expect(rows[0]!.waiting).toBeLessThanOrEqual(services.length);
  });

  test('without an answer to its polls a process asks the database each time', async () => {
    const [service] = services as [TestService];
    const { teamId } = await service.api.create({ properties: { value: 1 } });
    await untilPolled(service);
    await answerOf(service, teamId);
    const client = await connect();
    await client.query('BEGIN; LOCK TABLE change_event IN ACCESS EXCLUSIVE MODE');
    const feed = service.app.get(ChangeFeed);
    const lockedAt = performance.now();
    const lastCurrentAt = await lastAskedBefore(() => Promise.resolve(!feed.isCurrent()));
    expect(lastCurrentAt - lockedAt).toBeLessThan(BOUND_MS);
    const { miss } = snapshotsOf(service).counts;
    for (let asked = 1; asked <= 3; asked++) expect(await answerOf(service, teamId)).toBe(1);
    expect(snapshotsOf(service).counts.miss).toBe(miss + 3);
    await client.query('ROLLBACK');
    await until(() => feed.isCurrent());
  });
});
