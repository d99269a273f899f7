import Sqlite from 'better-sqlite3';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { keyList } from '../lab/keys.mjs';

const BATCH = 1000;
const require = createRequire(import.meta.url);

/** Fills the migrated, empty database; gives the token of each group by its `user_group_id`. */
export async function fillGroups(database, count, keyId) {
  const make = tokenMaker(keyId);
  const tokens = new Map();
  for (let first = 1; first <= count; first += BATCH) {
    const rows = [];
    for (let id = first; id < Math.min(first + BATCH, count + 1); id++) {
      const { token, hash, ciphertext } = make();
      rows.push({ id, providedId: `group ${id}`, hash, ciphertext });
      tokens.set(`group ${id}`, token);
    }
    await insert(database, rows, keyId);
  }
  return tokens;
}

/** Gives a function that makes a token as the service does. */
export function tokenMaker(keyId) {
  const {
    generateToken,
    hashToken,
  } = require('../../../dist/src/platform/common/secret/secrets.js');
  const cipher = createCipher(keyId);
  return () => {
    const token = generateToken('ugt');
    const hash = hashToken(token);
    return { token, hash, ciphertext: cipher.encrypt(token, rowOf(hash)).ciphertext };
  };
}

/** Decrypts every current token with this key alone; by `user_group_id`. */
export async function readTokens(database, keyId) {
  const cipher = createCipher(keyId);
  const rows = await database.query(
    `SELECT g.provided_id, t.token_hash, t.key_id, t.ciphertext
     FROM user_group g JOIN user_group_token t ON t.user_group_id = g.id AND t.retired_at IS NULL`,
  );
  return new Map(
    rows.map(({ provided_id, token_hash, key_id, ciphertext }) => [
      provided_id,
      cipher.decrypt({ keyId: key_id, ciphertext }, rowOf(token_hash)),
    ]),
  );
}

function createCipher(keyId) {
  const { encryptionKeys } = require('../../../dist/src/platform/config/secret-readers.js');
  const { KeyRing } = require('../../../dist/src/core/encryption-key/key-ring.js');
  const {
    UserGroupTokenCipher,
  } = require('../../../dist/src/core/encryption-key/user-group-token-cipher.js');
  return new UserGroupTokenCipher(new KeyRing(encryptionKeys(keyList(keyId))));
}

function rowOf(tokenHash) {
  return { workspaceId: 1, tokenHash };
}

async function insert({ dir, env, query }, rows, keyId) {
  if (env.DATABASE_URL) {
    const ids = rows.map(({ id }) => id);
    await query(
      `INSERT INTO user_group (id, workspace_id, provided_id, name, properties, created_at, updated_at)
       SELECT id, 1, 'group ' || id, 'Group', '{}', 0, 0 FROM unnest($1::integer[]) AS id`,
      [ids],
    );
    await query(
      `INSERT INTO user_group_token (user_group_id, workspace_id, generation, last_four, token_hash, ciphertext, key_id, created_at)
       SELECT id, 1, 1, 'four', hash, ciphertext, $1, 0
       FROM unnest($2::integer[], $3::bytea[], $4::bytea[]) AS row (id, hash, ciphertext)`,
      [keyId, ids, rows.map(({ hash }) => hash), rows.map(({ ciphertext }) => ciphertext)],
    );
    await query(`SELECT setval(pg_get_serial_sequence('user_group', 'id'), $1)`, [ids.at(-1)]);
    return;
  }
  const file = new Sqlite(join(dir, 'user-groups.sqlite'));
  const group = file.prepare(
    `INSERT INTO user_group (id, workspace_id, provided_id, name, properties, created_at, updated_at)
     VALUES (?, 1, ?, 'Group', '{}', 0, 0)`,
  );
  const token = file.prepare(
    `INSERT INTO user_group_token (user_group_id, workspace_id, generation, last_four, token_hash, ciphertext, key_id, created_at)
     VALUES (?, 1, 1, 'four', ?, ?, ?, 0)`,
  );
  file.transaction(() => {
    for (const { id, providedId, hash, ciphertext } of rows) {
      group.run(id, providedId);
      token.run(id, hash, ciphertext, keyId);
    }
  })();
  file.close();
}
