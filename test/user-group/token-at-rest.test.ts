import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hashToken } from '../../src/platform/common/secret/secrets.ts';
import { KeyRing } from '../../src/core/encryption-key/key-ring.ts';
import { UserGroupTokenCipher } from '../../src/core/encryption-key/user-group-token-cipher.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { startTestService, withService } from '../support/test-service.ts';

const row = { workspaceId: 1, tokenHash: hashToken('ugt_secret') };
const ring = (...ids: string[]) =>
  new KeyRing(ids.map((id) => ({ id, secret: createHash('sha256').update(id).digest() })));

describe('the cipher', () => {
  test('gives back what it encrypted, with a nonce of its own each time', () => {
    const cipher = new UserGroupTokenCipher(ring('k1'));
    const first = cipher.encrypt('ugt_secret', row);
    const second = cipher.encrypt('ugt_secret', row);
    expect(cipher.decrypt(first, row)).toBe('ugt_secret');
    expect(first.ciphertext.equals(second.ciphertext)).toBe(false);
    expect(first.ciphertext.includes('ugt_secret')).toBe(false);
  });

  test('encrypts with the first key and decrypts with all', () => {
    const old = new UserGroupTokenCipher(ring('k1')).encrypt('ugt_old', row);
    const cipher = new UserGroupTokenCipher(ring('k2', 'k1'));
    expect(cipher.decrypt(old, row)).toBe('ugt_old');
    expect(cipher.encrypt('ugt_new', row).keyId).toBe('k2');
  });

  test.each([
    ['another workspace', { ...row, workspaceId: 9 }],
    ['the row of another token', { ...row, tokenHash: hashToken('ugt_other') }],
  ])('a ciphertext does not open in %s', (_name, other) => {
    const cipher = new UserGroupTokenCipher(ring('k1'));
    const encrypted = cipher.encrypt('ugt_secret', row);
    expect(() => cipher.decrypt(encrypted, other)).toThrow(/cannot be decrypted/);
  });

  test('no bit of a ciphertext can be changed', () => {
    const cipher = new UserGroupTokenCipher(ring('k1'));
    const { keyId, ciphertext } = cipher.encrypt('ugt_secret', row);
    for (let index = 0; index < ciphertext.length; index++) {
      const changed = Buffer.from(ciphertext);
      changed[index]! ^= 1;
      expect(() => cipher.decrypt({ keyId, ciphertext: changed }, row)).toThrow(
        /cannot be decrypted/,
      );
    }
    for (let length = 0; length < ciphertext.length; length++) {
      const cut = ciphertext.subarray(0, length);
      expect(() => cipher.decrypt({ keyId, ciphertext: cut }, row)).toThrow(/cannot be decrypted/);
    }
  });
});

onEachDatabase((kind) => {
  const service = withService(kind);
  let token: string;

  beforeAll(async () => {
    const { body } = await service.api.get({ user_group_id: 'g', name: 'G' });
    token = body.user_group.token;
  });

  test('a token is found by its SHA-256 and stands nowhere in the database', async () => {
    const rows = await service.query<{ token_hash: Buffer }>(
      'SELECT token_hash FROM user_group_token',
    );
    expect(rows).toEqual([{ token_hash: hashToken(token) }]);
    for (const table of ['user_group', 'user_group_token', 'api_token']) {
      const dump = JSON.stringify(
        await service.query(`SELECT * FROM ${table}`),
        (_key, value: unknown) =>
          isBufferJson(value) ? Buffer.from(value.data).toString('latin1') : value,
      );
      expect(dump).not.toContain(token.slice(4));
    }
  });

  test('a ciphertext that was moved to another group is refused, not answered', async () => {
    const { body } = await service.api.get({ user_group_id: 'victim', name: 'V' });
    const swap = `UPDATE user_group_token SET ciphertext = (SELECT t.ciphertext FROM user_group_token t
      JOIN user_group g ON g.id = t.user_group_id WHERE g.provided_id = 'victim')
      WHERE user_group_id = (SELECT id FROM user_group WHERE provided_id = 'g')`;
    await changeDatabase(service.database, swap);
    const answer = await service.api.get({ user_group_id: 'g' });
    expect([answer.status, answer.body.code]).toEqual([503, 'token_unreadable']);
    expect(answer.text).not.toContain(body.user_group.token);
    // Rotation needs no old ciphertext, so it is the way out.
    const rotated = await service.api.post({ current_token: token });
    expect(rotated.status).toBe(200);
  });
});

test('the embedded key file and first token can be read by their owner alone', async () => {
  const service = await startTestService('sqlite', { BOOTSTRAP_API_TOKEN: '' });
  const dataDir = service.database.env['DATA_DIR']!;
  for (const name of ['token-encryption-keys', 'bootstrap-token']) {
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  }
  expect(readFileSync(join(dataDir, 'bootstrap-token'), 'utf8')).toMatch(/^uga_[0-9A-Za-z]{38}\n$/);
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await service.close();
});

function isBufferJson(value: unknown): value is { data: number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}
