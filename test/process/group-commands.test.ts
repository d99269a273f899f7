import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NDJSON } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { IMPORT, linesOf, toLines } from '../support/api/lines.ts';
import { noteTokens } from '../support/jest/leaks.ts';
import { runCli, type RunningServer, startOwnServer } from '../support/process/processes.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'src', 'cli.js');
const COUNT = 2000;
const MIB = 1024;

onEachDatabase((kind) => {
  let database: TestDatabase;
  let other: TestDatabase;
  let server: RunningServer;
  let directory: string;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    other = await createTestDatabase(kind);
    server = await startOwnServer(database.env);
    directory = mkdtempSync(join(tmpdir(), 'user-groups-files-'));
  });

  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
    await database.drop();
    await other.drop();
  });

  const cli = (...args: string[]) => runCli(database.env, 'group', ...args);
  const path = (name: string) => join(directory, name);
  const read = (name: string) => {
    const text = readFileSync(path(name), 'utf8');
    noteTokens(text);
    return text;
  };
  /** Kibibytes of memory that the server has had at most. */
  const peak = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))![1]);

  test('the memory of the server does not grow with the number of lines, and others are served', async () => {
    const before = peak();
    const properties = { text: 'x'.repeat(2000) };
    const groups = Array.from({ length: COUNT }, (_, n) => ({
      user_group_id: `group ${n}`,
      name: `Group ${n}`,
      mapping: { sales: n },
      properties,
    }));
    const importing = server.api.call('POST', IMPORT, toLines(...groups), NDJSON);
    const progress = { isDone: false, calls: 0 };
    const beside = (async () => {
      for (; !progress.isDone; progress.calls++) {
        const group = { user_group_id: `beside ${progress.calls}`, name: 'B' };
        expect((await server.api.put(group)).status).toBe(200);
      }
    })();
    const answer = await importing;
    progress.isDone = true;
    await beside;
    expect(linesOf(answer).at(-1)!.summary).toMatchObject({ created: COUNT, complete: true });
    expect(progress.calls).toBeGreaterThan(10);
    expect((peak() - before) / MIB).toBeLessThan(150);
  });

  test('an export is a file of its owner, and an import of it elsewhere gives the same groups', async () => {
    const name = 'Obeyed \u009b2J\u007f \u202e';
    expect((await server.api.put({ user_group_id: 'obeyed', name })).status).toBe(200);
    expect(await cli('export', path('groups'))).toMatchObject({ code: 0, stdout: '' });
    expect(statSync(path('groups')).mode & 0o777).toBe(0o600);
    const lines = linesOf({ text: read('groups') });
    expect(lines.at(-1)!.summary).toMatchObject({ exported: lines.length - 1, complete: true });
    // The command line has no limit.
    const limits = { RATE_LIMIT_PER_MINUTE: '1', WORKSPACE_RATE_LIMIT_PER_MINUTE: '1' };
    const imported = await runCli({ ...other.env, ...limits }, 'group', 'import', path('groups'));
    expect(imported).toMatchObject({
      code: 0,
      stdout: '',
      // It is the first to use that database.
      stderr: expect.stringMatching(
        `^migrated the database, [^\\n]+\\n${lines.length - 1} created, 0 updated, 0 unchanged\\.\\n$`,
      ),
    });
    const again = await runCli(other.env, 'group', 'export');
    expect(again.stdout).toContain('"Obeyed \\u009b2J\\u007f \\u202e"');
    expect(again.stdout).not.toMatch(/(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/u);
    expect(linesOf({ text: again.stdout })).toEqual(lines);
    expect(lines.some((line) => line.name === name)).toBe(true);
  });

  test('a file that is there is replaced only with --force, and what fails leaves none behind', async () => {
    writeFileSync(path('taken'), 'mine');
    const refused = await cli('export', path('taken'));
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('--force') });
    expect(read('taken')).toBe('mine');
    chmodSync(path('taken'), 0o644);
    expect((await cli('export', path('taken'), '--force', '--without-tokens')).code).toBe(0);
    expect(read('taken')).not.toContain('ugt_');
    expect(statSync(path('taken')).mode & 0o777).toBe(0o600);
    expect(await cli('export', path('no/such/directory'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ENOENT'),
    });
    expect((await cli('export', path('x'), '--workspace', 'nowhere')).code).toBe(3);
    expect(existsSync(path('x'))).toBe(false);
  });

  test('lines that are refused are told, and the end is code 4', async () => {
    writeFileSync(path('bad'), toLines({ user_group_id: 'fine', name: 'F' }, { name: 'no id' }));
    const { code, stderr } = await cli('import', path('bad'), '--results', path('results'));
    expect(code).toBe(4);
    const [line, counts, sentence] = stderr.trim().split('\n');
    expect(JSON.parse(line!)).toMatchObject({ line: 2, status: 422 });
    expect(counts).toBe('1 created, 0 updated, 0 unchanged.');
    expect(sentence).toBe('user-group-service: 1 line was refused.');
    expect(linesOf({ text: read('results') })).toMatchObject([
      { line: 1, result: 'created' },
      { line: 2, success: 0 },
      { summary: { created: 1, failed: 1, complete: true } },
    ]);
    for (const [name, reason] of [
      ['nothing', 'ENOENT'],
      ['.', 'EISDIR'],
    ] as const) {
      expect(await cli('import', path(name))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${path(name)} cannot be used: ${reason}.`),
      });
    }
  });

  test('a terminal shows each refused line by itself, and the progress below it', () => {
    const lines = Array.from({ length: 1500 }, (_, n) =>
      n % 300 === 7
        ? { name: `bad ${n}` }
        : { user_group_id: `pty ${n}`, name: 'P', properties: { x: 'x'.repeat(200) } },
    );
    writeFileSync(path('watched'), toLines(...lines));
    const command = [process.execPath, CLI, 'group', 'import', path('watched')]
      .map((word) => `'${word}'`)
      .join(' ');
    const env = { PATH: process.env['PATH'], ...database.env };
    const typescript = spawnSync(
      'script',
      ['--quiet', '--return', '--command', command, '/dev/null'],
      { env },
    );
    expect(typescript.status).toBe(4);
    const written = typescript.stdout.toString();
    expect(written).toContain(' %\u001b[');
    const rows = written.trim().split(/\r?\n/).map(asSeen);
    const refused = rows.slice(0, 5).map((row) => (JSON.parse(row) as { line: number }).line);
    expect(refused).toEqual([8, 308, 608, 908, 1208]);
    expect(rows.slice(5)).toEqual([
      '100 %',
      '1495 created, 0 updated, 0 unchanged.',
      'user-group-service: 5 lines were refused.',
    ]);
  });

  test('a replaced token is told, a byte order mark is skipped, and no line is nothing to do', async () => {
    const token = `legacy-${'0123456789'.repeat(3)}`;
    writeFileSync(path('replacing'), toLines({ user_group_id: 'fine', token }));
    writeFileSync(path('marked'), `\uFEFF${toLines({ user_group_id: 'marked', name: 'M' })}`);
    writeFileSync(path('empty'), '');
    const { code, stderr } = await cli('import', path('replacing'));
    const [line, counts] = stderr.trim().split('\n');
    expect([code, JSON.parse(line!)]).toMatchObject([0, { line: 1, token_replaced: true }]);
    expect(counts).toBe('0 created, 1 updated, 0 unchanged. Tokens replaced: 1.');
    const others = [await cli('import', path('marked')), await cli('import', path('empty'))];
    expect(others).toMatchObject([
      { code: 0, stderr: '1 created, 0 updated, 0 unchanged.\n' },
      { code: 0, stderr: '0 created, 0 updated, 0 unchanged.\n' },
    ]);
  });

  test('nothing is encrypted or shown with another key than the first one of this id', async () => {
    const fresh = await createTestDatabase(kind);
    const withKey = (seed: number, ...args: string[]) => {
      const key = createHash('sha256').update(String(seed)).digest('base64');
      const env = { ...fresh.env, TOKEN_ENCRYPTION_KEYS: `k1:${key}` };
      return runCli(env, 'group', ...args);
    };
    writeFileSync(path('first'), toLines({ user_group_id: 'a', name: 'A' }));
    writeFileSync(path('second'), toLines({ user_group_id: 'b', name: 'B' }));
    expect(await withKey(1, 'import', path('first'))).toMatchObject({ code: 0 });
    for (const args of [['import', path('second')], ['export']]) {
      const refused = await withKey(2, ...args);
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(
        /^user-group-service: The encryption key "k1" is not the one .*\n$/,
      );
    }
    const kept = await withKey(1, 'export', '--without-tokens');
    expect(kept.stdout.match(/"provided_id":"\w"/g)).toEqual(['"provided_id":"a"']);
    await fresh.drop();
  });

  test('what the command line imports is in the audit log as the operator’s', async () => {
    const { stdout } = await runCli(database.env, 'audit', 'list', '--limit', '1', '-o', 'ndjson');
    expect(JSON.parse(stdout)).toMatchObject({
      action: 'user_group.create',
      actor: { type: 'operator' },
      details: { import: true },
    });
  });
});

/** The text that a terminal shows of a line in the end: erasing begins it again. */
function asSeen(line: string): string {
  return line.split('\u001b[2K').at(-1)!.replace('\u001b[1G', '');
}
