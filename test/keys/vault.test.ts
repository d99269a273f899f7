import { randomBytes } from 'node:crypto';
import '../../src/server/app/features.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { keyList } from '../system/lab/keys.mjs';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runCli, startServer } from '../support/process/processes.ts';
import { keyStatus } from '../support/keys.ts';
import { until } from '../support/time/until.ts';
import { TestVault } from '../support/servers/vault.ts';

const GROUP = { user_group_id: 'acme', name: 'Acme' };

onEachDatabase((kind) => {
  let vault: TestVault;
  let database: TestDatabase;
  let env: Record<string, string>;

  beforeEach(async () => {
    vault = await TestVault.start();
    database = await createTestDatabase(kind);
    env = { ...database.env, ...vault.env };
  });

  afterEach(async () => {
    vault.stop();
    await database.drop();
  });

  const created = async () => {
    const { code, stdout } = await runCli(env, 'keys', 'create', 'k2', '--wrapped');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^k2:vault:v1:\S+\n$/)]);
    return stdout.trim();
  };

  test('a service starts with keys that Vault unwraps, and does not need it from then on', async () => {
    env['TOKEN_ENCRYPTION_KEYS'] = `${await created()},${keyList('k1')}`;
    env['VAULT_NAMESPACE'] = 'team';
    vault.calls.length = 0;
    const server = await startServer(env);
    expect(vault.calls).toEqual([{ path: '/v1/transit/decrypt/user-groups', namespace: 'team' }]);
    vault.stop();
    const { token } = (await server.api.get(GROUP)).body.user_group;
    expect((await server.api.get({ user_group_id: 'acme' })).body.user_group.token).toBe(token);
    expect(server.output()).not.toContain(vault.token);
    expect(await server.stop()).toBe(0);
  });

  test('tokens move from a plain key to a wrapped one', async () => {
    const before = await startServer({ ...env, TOKEN_ENCRYPTION_KEYS: keyList('k1') });
    const { token } = (await before.api.get(GROUP)).body.user_group;
    await before.stop();
    const wrapped = await created();
    env['TOKEN_ENCRYPTION_KEYS'] = `${wrapped},${keyList('k1')}`;
    expect((await runCli(env, 'keys', 'rewrap')).stderr).toContain('1 token re-encrypted.');
    expect(await keyStatus(env)).toEqual(['k2 1 encrypts', 'k1 0 decrypts']);
    env['TOKEN_ENCRYPTION_KEYS'] = wrapped;
    const after = await startServer(env);
    expect((await after.api.get({ user_group_id: 'acme' })).body.user_group.token).toBe(token);
    await after.stop();
  });
});

describe('what cannot be unwrapped ends the start with one line', () => {
  let vault: TestVault;
  let database: TestDatabase;

  beforeEach(async () => {
    vault = await TestVault.start();
    database = await createTestDatabase('sqlite');
    await prepareDatabase(loadConfig(database.env));
  });

  afterEach(async () => {
    vault.stop();
    await database.drop();
  });

  const refusal = async (keys: string, changed: Record<string, string> = {}) => {
    const env = { ...database.env, ...vault.env, TOKEN_ENCRYPTION_KEYS: keys, ...changed };
    const { code, stderr } = await runCli(env, 'keys', 'status');
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(/^user-group-service: [^\n]+\.$/);
    expect(stderr).not.toContain(vault.token);
    expect(stderr).not.toContain(keys);
    return stderr;
  };
  const wrapped = () => `k2:${vault.wrap(randomBytes(32))}`;

  test('a token that may not', async () => {
    const denied = await refusal(wrapped(), { VAULT_TOKEN: 'hvs.another' });
    expect(denied).toContain('does not allow VAULT_TOKEN to use transit/keys/user-groups');
  });

  test('another key, or none', async () => {
    expect(await refusal(wrapped(), { VAULT_TRANSIT_KEY: 'transit/other' })).toContain(
      'Vault has no key transit/keys/other',
    );
    expect(await refusal(wrapped(), { VAULT_TRANSIT_KEY: 'transit' })).toContain(
      'VAULT_TRANSIT_KEY must be',
    );
  });

  test('what another Vault has wrapped', async () => {
    const other = await TestVault.start();
    const foreign = `k3:${other.wrap(randomBytes(32))}`;
    other.stop();
    expect(await refusal(`${wrapped()},${foreign}`)).toContain('cannot unwrap the key "k3"');
  });

  test('what is no key of 32 random bytes', async () => {
    expect(await refusal(`k2:${vault.wrap(randomBytes(16))}`)).toContain(
      '"k2" that Vault unwrapped is not 32',
    );
    expect(await refusal(`k2:${vault.wrap(Buffer.alloc(32))}`)).toContain(
      '"k2" that Vault unwrapped is not 32',
    );
  });

  test('a Vault that is not named, or stays away', async () => {
    expect(await refusal(wrapped(), { VAULT_ADDR: '' })).toContain('VAULT_ADDR must be set');
    vault.failure = 503;
    expect(await refusal(wrapped())).toContain('cannot be reached: it returns 503.');
    expect(vault.calls.length).toBeGreaterThan(5);
  });

  test('a Vault that is sealed for a while is waited for', async () => {
    vault.failure = 503;
    const env = { ...database.env, ...vault.env, TOKEN_ENCRYPTION_KEYS: wrapped() };
    vault.calls.length = 0;
    const status = runCli(env, 'keys', 'status');
    await until(() => vault.calls.length > 1);
    vault.failure = undefined;
    expect((await status).code).toBe(0);
  });
});

test('keys create prints a plain key, and needs no database', async () => {
  const { stdout } = await runCli({}, 'keys', 'create', 'k9');
  expect(stdout).toMatch(/^k9:[A-Za-z0-9+/]{43}=\n$/);
  const { code, stderr } = await runCli({}, 'keys', 'create', 'k 9');
  expect([code, stderr]).toEqual([2, expect.stringContaining('The id of a key is')]);
});
