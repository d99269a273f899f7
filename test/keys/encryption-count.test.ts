import { freePort } from '../system/lab/ports.mjs';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
  TEST_KEYS,
} from '../support/database/databases.ts';
import { runCli, startServer } from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  test('every encryption with a key is counted, over all replicas and restarts', async () => {
    const database = await createTestDatabase(kind);
    const env = { ...database.env, TOKEN_ENCRYPTION_KEYS: TEST_KEYS };
    for (const round of [1, 2]) {
      const services = [
        await startTestService(database, env),
        await startTestService(database, env),
      ];
      for (const [index, { api }] of services.entries()) {
        const id = `g ${round} ${index}`;
        const { body } = await api.get({ user_group_id: id, name: 'G' });
        expect((await api.post({ current_token: body.user_group.token })).status).toBe(200);
        await api.get({ user_group_id: id });
      }
      for (const service of services) await service.close();
      const { stdout } = await runCli(env, 'keys', 'status');
      expect(stdout).toMatch(
        new RegExp(`\\nk1 +${round * 2} +encrypts +${round * 4} +0 +0 +0\\n$`),
      );
    }
    await database.drop();
  });

  test('of a key that was used for half of what is safe a start warns, and the metrics tell', async () => {
    const database = await createTestDatabase(kind);
    const env = { ...database.env, TOKEN_ENCRYPTION_KEYS: TEST_KEYS, METRICS_PORT: '0' };
    const warning = 'the encryption key has been used often';
    await (await startTestService(database, env)).close();
    await changeDatabase(database, 'UPDATE encryption_key SET encryptions = 2147483647');
    const below = await startServer(env);
    expect(below.output()).not.toContain(warning);
    await below.api.get({ user_group_id: 'g', name: 'G' });
    await below.stop();
    const above = await startServer({ ...env, METRICS_PORT: String(await freePort()) });
    expect(above.output()).toContain(warning);
    const metrics = await fetch(/"metrics":"([^"]+)"/.exec(above.output())![1]!);
    expect(await metrics.text()).toContain('encryption_key_encryptions{key="k1"} 2147483648\n');
    await above.stop();
    await database.drop();
  });
});
