import BetterSqlite3 from 'better-sqlite3';
import { Client } from 'pg';
import { generateToken, hashToken } from '../../src/platform/common/secret/secrets.ts';
import { queryPostgres } from '../system/lab/databases.mjs';
import { keyList } from '../system/lab/keys.mjs';
import { encryptionKeys } from '../../src/platform/config/secret-readers.ts';
import { sqlitePath } from '../../src/platform/database/data-source-options.ts';
import { KeyRing } from '../../src/core/encryption-key/key-ring.ts';
import { UserGroupTokenCipher } from '../../src/core/encryption-key/user-group-token-cipher.ts';
import type { TestDatabase } from './database/databases.ts';
import { runCli } from './process/processes.ts';

/** The environment of a process on this database with these keys, the first of which encrypts. */
export function withKeys({ env }: TestDatabase, ...ids: string[]): Record<string, string> {
  return { ...env, TOKEN_ENCRYPTION_KEYS: keyList(...ids) };
}

/** The output of `keys status`, one line for each key with single spaces, without the counts of its uses, endpoints, targets and imports. */
export async function keyStatus(env: Record<string, string>): Promise<string[]> {
  const { code, stdout, stderr } = await runCli(env, 'keys', 'status');
  if (code !== 0) throw new Error(stderr);
  const [head, ...lines] = stdout.trim().split('\n');
  expect(head).toMatch(/^KEY +TOKENS +STATE +ENCRYPTIONS +ENDPOINTS +TARGETS +IMPORTS$/);
  return lines.map((line) => line.replace(/( +\d+){4}$/, '').replace(/ +/g, ' '));
}

/** Runs a statement on the database, past the service. */
export async function runSql<Row extends object>(
  { env, kind }: TestDatabase,
  sql: string,
): Promise<Row[]> {
  if (kind === 'sqlite') {
    const file = new BetterSqlite3(sqlitePath(env['DATA_DIR']!), { timeout: 100_000 });
    try {
      const statement = file.prepare<[], Row>(sql);
      if (statement.reader) return statement.all();
      statement.run();
      return [];
    } finally {
      file.close();
    }
  }
  return (await queryPostgres(env['DATABASE_URL']!, sql)) as Row[];
}

/** Keeps rewrapping from its end, as a long transaction of another process would; gives its release. */
export async function lockLastToken({ env, kind }: TestDatabase): Promise<() => Promise<void>> {
  if (kind === 'sqlite') {
    const file = new BetterSqlite3(sqlitePath(env['DATA_DIR']!), { timeout: 100_000 });
    file.exec('BEGIN IMMEDIATE');
    return () => {
      file.close();
      return Promise.resolve();
    };
  }
  const client = new Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  await client.query('BEGIN');
  await client.query(
    'SELECT 1 FROM user_group_token ORDER BY user_group_id DESC LIMIT 1 FOR UPDATE',
  );
  return () => client.end();
}

const ROWS_PER_INSERT = 500;

/**
 * Fills a migrated database that has no groups yet.
 * @param keyId encrypts the tokens
 * @returns the token of each group by its `user_group_id`
 */
export async function fillGroups(
  database: TestDatabase,
  count: number,
  keyId: string,
): Promise<Map<string, string>> {
  const cipher = new UserGroupTokenCipher(new KeyRing(encryptionKeys(keyList(keyId))));
  const bytes = (value: Buffer) => {
    const hex = value.toString('hex');
    return database.kind === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'::bytea`;
  };
  const tokens = new Map<string, string>();
  for (let first = 1; first <= count; first += ROWS_PER_INSERT) {
    const groups: string[] = [];
    const rows: string[] = [];
    for (let id = first; id < Math.min(first + ROWS_PER_INSERT, count + 1); id++) {
      const token = generateToken('ugt');
      const tokenHash = hashToken(token);
      const { ciphertext } = cipher.encrypt(token, { workspaceId: 1, tokenHash });
      groups.push(`(${id}, 1, 'group ${id}', 'Group ${id}', '{}', 0, 0)`);
      rows.push(
        `(${id}, 1, 1, '${token.slice(-4)}', ${bytes(tokenHash)}, ${bytes(ciphertext)}, '${keyId}', 0)`,
      );
      tokens.set(`group ${id}`, token);
    }
    await runSql(
      database,
      `INSERT INTO user_group (id, workspace_id, provided_id, name, properties, created_at, updated_at)
       VALUES ${groups.join(', ')}`,
    );
    await runSql(
      database,
      `INSERT INTO user_group_token (user_group_id, workspace_id, generation, last_four, token_hash, ciphertext, key_id, created_at)
       VALUES ${rows.join(', ')}`,
    );
  }
  if (database.kind === 'postgres') {
    await runSql(database, `SELECT setval(pg_get_serial_sequence('user_group', 'id'), ${count})`);
  }
  return tokens;
}
