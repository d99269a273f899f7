import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { keyList } from '../system/lab/keys.mjs';
import { keyStatus, withKeys } from '../support/keys.ts';
import { follow } from '../support/api/operations.ts';
import { BOOTSTRAP_TOKEN, runWarm, startServer } from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';

const wrongKey = keyList('k2').replace('k2:', 'k1:');

onEachDatabase((kind) => {
  let places: { BACKUP: string; KEYS: string };
  let original: TestDatabase;
  let restored: TestDatabase;
  let env: Record<string, string>;

  beforeEach(async () => {
    const BACKUP = mkdtempSync(join(tmpdir(), 'user-groups-backup-'));
    places = { BACKUP, KEYS: mkdtempSync(join(tmpdir(), 'user-groups-keys-')) };
    original = await createTestDatabase(kind);
    restored = await createTestDatabase(kind);
    if (kind === 'sqlite') rmSync(restored.env['DATA_DIR']!, { recursive: true });
    // On SQLite the key is in its file; on PostgreSQL it is the operator's.
    env = kind === 'sqlite' ? original.env : withKeys(original, 'k1');
  });

  afterEach(async () => {
    await original.drop();
    await restored.drop();
    for (const place of Object.values(places)) rmSync(place, { recursive: true });
  });

  /** The environment of the service on the other machine. */
  const restoredEnv = () => (kind === 'sqlite' ? restored.env : withKeys(restored, 'k1'));

  /** Gives the tools of PostgreSQL a database without a password in their arguments. */
  function serviceFile({ env }: TestDatabase): { PGSERVICEFILE: string } {
    const PGSERVICEFILE = join(places.KEYS, 'pg_service.conf');
    const { hostname, port, username, password, pathname } = new URL(env['DATABASE_URL'] ?? 'x:');
    const settings = Object.entries({ host: hostname, port, user: username, password })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}=${decodeURIComponent(value)}`);
    const lines = ['[user-groups]', ...settings, `dbname=${pathname.slice(1)}`, ''];
    writeFileSync(PGSERVICEFILE, lines.join('\n'), { mode: 0o600 });
    return { PGSERVICEFILE };
  }

  async function expectRefusal(env: Record<string, string>, line: RegExp): Promise<void> {
    const { code, stderr } = await runWarm('main.js', env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^user-group-service: [^\n]+\n$/)]);
    expect(stderr).toMatch(line);
  }

  test('a backup of the running service gives every token on another machine, and none without its key', async () => {
    const group = (id: number) => ({
      user_group_id: `group ${id}`,
      name: `Group ${id}`,
      properties: { id },
      mapping: { s: id },
    });
    const tokens: string[] = [];
    const server = await startServer(env);
    for (let id = 0; id < 50; id++) {
      tokens.push((await server.api.get(group(id))).body.user_group.token);
    }
    const rotated = await server.api.post({ current_token: tokens[0] });
    tokens[0] = rotated.body.user_group.token;

    const load = { isOver: false };
    const writing = (async () => {
      for (let turn = 0; !load.isOver; turn++) {
        const answer = await server.api.get({ user_group_id: `late ${turn}`, name: 'L' });
        expect(answer.status).toBe(200);
      }
    })();
    follow(`back up ${kind}`, { ...env, ...places, ...serviceFile(original) });
    load.isOver = true;
    await writing;
    expect(await server.stop()).toBe(0);

    follow(`restore ${kind}`, { ...restoredEnv(), ...places, ...serviceFile(restored) });
    expect(follow('check the keys', restoredEnv())).toMatch(
      /^KEY.*\nk1 +\d+ +encrypts +\d+ +\d+ +\d+ +\d+\n$/,
    );
    await expectRefusal({ ...restoredEnv(), TOKEN_ENCRYPTION_KEYS: wrongKey }, /"k1" is not the/);
    await expectRefusal(
      { ...restoredEnv(), TOKEN_ENCRYPTION_KEYS: keyList('k2') },
      /key "k1", which is not configured/,
    );

    // The first API token is not given again: it comes with the database.
    const other = await startTestService(restored, { ...restoredEnv(), BOOTSTRAP_API_TOKEN: '' });
    const Authorization = `Token ${BOOTSTRAP_TOKEN}`;
    for (const [id, token] of tokens.entries()) {
      const { body } = await other.api.get(group(id), { Authorization });
      expect(body).toMatchObject({ new_user_group: false, user_group: { token } });
    }
    const again = await other.api.post({ current_token: tokens[1] }, { Authorization });
    expect(again.status).toBe(200);
    await other.close();
  });

  if (kind === 'sqlite') {
    test('a restored key file that is wrong or missing stops the start', async () => {
      const service = await startTestService(original);
      await service.api.get({ user_group_id: 'g', name: 'G' });
      follow('back up sqlite', { ...env, ...places });
      follow('restore sqlite', { ...restoredEnv(), ...places });
      const path = join(restored.env['DATA_DIR']!, 'token-encryption-keys');
      writeFileSync(path, `${wrongKey}\n`);
      await expectRefusal(restoredEnv(), /key "k1" is not the one/);
      expect(await keyStatus(restoredEnv())).toEqual(['k1 1 wrong key']);
      rmSync(path);
      await expectRefusal(restoredEnv(), /key file .* is gone/);
      await service.close();
    });

    test('a backup does not overwrite an older one', async () => {
      const service = await startTestService(original);
      follow('back up sqlite', { ...env, ...places });
      expect(() => follow('back up sqlite', { ...env, ...places })).toThrow(/already exists/);
      await service.close();
    });

    test('DATA_DIR of a stopped service is a backup by itself', async () => {
      const group = { user_group_id: 'g', name: 'G' };
      const service = await startTestService(original);
      const { token } = (await service.api.get(group)).body.user_group;
      await service.close();
      cpSync(env['DATA_DIR']!, restored.env['DATA_DIR']!, { recursive: true });
      const other = await startTestService(restored);
      expect((await other.api.get(group)).body.user_group.token).toBe(token);
      await other.close();
    });
  }
});
