import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { keyStatus, withKeys } from '../support/keys.ts';
import { runCli, runWarm, startServer } from '../support/process/processes.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

type Server = Pick<TestService, 'api' | 'close'>;

onEachDatabase((kind) => {
  let database: TestDatabase;
  const servers: Server[] = [];
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    database = await createTestDatabase(kind);
  });

  afterAll(async () => {
    for (const server of servers) await server.close();
    await database.drop();
  });

  /** The second is in another process: the two share nothing but the database. */
  const start: ((...ids: string[]) => Promise<Server>)[] = [
    (...ids) => startTestService(database, withKeys(database, ...ids)),
    async (...ids) => {
      const { api, stop } = await startServer(withKeys(database, ...ids));
      return {
        api,
        close: async () => {
          expect(await stop()).toBe(0);
        },
      };
    },
  ];

  /** Every server makes a group, and every server shows every group there is. */
  async function expectService(): Promise<void> {
    for (const { api } of servers) {
      const id = `group ${tokens.size + 1}`;
      const { body } = await api.get({ user_group_id: id, name: 'G' });
      tokens.set(id, body.user_group.token);
    }
    for (const { api } of servers) {
      for (const [id, token] of tokens) {
        const { body } = await api.get({ user_group_id: id });
        expect([id, body.user_group.token]).toEqual([id, token]);
      }
    }
  }

  /** Restarts one server after the other with these keys; the other keeps its own meanwhile. */
  async function deploy(...ids: string[]): Promise<void> {
    for (const [index, startAgain] of start.entries()) {
      await servers[index]!.close();
      servers[index] = await startAgain(...ids);
      await expectService();
    }
  }

  test('a key is replaced in four steps under two servers, and all the time both show every token', async () => {
    for (const startFirst of start) servers.push(await startFirst('k1'));
    await expectService();
    await deploy('k1', 'k2');
    expect(await keyStatus(withKeys(database, 'k1', 'k2'))).toEqual([
      'k1 6 encrypts',
      'k2 0 decrypts',
    ]);
    await deploy('k2', 'k1');
    // The second server has encrypted with the old key until its own restart.
    expect(await keyStatus(withKeys(database, 'k2', 'k1'))).toEqual([
      'k2 3 encrypts',
      'k1 7 decrypts',
    ]);
    expect(await runWarm('main.js', withKeys(database, 'k2'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^user-group-service: .*key "k1", which is not configured.*\n$/,
      ),
    });
    const rewrap = await runCli(withKeys(database, 'k2', 'k1'), 'keys', 'rewrap');
    expect(rewrap).toMatchObject({ code: 0, stderr: '7 tokens re-encrypted.\n' });
    await expectService();
    await deploy('k2');
    expect(await keyStatus(withKeys(database, 'k2'))).toEqual([
      'k2 16 encrypts',
      'k1 0 not configured',
    ]);
  });
});
