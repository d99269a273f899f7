import { join } from 'node:path';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runBuilt, runCli } from '../support/process/processes.ts';

onEachDatabase((kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    await cli('migration', 'run');
  });

  afterAll(() => database.drop());

  const cli = (...args: string[]) => runCli(database.env, ...args);

  const asOneOfMany = runCli;
  const byItself = (env: Record<string, string>, ...args: string[]) =>
    runBuilt('cli.js', env, ...args);

  const onceByItself = kind === 'sqlite' ? byItself : asOneOfMany;

  // One command for each way to end has a process of its own: a list, a stream, nothing to read, much to print. The last
  // two open no database.
  test.each([
    [byItself, 'token', 'list'],
    [asOneOfMany, 'workspace', 'list'],
    [asOneOfMany, 'schema', 'list'],
    [asOneOfMany, 'data-source', 'list'],
    [byItself, 'group', 'export'],
    [asOneOfMany, 'audit', 'list'],
    [asOneOfMany, 'keys', 'status'],
    [asOneOfMany, 'migration', 'show'],
    [onceByItself, 'config', 'check'],
    [onceByItself, 'openapi'],
  ] as [typeof runCli, ...string[]][])(
    '%p "%s %s" prints what was asked for and ends at once',
    async (run, ...args) => {
      // The command does not wait for load balancers, which a server does: the test would not wait for that long.
      const env = { ...database.env, SHUTDOWN_DELAY_SECONDS: '300' };
      const finished = await run(env, ...args);
      expect(finished).toEqual({ code: 0, stdout: expect.stringMatching(/./), stderr: '' });
    },
  );

  test.each([
    ['token', 'revoke', '?'],
    ['token', '?'],
    ['?'],
    ['token', 'create', '--name', 'x', '--scopes', '?'],
    ['token', 'list', '--?'],
    ['config', 'check', '?'],
  ])('a token in a wrong place is not printed: %s %s %s', async (...args) => {
    const token = generateToken('uga');
    const ended = await cli(...args.map((arg) => arg.replace('?', token)));
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).not.toBe('');
    expect(ended.stdout + ended.stderr).not.toContain(token.slice(4));
  });

  test('a token is printed alone on standard output, once', async () => {
    const created = await cli(
      'token',
      'create',
      '--name',
      'host',
      '--expires-at',
      '2099-01-01T00:00:00Z',
    );
    expect(created).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^uga_[0-9A-Za-z]{38}\n$/),
    });
    const { stdout } = await cli('token', 'list');
    expect(stdout).toMatch(
      /^\d+ +host +\w{4} +active +user-groups:read,user-groups:write,user-group-tokens:read,to… +2099-01-01T00:00:00Z/m,
    );
    const whole = await cli('token', 'list', '-o', 'json');
    expect(JSON.parse(whole.stdout)).toMatchObject({
      api_tokens: [
        {
          name: 'host',
          scopes: [
            'user-groups:read',
            'user-groups:write',
            'user-group-tokens:read',
            'tokens:rotate',
          ],
        },
      ],
    });
    expect(stdout).not.toContain(created.stdout.trim().slice(0, -4));
  });

  test('revoking is seen in the list, can be repeated, and needs the right workspace', async () => {
    await cli('token', 'create', '--name', 'short-lived');
    const id = /^(\d+) +short-lived/m.exec((await cli('token', 'list')).stdout)![1]!;
    await cli('workspace', 'create', 'elsewhere');
    const foreign = await cli('token', 'revoke', id, '--workspace', 'elsewhere');
    expect(foreign).toMatchObject({
      code: 3,
      stderr: 'user-group-service: No API token has this id.\n',
    });
    expect((await cli('token', 'revoke', id)).code).toBe(0);
    expect((await cli('token', 'revoke', id)).code).toBe(0);
    expect((await cli('token', 'list')).stdout).toMatch(/short-lived +\w{4} +revoked /m);
    expect((await cli('token', 'list', '--state', 'active')).stdout).not.toContain('short-lived');
    expect((await cli('token', 'list', '--state', 'lost')).code).toBe(4);
  });

  const createToken = async (...args: string[]) => {
    const { stdout, stderr } = await cli('token', 'create', '--name', 'cli', ...args);
    return { id: /^API token (\d+) /.exec(stderr)![1]!, token: stdout.trim() };
  };
  const show = async (id: string) =>
    JSON.parse((await cli('token', 'show', id, '-o', 'ndjson')).stdout) as Record<string, unknown>;

  test('a token is shown and changed; what is not given stays', async () => {
    const { id, token } = await createToken('--allowed-cidrs', '10.0.0.0/8, ::1');
    expect(await show(id)).toMatchObject({
      name: 'cli',
      allowed_cidrs: ['10.0.0.0/8', '::1'],
      last_four: token.slice(-4),
    });
    const args = [
      '--scopes',
      'audit:read',
      '--expires-at',
      '2099-01-01T00:00:00Z',
      '--allowed-cidrs',
      'any',
    ];
    expect((await cli('token', 'update', id, ...args)).code).toBe(0);
    expect(await show(id)).toMatchObject({
      name: 'cli',
      scopes: ['audit:read'],
      allowed_cidrs: null,
      expires_at: '2099-01-01T00:00:00.000Z',
    });
    await cli('token', 'update', id, '--expires-at', 'never');
    expect(await show(id)).toMatchObject({ expires_at: null, scopes: ['audit:read'] });
    const wrong = await cli('token', 'update', id, '--allowed-cidrs', '10.0.0.0/33');
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining('CIDR range') });
  });

  test('a token is rotated, with an overlap if it is asked for', async () => {
    const { id, token } = await createToken();
    const rotated = await cli('token', 'rotate', id, '--grace-period-seconds', '3600');
    expect(rotated).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^uga_[0-9A-Za-z]{38}\n$/),
    });
    expect(rotated.stdout.trim()).not.toBe(token);
    const successor = /^API token (\d+) /.exec(rotated.stderr)![1]!;
    expect(await show(id)).toMatchObject({
      state: 'superseded',
      superseded_by_id: Number(successor),
    });
    expect((await cli('token', 'rotate', successor)).code).toBe(0);
    expect((await show(id))['state']).toBe('revoked');
    expect((await show(successor))['state']).toBe('revoked');
    const again = await cli('token', 'rotate', successor);
    expect(again).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('revoked'),
    });
    const wrong = await cli('token', 'rotate', id, '--grace-period-seconds', 'a day');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('whole number') });
  });

  test('the operator may take the last administrator away, and what was done is in the audit log', async () => {
    await cli('workspace', 'create', 'abandoned');
    const { id } = await createToken('--scopes', 'admin', '--workspace', 'abandoned');
    expect((await cli('token', 'revoke', id, '--workspace', 'abandoned')).code).toBe(0);
    const { stdout } = await cli('audit', 'list', '--limit', '2', '--output', 'ndjson');
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(events).toMatchObject([
      { action: 'api_token.revoke', actor: { type: 'operator' }, object: { id } },
      { action: 'api_token.issue', actor: { type: 'operator' }, object: { id } },
    ]);
  });

  test('workspaces are created once and listed', async () => {
    expect((await cli('workspace', 'create', 'acme')).code).toBe(0);
    const again = await cli('workspace', 'create', 'acme');
    expect(again).toMatchObject({
      code: 4,
      stderr: 'user-group-service: A workspace of this name exists already.\n',
    });
    const { stdout } = await cli('workspace', 'list');
    expect(stdout).toMatch(/^NUMBER +NAME +CREATED +ID +QUOTA +USER GROUPS\n1 +default /);
    expect(stdout).toMatch(/^\d+ +acme +\d{4}-\S+ +\S+ +none +not counted$/m);
  });

  test('a workspace gets a quota of groups, and loses it', async () => {
    await cli('workspace', 'create', 'bounded');
    const limit = (number: string) =>
      cli('workspace', 'update', 'bounded', `--user-group-quota=${number}`);
    expect(await limit('7')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^user_group_quota +7$/m),
    });
    expect((await cli('workspace', 'list')).stdout).toMatch(/^\d+ +bounded +\S+ +\S+ +7 +0$/m);
    expect((await limit('none')).code).toBe(0);
    expect((await cli('workspace', 'list')).stdout).toMatch(
      /bounded +\S+ +\S+ +none +not counted$/m,
    );
    for (const wrong of ['-1', '1.5', '07', 'many', '1000000000', '']) {
      expect((await limit(wrong)).code).toBe(2);
    }
    expect(await cli('workspace', 'update', 'nobody')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/no workspace of this/),
    });
  });

  test.each([
    [2, ['token', 'create'], /required option '--name <name>'/],
    [
      2,
      ['token', 'create', '--name', 'x', '--scopes', 'everything'],
      /"everything" is no scope; use "all", or a list of user-groups:read/,
    ],
    [
      4,
      ['token', 'create', '--name', 'x', '--expires-at', 'tomorrow'],
      /must be in the form of RFC 3339/,
    ],
    [
      4,
      ['token', 'create', '--name', 'x', '--expires-at', '2000-01-01T00:00:00Z'],
      /must be a moment in the future/,
    ],
    [3, ['token', 'create', '--name', 'x', '--workspace', 'nowhere'], /no workspace of this name/],
    [4, ['token', 'create', '--name', 'a\u001b[2Jb'], /control characters/],
    [2, ['token', 'revoke', 'abc'], /Use the number in the first column/],
    [3, ['token', 'show', '999999'], /No API token has this id/],
    [2, ['token', 'list', '--output', 'xml'], /Allowed choices are table, json, ndjson/],
    [2, ['token', 'list', '--nothing'], /unknown option '--nothing'/],
    [2, ['token', 'list', 'more'], /too many arguments/],
    [2, ['audit', 'list', '--limit', '0'], /Use a number from 1/],
    [3, ['token', 'revoke', '999999'], /No API token has this id/],
    [4, ['workspace', 'create', ''], /must not be empty/],
    [2, ['nonsense'], /unknown command/],
    [2, ['token'], /^Usage: user-group-service token/],
    [3, ['keys', 'forget', 'k9', '--yes'], /not been written with a key "k9"/],
  ])('code %d, and a sentence: %j', async (expected, args, sentence) => {
    const { code, stderr, stdout } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toContain('    at ');
  });

  test('migrations are shown, reverted and run', async () => {
    const PLUGINS = join(import.meta.dirname, '..', 'system', 'lab', 'next-migrations.mjs');
    const own = await createTestDatabase(kind);
    const run = (...args: string[]) => runCli({ ...own.env, PLUGINS }, 'migration', ...args);
    const show = async () => (await run('show')).stdout.trim().split('\n');
    expect((await run('run')).code).toBe(0);
    const before = await show();
    expect(before[0]).toMatch(/^MIGRATION +APPLIED$/);
    for (const line of before.slice(1)) expect(line).toMatch(/^(next: )?\w+\d{13} +yes$/);
    expect((await run('revert', '--plugin', 'next')).code).toBe(0);
    expect(await show()).toEqual([
      ...before.slice(0, -1),
      expect.stringMatching(/^next: \w+\d{13} +no$/),
    ]);
    expect((await run('run')).code).toBe(0);
    expect(await show()).toEqual(before);
    await own.drop();
  });

  test('the first migration cannot be reverted', async () => {
    const [line] = (await cli('token', 'list')).stdout.split('\n');
    let reverted = await cli('migration', 'revert');
    while (reverted.code === 0) reverted = await cli('migration', 'revert');
    expect((await cli('migration', 'run')).code).toBe(0);
    expect(reverted).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /^user-group-service: The first migration cannot be undone[^\n]*\n$/,
      ),
    });
    expect((await cli('token', 'list')).stdout.split('\n')[0]).toBe(line);
  });

  test('the configuration is checked without a database', async () => {
    const right = await cli('config', 'check');
    expect(right).toMatchObject({ code: 0, stdout: expect.stringContaining('is valid') });
    const wrong = await runCli({ ...database.env, PORT: 'x' }, 'config', 'check');
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^user-group-service: PORT must be/),
    });
  });

  test('the OpenAPI document is printed as JSON alone', async () => {
    const { stdout, code } = await cli('openapi');
    expect([code, (JSON.parse(stdout) as { openapi: string }).openapi]).toEqual([0, '3.1.0']);
  });
});
