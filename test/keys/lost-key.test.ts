import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { keyList } from '../system/lab/keys.mjs';
import { keyStatus, runSql, withKeys } from '../support/keys.ts';
import { runCli, runWarm } from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  let database: TestDatabase;
  const tokens = new Map<string, string>();

  /** Two groups whose tokens are encrypted with a key that is lost from here on. */
  beforeEach(async () => {
    database = await createTestDatabase(kind);
    const service = await startTestService(database, withKeys(database, 'k1'));
    for (const id of ['kept', 'rotated']) {
      const group = { user_group_id: id, name: 'G', properties: { a: 1 }, mapping: { s: 1 } };
      tokens.set(id, (await service.api.get(group)).body.user_group.token);
    }
    await service.close();
  });

  afterEach(() => database.drop());

  const forget = (id: string, ...options: string[]) =>
    runCli(withKeys(database, 'k2'), 'keys', 'forget', id, ...options);

  const groups = async () => ({
    groups: await runSql(database, 'SELECT * FROM user_group ORDER BY id'),
    mapping: await runSql(database, 'SELECT * FROM data_source_mapping ORDER BY user_group_id'),
    tokens: await runSql(database, 'SELECT * FROM user_group_token ORDER BY user_group_id'),
  });

  test('a lost key stops the start until it is forgotten; then only showing its tokens fails', async () => {
    const refused = await runWarm('main.js', withKeys(database, 'k2'));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^user-group-service: [^\n]*key "k1", which is not configured[^\n]*keys forget[^\n]*\n$/,
    );
    // A start that is refused leaves nothing behind: "k2" is not taken for this key.
    expect(await keyStatus(withKeys(database, 'k1'))).toEqual(['k1 2 encrypts']);
    expect(await forget('k1', '--yes')).toMatchObject({
      code: 0,
      stderr: 'The key "k1" is forgotten, and with it 2 tokens.\n',
    });
    expect(await keyStatus(withKeys(database, 'k2'))).toEqual(['k2 0 encrypts', 'k1 2 forgotten']);

    const service = await startTestService(database, withKeys(database, 'k2'));
    const before = await groups();
    const changed = { user_group_id: 'kept', name: 'H', properties: {}, mapping: { s: 2 } };
    for (const answer of [
      await service.api.get({ user_group_id: 'kept' }),
      await service.api.get({ user_group_id: 'kept', name: 'G' }),
      await service.api.get(changed),
      await service.api.put(changed),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'token_forgotten']);
      expect(answer.body.detail).toMatch(/still valid but cannot be shown.*Rotate it/);
    }
    expect(await groups()).toEqual(before);

    const rotation = await service.api.post({ current_token: tokens.get('rotated') });
    expect(rotation.status).toBe(200);
    const { token } = rotation.body.user_group;
    expect(token).not.toBe(tokens.get('rotated'));
    const shown = await service.api.get({ user_group_id: 'rotated' });
    expect(shown.body.user_group.token).toBe(token);
    expect((await service.api.get({ user_group_id: 'new', name: 'N' })).status).toBe(200);
    await service.close();
    expect(await keyStatus(withKeys(database, 'k2'))).toEqual(['k2 2 encrypts', 'k1 1 forgotten']);
  });

  test('a key that is found again shows its tokens again, and has to be forgotten anew', async () => {
    await forget('k1', '--yes');
    const service = await startTestService(database, withKeys(database, 'k2', 'k1'));
    const { body } = await service.api.get({ user_group_id: 'kept' });
    expect(body.user_group.token).toBe(tokens.get('kept'));
    await service.close();
    expect(await keyStatus(withKeys(database, 'k2'))).toEqual([
      'k2 0 encrypts',
      'k1 2 not configured',
    ]);
    await expect(startTestService(database, withKeys(database, 'k2'))).rejects.toThrow(
      /key "k1", which is not configured/,
    );
  });

  test('another key under the id of a forgotten one is refused', async () => {
    await forget('k1', '--yes');
    const TOKEN_ENCRYPTION_KEYS = keyList('k2').replace('k2:', 'k1:');
    await expect(startTestService(database, { TOKEN_ENCRYPTION_KEYS })).rejects.toThrow(
      /key "k1" is not the one/,
    );
  });

  test('rewrapping leaves tokens of a forgotten key alone, without an error', async () => {
    await forget('k1', '--yes');
    const rewrap = () => runCli(withKeys(database, 'k2'), 'keys', 'rewrap');
    expect(await rewrap()).toMatchObject({ code: 0, stderr: '0 tokens re-encrypted.\n' });
    // Once it is found, they are rewrapped like all others.
    const found = await runCli(withKeys(database, 'k2', 'k1'), 'keys', 'rewrap');
    expect(found).toMatchObject({ code: 0, stderr: '2 tokens re-encrypted.\n' });
  });

  test('without --yes it says what would happen, and does nothing', async () => {
    const { code, stderr } = await forget('k1');
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(
        /^user-group-service: Forgetting the key "k1" affects 2 tokens: [^\n]*--yes[^\n]*\n$/,
      ),
    ]);
    expect(await keyStatus(withKeys(database, 'k2'))).toEqual([
      'k2 0 encrypts',
      'k1 2 not configured',
    ]);
  });

  test.each([
    ['configured', 'k2', 4, /key "k2" is configured/],
    ['unknown to the database', 'k9', 3, /has not been written with a key "k9"/],
    ['forgotten already', 'k1', 4, /key "k1" is forgotten already/],
  ])('a key that is %s cannot be forgotten', async (_what, id, expected, sentence) => {
    await forget('k1', '--yes');
    const { code, stderr } = await forget(id, '--yes');
    expect([code, stderr]).toEqual([
      expected,
      expect.stringMatching(/^user-group-service: [^\n]+\n$/),
    ]);
    expect(stderr).toMatch(sentence);
  });
});

test('a lost key file of the embedded database is replaced by one with a new key', async () => {
  const database = await createTestDatabase('sqlite');
  const path = join(database.env['DATA_DIR']!, 'token-encryption-keys');
  const service = await startTestService(database);
  const group = { user_group_id: 'g', name: 'G' };
  const { token } = (await service.api.get(group)).body.user_group;
  await service.close();
  const key = readFileSync(path, 'utf8').trim();
  rmSync(path);
  await expect(startTestService(database)).rejects.toThrow(/key file .* is gone/);
  writeFileSync(path, `${keyList('k2')}\n`, { mode: 0o600 });
  expect((await runCli(database.env, 'keys', 'forget', 'k1', '--yes')).code).toBe(0);
  const without = await startTestService(database);
  expect((await without.api.get(group)).body.code).toBe('token_forgotten');
  await without.close();
  writeFileSync(path, `${keyList('k2')},${key}\n`);
  const found = await startTestService(database);
  expect((await found.api.get(group)).body.user_group.token).toBe(token);
  await found.close();
  await database.drop();
});
