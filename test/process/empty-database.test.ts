import type { Command } from 'commander';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../../src/server/cli/program.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import {
  listMigrations,
  openDatabase,
  prepareDatabase,
} from '../../src/platform/database/schema/migrate.ts';
import { createTestDatabase, onPostgres, TEST_KEYS } from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { withNextMigration } from '../support/database/next-migration.ts';
import { runCli } from '../support/process/processes.ts';

/** Set an installation up, and so make the tables. */
const MAKE = ['token create', 'workspace create', 'group import', 'migration run', 'migrate-data'];
/** Have something to say of an empty database. */
const SAY = ['migration show', 'migration revert'];
const NEED_NONE = ['config check', 'openapi', 'keys create'];

/** Values of required arguments and options, where a text would be refused before the database is reached. */
const VALUES: Record<string, string> = {
  kinds: 'user_group_token',
  scopes: 'admin',
  generation: '1',
  id: '1',
  state: '1',
  file: '/dev/null',
};

function leavesOf(command: Command, path: string[] = []): { path: string[]; command: Command }[] {
  const { commands } = command;
  return commands.length === 0
    ? [{ path, command }]
    : commands.flatMap((one) => leavesOf(one, [...path, one.name()]));
}

async function callsOfOthers(): Promise<string[][]> {
  const leaves = leavesOf(await createProgram(() => true));
  const others = leaves.filter(
    ({ path }) => ![...MAKE, ...SAY, ...NEED_NONE].includes(path.join(' ')),
  );
  expect(leaves.length - others.length).toBe(MAKE.length + SAY.length + NEED_NONE.length);
  return others.map(({ path, command }) => [
    ...path,
    ...command.registeredArguments
      .filter(({ required }) => required)
      .map((one) => VALUES[one.name()] ?? '1'),
    ...command.options
      .filter(({ mandatory }) => mandatory)
      .flatMap((o) => [o.long!, VALUES[o.attributeName()] ?? 'x']),
  ]);
}

test('a command that does not set up an installation makes no embedded database, and names the directory', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'user-groups-misspelt-'));
  const missing = join(parent, 'dtaa');
  const env = { DATA_DIR: missing, TOKEN_ENCRYPTION_KEYS: TEST_KEYS };
  const calls = await callsOfOthers();
  expect(calls.length).toBeGreaterThan(30);
  for (const call of calls) {
    const { code, stdout, stderr } = await runCli(env, ...call);
    expect({ call, code, stdout }).toEqual({ call, code: 5, stdout: '' });
    expect(stderr).toContain(`DATA_DIR ${missing} has no tables of the service`);
  }
  for (const say of SAY) expect((await runCli(env, ...say.split(' '))).code).toBe(0);
  expect((await runCli(env, 'group', 'import', '/dev/null', '--dry-run')).code).toBe(5);
  expect(existsSync(missing)).toBe(false);
  rmSync(parent, { recursive: true });
});

onPostgres('on postgres', () => {
  test('a command that does not set up an installation makes no table, and names the database', async () => {
    const { env, ...database } = await createTestDatabase('postgres');
    const name = new URL(env['DATABASE_URL']!).pathname.slice(1);
    for (const call of [
      ['token', 'list'],
      ['workspace', 'list'],
      ['audit', 'list'],
      ['group', 'export'],
      ['keys', 'status'],
    ]) {
      const { code, stdout, stderr } = await runCli({ ...env, DATABASE_SCHEMA: 'own' }, ...call);
      expect({ call, code, stdout }).toEqual({ call, code: 5, stdout: '' });
      expect(stderr).toContain(
        `The database ${name} of DATABASE_URL on 127.0.0.1 has no tables of the service`,
      );
    }
    for (const say of SAY) expect((await runCli(env, ...say.split(' '))).code).toBe(0);
    const made = await runSql(
      { env, ...database },
      "SELECT nspname FROM pg_namespace WHERE nspname = 'own' UNION ALL SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace",
    );
    expect(made).toEqual([]);
    await database.drop();
  });
});

test('what sets up an installation makes the database', async () => {
  for (const call of [
    ['token', 'create', '--name', 'first'],
    ['workspace', 'create', 'acme'],
    ['migration', 'run'],
    ['group', 'import', '/dev/null'],
  ]) {
    const { env, drop } = await createTestDatabase('sqlite');
    expect({ call, code: (await runCli(env, ...call)).code }).toEqual({ call, code: 0 });
    expect((await runCli(env, 'workspace', 'list')).stdout).toContain('default');
    await drop();
  }
});

test('a database that lacks a migration is left as it is', async () => {
  const { env, drop } = await createTestDatabase('sqlite');
  expect((await runCli(env, 'migration', 'run')).code).toBe(0);
  const newer = withNextMigration(loadConfig(env));
  const open = () => openDatabase(newer, () => undefined);
  await expect(open()).rejects.toThrow(/lacks 1 of the migrations of this version.*migration run/);
  expect((await listMigrations(newer)).filter(({ applied }) => !applied)).toHaveLength(1);
  await prepareDatabase(newer);
  await expect(open()).resolves.toMatchObject({ dataDir: newer.dataDir });
  await drop();
});
