import { once } from 'node:events';
import {
  changeDatabase,
  createTestDatabase,
  type DatabaseKind,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { keyList } from '../system/lab/keys.mjs';
import { fillGroups, keyStatus, lockLastToken, runSql, withKeys } from '../support/keys.ts';
import {
  type Finished,
  runCli,
  type RunningServer,
  spawnBuilt,
  startServer,
} from '../support/process/processes.ts';
import { exportGroups } from '../support/api/lines.ts';
import { inRealTime } from '../support/time/real-time.ts';
import { startTestService } from '../support/test-service.ts';
import { lastAskedBefore, until } from '../support/time/until.ts';

const GROUPS = 2000;
/** The tokens that are re-encrypted at once. */
const BATCH = 200;
/** Another key under the same id. */
const otherK2 = keyList('other').replace('other:', 'k2:');

onEachDatabase((kind) => {
  let database: TestDatabase;
  let locked: Awaited<ReturnType<typeof rewrapLocked>>;

  beforeAll(async () => {
    locked = await rewrapLocked(kind);
  });

  beforeEach(async () => {
    database = await createMigrated(kind);
  });

  afterEach(() => database.drop());

  const rewrap = (...ids: string[]) => rewrapAll(database, ...ids);

  test('while a server looks up, creates and rotates, nobody meets an error and no token changes', async () => {
    const tokens = await fillGroups(database, GROUPS, 'k1');
    const server = await startServer(withKeys(database, 'k2', 'k1'));
    const load = startLoad(server, tokens);
    await load.warmUp;
    const { code, stdout, stderr } = await rewrap('k2', 'k1');
    const calls = await load.stop();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(Number(/^(\d+) tokens re-encrypted\.\n$/.exec(stderr)![1])).toBeGreaterThan(GROUPS / 2);
    expect(Math.min(...Object.values(calls))).toBeGreaterThan(10);
    expect(await server.stop()).toBe(0);
    expect(await keyStatus(withKeys(database, 'k2', 'k1'))).toEqual([
      `k2 ${tokens.size} encrypts`,
      'k1 0 decrypts',
    ]);
    await expectTokens(database, ['k2'], tokens);
  });

  test('killed in the middle it has lost nothing, and goes on where it stopped', async () => {
    const tokens = await fillGroups(database, GROUPS, 'k1');
    const release = await holdLast(database);
    const child = spawnBuilt('cli.js', withKeys(database, 'k2', 'k1'), 'keys', 'rewrap');
    const exit = once(child, 'exit');
    await until(async () => (await countOf(database, 'k2')) > 0);
    child.kill('SIGKILL');
    expect((await exit)[1]).toBe('SIGKILL');
    await release();
    // A batch whose COMMIT was under way is stored by the end of its connection.
    if (kind === 'postgres') await untilNobodyIsConnected(database);
    const done = await countOf(database, 'k2');
    expect(done).toBeLessThan(GROUPS);
    expect(await countOf(database, 'k1')).toBe(GROUPS - done);
    await expectTokens(database, ['k2', 'k1'], tokens);
    const { code, stderr } = await rewrap('k2', 'k1');
    expect([code, stderr]).toEqual([0, `${GROUPS - done} tokens re-encrypted.\n`]);
    expect((await rewrap('k2', 'k1')).stderr).toBe('0 tokens re-encrypted.\n');
    await expectTokens(database, ['k2'], tokens);
  });

  test('what cannot be decrypted stays as it is, is counted and gives code 1; the others go on', async () => {
    await fillGroups(database, 10, 'k1');
    await runSql(database, `UPDATE user_group_token SET key_id = 'k0' WHERE user_group_id < 4`);
    await runSql(
      database,
      `UPDATE user_group_token SET ciphertext = (SELECT ciphertext FROM user_group_token WHERE user_group_id = 9)
       WHERE user_group_id = 5`,
    );
    const unreadable = `SELECT user_group_id, ciphertext, key_id FROM user_group_token
      WHERE user_group_id IN (1, 2, 3, 5) ORDER BY user_group_id`;
    const before = await runSql(database, unreadable);
    const { code, stderr } = await rewrap('k2', 'k1');
    expect(stderr).toBe(
      '6 tokens re-encrypted.\nuser-group-service: 4 tokens could not be decrypted and stay as they are; see "keys status".\n',
    );
    expect(code).toBe(1);
    expect(await runSql(database, unreadable)).toEqual(before);
    expect(await keyStatus(withKeys(database, 'k2', 'k1'))).toEqual([
      'k2 6 encrypts',
      'k1 1 decrypts',
      'k0 3 not configured',
    ]);
  });

  test('a configured key that is not the recorded one changes nothing', async () => {
    await fillGroups(database, 10, 'k1');
    await (await startTestService(database, withKeys(database, 'k2', 'k1'))).close();
    const TOKEN_ENCRYPTION_KEYS = `${otherK2},${keyList('k1')}`;
    const env = { ...database.env, TOKEN_ENCRYPTION_KEYS };
    expect(await runCli(env, 'keys', 'rewrap')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^user-group-service: The encryption key "k2" is not the one/),
    });
    expect(await keyStatus(env)).toEqual(['k2 0 wrong key', 'k1 10 decrypts']);
  });

  test('the new key is recorded before it encrypts, so that no other can take its id', async () => {
    await fillGroups(database, 10, 'k1');
    expect((await rewrap('k2', 'k1')).code).toBe(0);
    const env = { ...database.env, TOKEN_ENCRYPTION_KEYS: `${otherK2},${keyList('k1')}` };
    await expect(startTestService(database, env)).rejects.toThrow(/key "k2" is not the one/);
  });

  test('a lock that somebody else keeps for seconds is waited for', async () => {
    const { tokens, finished } = locked;
    const { done, code, stderr } = await finished;
    expect(done).toBeLessThan(GROUPS);
    expect([code, stderr]).toEqual([0, `${GROUPS} tokens re-encrypted.\n`]);
    await expectTokens(locked.database, ['k2'], tokens);
    await locked.database.drop();
  });
});

/**
 * Begins to rewrap a database of its own, on which another session then keeps a lock for seconds. It runs
 * at the same time as the other tests.
 */
async function rewrapLocked(kind: DatabaseKind) {
  const database = await createMigrated(kind);
  const tokens = await fillGroups(database, GROUPS, 'k1');
  let running: Promise<Finished>;
  let release: () => Promise<void>;
  if (kind === 'sqlite') {
    // A lock on SQLite is one of the whole database, and the command writes before its first batch.
    running = rewrapAll(database, 'k2', 'k1');
    await lastAskedBefore(async () => (await countOf(database, 'k2')) > 0);
    release = await lockLastToken(database);
  } else {
    release = await lockLastToken(database);
    running = rewrapAll(database, 'k2', 'k1');
    await until(async () => (await countOf(database, 'k2')) === GROUPS - BATCH);
  }
  const waitAndRelease = async () => {
    await inRealTime(5000, 'the command waits for a lock, again and again, and only it knows');
    const done = await countOf(database, 'k2');
    await release();
    return { done, ...(await running) };
  };
  const finished = waitAndRelease();
  finished.catch(() => undefined);
  return { database, tokens, finished };
}

/** Keeps a command that re-encrypts from its end until the returned function is called. */
async function holdLast(database: TestDatabase): Promise<() => Promise<void>> {
  if (database.kind === 'postgres') return lockLastToken(database);
  const all = ['a', 'b', 'c', 'd'].map((name) => `user_group_token ${name}`).join();
  await changeDatabase(
    database,
    `CREATE TRIGGER endless BEFORE UPDATE ON user_group_token WHEN OLD.user_group_id = ${GROUPS / 2 + 1}
     BEGIN SELECT count(*) FROM ${all}; END`,
  );
  return () => changeDatabase(database, 'DROP TRIGGER endless');
}

/** A database with its tables and the key k1. */
async function createMigrated(kind: DatabaseKind): Promise<TestDatabase> {
  const database = await createTestDatabase(kind);
  await (await startTestService(database, withKeys(database, 'k1'))).close();
  return database;
}

/** Waits until no process of the service has a connection to the database. */
async function untilNobodyIsConnected(database: TestDatabase): Promise<void> {
  const sessions = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'user-group-service%'`;
  await until(async () => (await runSql(database, sessions)).length === 0);
}

function rewrapAll(database: TestDatabase, ...ids: string[]): Promise<Finished> {
  return runCli(withKeys(database, ...ids), 'keys', 'rewrap');
}

async function countOf(database: TestDatabase, keyId: string): Promise<number> {
  const sql = `SELECT CAST(count(*) AS integer) AS count FROM user_group_token WHERE key_id = '${keyId}'`;
  return (await runSql<{ count: number }>(database, sql))[0]!.count;
}

/** Starts a service with these keys, and expects it to export exactly these tokens. */
async function expectTokens(
  database: TestDatabase,
  keys: string[],
  tokens: Map<string, string>,
): Promise<void> {
  const service = await startTestService(database, withKeys(database, ...keys));
  const exported = (await exportGroups(service.api)).slice(0, -1);
  expect(exported.map((line) => [line.provided_id, line.token]).sort()).toEqual([...tokens].sort());
  await service.close();
}

/**
 * Three callers, each with groups that no other touches: what they are told is kept in `tokens`,
 * and what they are told wrongly is thrown when they are stopped.
 */
function startLoad({ api }: RunningServer, tokens: Map<string, string>) {
  // A third for each caller. The other half is never rotated, so that it is left for the command.
  const ids = [...tokens.keys()].slice(0, 999);
  const calls = { rotations: 0, lookUps: 0, creates: 0 };
  let isOver = false;
  const pick = (caller: number, turn: number) => ids[(turn * 7919 * 3 + caller) % ids.length]!;
  /** Without `LONG_TESTS` the machine may do other work, and a call may wait until it is refused: then it may be done, or not. */
  const isRefused = async (id: string, { status }: { status: number }) => {
    if (status !== 503 || process.env['LONG_TESTS']) return false;
    let seen = await api.get({ user_group_id: id });
    while (seen.status === 503) seen = await api.get({ user_group_id: id });
    if (seen.status === 200) tokens.set(id, seen.body.user_group.token);
    return true;
  };
  const call = async (caller: number, turn: number) => {
    const id = pick(caller, turn);
    const rotated = await api.post({ current_token: tokens.get(id) });
    if (await isRefused(id, rotated)) return;
    expect([id, rotated.status]).toEqual([id, 200]);
    tokens.set(id, rotated.body.user_group.token);
    calls.rotations++;
    const seen = pick(caller, turn + 1);
    const lookedUp = await api.get({ user_group_id: seen });
    if (await isRefused(seen, lookedUp)) return;
    expect([seen, lookedUp.body.user_group.token]).toEqual([seen, tokens.get(seen)]);
    calls.lookUps++;
    const made = `made by ${caller} in turn ${turn}`;
    const created = await api.get({ user_group_id: made, name: 'Made' });
    if (await isRefused(made, created)) return;
    expect([made, created.status]).toEqual([made, 200]);
    tokens.set(made, created.body.user_group.token);
    calls.creates++;
  };
  const callers = [0, 1, 2].map(async (caller) => {
    for (let turn = 0; !isOver; turn++) await call(caller, turn);
  });
  // A caller that fails is heard when the load is stopped.
  for (const caller of callers) caller.catch(() => undefined);
  return {
    warmUp: until(() => Math.min(...Object.values(calls)) > 10),
    stop: async () => {
      isOver = true;
      await Promise.all(callers);
      return calls;
    },
  };
}
