import { createHash, randomBytes } from 'node:crypto';
import { UserGroupSnapshots } from '../../src/core/user-group/snapshot/user-group-snapshots.ts';
import { recordCalls } from '../support/database/database-traffic.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const GUESSES = 2500;
const AT_ONCE = 500;

const SEARCHES_BY_HASH = /WHERE h\.workspace_id/;

onEachDatabase((kind) => {
  const roundTrips = recordCalls();
  let service: TestService;
  let snapshots: UserGroupSnapshots;
  let workspaceId: number;

  beforeAll(async () => {
    service = await startTestService(kind);
    snapshots = service.app.get(UserGroupSnapshots);
    const [workspace] = await service.query<{ id: number }>('SELECT id FROM workspace');
    workspaceId = workspace!.id;
  });

  afterAll(() => service.close());

  const find = (hash: string, isFresh = false) =>
    snapshots.findToken({ workspaceId, range: null, hash }, { isFresh });
  const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

  /** The hash of the token of a new group. */
  const createGroup = async (id: string) => {
    const { body } = await service.api.get({ user_group_id: id, name: id });
    return hashOf(body.user_group.token);
  };

  /** The statements by which it is found again without its snapshot. */
  const findAgain = async (hash: string) => {
    roundTrips.length = 0;
    expect((await find(hash, true))?.token.hash).toBe(hash);
    return snapshotsRead();
  };

  /** Since the last reset; others announce changes meanwhile. */
  const snapshotsRead = () => roundTrips.flat().filter((sql) => sql.includes('AS rules'));

  test('guessing tokens does not push out those that are valid', async () => {
    const hash = await createGroup('remembered');
    await find(hash);
    let guessed: string;
    for (let guess = 0; guess < GUESSES; guess += AT_ONCE) {
      const guesses = Array.from({ length: AT_ONCE }, () => randomBytes(32).toString('hex'));
      expect(new Set(await Promise.all(guesses.map((guess) => find(guess))))).toEqual(
        new Set([undefined]),
      );
      guessed = guesses[0]!;
    }
    // A guess is kept nowhere: it is searched as ever.
    roundTrips.length = 0;
    await find(guessed!);
    expect(snapshotsRead()).toEqual([expect.stringMatching(SEARCHES_BY_HASH)]);
    const again = await findAgain(hash);
    expect(again).toHaveLength(1);
    expect(again[0]).not.toMatch(SEARCHES_BY_HASH);
  });

  test('a caller for whom the group does not exist pushes out no token of others', async () => {
    const hash = await createGroup('hidden from some');
    await find(hash);
    const range = { ids: ['another'] };
    for (const isFresh of [false, true]) {
      expect(await snapshots.findToken({ workspaceId, range, hash }, { isFresh })).toBeUndefined();
    }
    const again = await findAgain(hash);
    expect(again).toHaveLength(1);
    expect(again[0]).not.toMatch(SEARCHES_BY_HASH);
  });

  test('a token that nobody has asked about is searched by its hash', async () => {
    const [sent] = await findAgain(await createGroup('new'));
    expect(sent).toMatch(SEARCHES_BY_HASH);
  });

  test('tokens that are asked about at once share a statement, each with its own group', async () => {
    const ids = Array.from({ length: 30 }, (_, number) => `at once ${number}`);
    const hashes = await Promise.all(ids.map(createGroup));
    roundTrips.length = 0;
    const found = await Promise.all([...hashes, hashOf('unknown')].map((hash) => find(hash)));
    expect(found.map((one) => one?.group.providedId)).toEqual([...ids, undefined]);
    expect(snapshotsRead()).toHaveLength(1);
    expect(await findAgain(hashes[0]!)).toHaveLength(1);
  });
});
