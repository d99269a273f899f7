import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runBuilt, startOwnServer } from '../support/process/processes.ts';

const RECORDER = join(import.meta.dirname, '..', 'support', 'process', 'record-scripts.mjs');

/** A start loads some 1,350 of packages; an import at the wrong place easily brings hundreds. */
const MAX_FILES_OF_PACKAGES = 1375;

const directory = mkdtempSync(join(tmpdir(), 'user-groups-loaded-'));
const record = join(directory, 'scripts');
const recording = { NODE_OPTIONS: `--import ${RECORDER}`, RECORD_SCRIPTS_TO: record };

afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** The files that were loaded since the last call, by package; those of the service are under ``. */
function takeLoaded(): Map<string, number> {
  const files = new Set(readFileSync(record, 'utf8').trimEnd().split('\n'));
  rmSync(record);
  const counts = new Map<string, number>();
  for (const file of files) {
    const [, name = ''] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

onEachDatabase((kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
  });

  afterAll(() => database.drop());

  test('a start loads nothing for what it was not asked for, and the first document loads what it needs', async () => {
    const server = await startOwnServer({ ...database.env, ...recording });
    await server.api.put({ user_group_id: 'acme', name: 'Acme' });
    const atStart = takeLoaded();
    expect([...atStart.keys()]).toEqual(expect.arrayContaining(['', '@nestjs/core', 'typeorm']));
    const otherDriver = kind === 'sqlite' ? 'pg' : 'better-sqlite3';
    for (const name of [
      '@nestjs/swagger',
      'es-toolkit',
      '@redis/client',
      'pino-pretty',
      otherDriver,
    ]) {
      expect([name, atStart.get(name)]).toEqual([name, undefined]);
    }
    const ofPackages = [...atStart].reduce(
      (sum, [name, count]) => (name === '' ? sum : sum + count),
      0,
    );
    expect(ofPackages).toBeLessThan(MAX_FILES_OF_PACKAGES);

    expect((await fetch(`${server.baseUrl}/docs-json`)).status).toBe(200);
    expect(takeLoaded().get('@nestjs/swagger')).toBeGreaterThan(10);
    expect(await server.stop()).toBe(0);
  });

  test('Redis and the log for people are loaded where they are asked for', async () => {
    const server = await startOwnServer({
      ...database.env,
      ...recording,
      // Nobody listens there: the limits are counted in the process.
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    expect(takeLoaded().get('@redis/client')).toBeGreaterThan(10);
    expect(await server.stop()).toBe(0);
    const asked = { ...database.env, ...recording, LOG_FORMAT: 'pretty' };
    expect((await runBuilt('cli.js', asked, 'keys', 'status')).code).toBe(0);
    expect(takeLoaded().get('pino-pretty')).toBeGreaterThan(0);
  });
});

test('a command that needs no database loads neither the application nor a driver', async () => {
  for (const args of [['--help'], ['config', 'check'], ['config', '--help']]) {
    expect((await runBuilt('cli.js', { ...recording, DATA_DIR: directory }, ...args)).code).toBe(0);
    const loaded = takeLoaded();
    expect(loaded.get('commander')).toBeGreaterThan(0);
    expect([...loaded.keys()].filter((name) => name !== '' && !LIGHT.includes(name))).toEqual([]);
  }
});

/** The packages that read the arguments and the environment. */
const LIGHT = ['class-transformer', 'commander', 'fastest-levenshtein', 'ipaddr.js'];
