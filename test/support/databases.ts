import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** A database of its own for one test file, and how a process is told to use it. */
export interface TestDatabase {
  kind: DatabaseKind;
  /** Environment variables, as an operator would set them. */
  env: Record<string, string>;
  drop: () => Promise<void>;
}

export type DatabaseKind = 'sqlite' | 'postgres';

const postgresUrl = process.env['TEST_DATABASE_URL'];

export const databaseKinds: DatabaseKind[] = postgresUrl ? ['sqlite', 'postgres'] : ['sqlite'];

/** Fixed, so that two processes of one test agree on it. */
export const TEST_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

export async function createTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'user-groups-'));
  const removeDir = () => {
    rmSync(dataDir, { recursive: true, force: true });
  };
  if (kind === 'sqlite') {
    return {
      kind,
      env: { DATA_DIR: dataDir },
      drop: () => {
        removeDir();
        return Promise.resolve();
      },
    };
  }
  const name = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
  await administer(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl!);
  url.pathname = `/${name}`;
  return {
    kind,
    env: { DATA_DIR: dataDir, DATABASE_URL: url.href, TOKEN_ENCRYPTION_KEYS: TEST_KEYS },
    drop: async () => {
      removeDir();
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Runs a statement on a PostgreSQL database, by default the one that TEST_DATABASE_URL names. */
export async function administer(sql: string, url = postgresUrl): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Declares the same tests once for each database. */
export function onEachDatabase(tests: (kind: DatabaseKind) => void): void {
  describe.each(databaseKinds)('on %s', tests);
}
