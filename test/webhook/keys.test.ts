import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { keyStatus, withKeys } from '../support/keys.ts';
import { runCli, runWarm } from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';

const PATH = '/api/v1/webhook-endpoints';

onEachDatabase((kind) => {
  let database: TestDatabase;
  let id: number;

  beforeEach(async () => {
    database = await createTestDatabase(kind);
    const service = await startTestService(database, withKeys(database, 'k1'));
    const body = { url: 'https://receiver.example/', headers: { 'X-A': 'a' } };
    const created = await service.api.call('POST', PATH, body);
    id = created.body.webhook_endpoint.id;
    await service.close();
  });

  afterEach(() => database.drop());

  /** Changes the headers, which takes the secrets that are stored. */
  const change = async (keys: string[]) => {
    const service = await startTestService(database, withKeys(database, ...keys));
    const body = { headers: { 'X-A': 'a', 'X-B': 'b' } };
    const { status, body: answer } = await service.api.call('PATCH', `${PATH}/${id}`, body);
    await service.close();
    return [status, answer.code];
  };

  test('rewrapping encrypts the secrets with the new key, after which the old one is not needed', async () => {
    const counts = async () =>
      (await runCli(withKeys(database, 'k2', 'k1'), 'keys', 'status')).stdout.match(
        /\d+(?= +\d+ +\d+$)/gm,
      );
    expect(await counts()).toEqual(['0', '1']);
    const rewrapped = await runCli(withKeys(database, 'k2', 'k1'), 'keys', 'rewrap');
    expect([rewrapped.code, rewrapped.stderr]).toEqual([
      0,
      expect.stringContaining('0 tokens and 1 webhook endpoint re-encrypted.\n'),
    ]);
    expect(await counts()).toEqual(['1', '0']);
    expect(await change(['k2'])).toEqual([200, undefined]);
    const again = await runCli(withKeys(database, 'k2'), 'keys', 'rewrap');
    expect(again.stderr).toContain('0 tokens re-encrypted.\n');
  });

  test('a key that only a webhook needs is missed at the start, until it is given up', async () => {
    const refused = await runWarm('main.js', withKeys(database, 'k2'));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('key "k1"')]);
    const asked = await runCli(withKeys(database, 'k2'), 'keys', 'forget', 'k1');
    expect([asked.code, asked.stderr]).toEqual([
      4,
      expect.stringContaining('affects 0 tokens and 1 webhook endpoint:'),
    ]);
    const forgotten = await runCli(withKeys(database, 'k2'), 'keys', 'forget', 'k1', '--yes');
    expect(forgotten.stderr).toBe(
      'The key "k1" is forgotten, and with it 0 tokens and 1 webhook endpoint.\n',
    );
    expect(await change(['k2'])).toEqual([409, 'webhook_secret_unreadable']);
    const service = await startTestService(database, withKeys(database, 'k2'));
    const rolled = await service.api.call('POST', `${PATH}/${id}/roll-secret`, {});
    expect(rolled.body.webhook_endpoint).toMatchObject({ headers: [], secret: expect.any(String) });
    await service.close();
    expect(await change(['k2'])).toEqual([200, undefined]);
    expect(await keyStatus(withKeys(database, 'k2'))).toEqual(['k2 0 encrypts', 'k1 0 forgotten']);
  });
});
