import { createTestDatabase, onEachDatabase, type TestDatabase } from '../support/databases';
import { runBuilt } from '../support/processes';

onEachDatabase((kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
  });

  afterAll(() => database.drop());

  const cli = (...args: string[]) => runBuilt('cli.js', database.env, ...args);

  test('a token is printed alone on standard output, once', async () => {
    const created = await cli(
      'token',
      'create',
      '--name',
      'host',
      '--expires',
      '2099-01-01T00:00:00Z',
    );
    expect(created).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^uga_[0-9A-Za-z]{38}\n$/),
    });
    const { stdout } = await cli('token', 'list');
    expect(stdout).toMatch(
      /^\d+ +host +\w{4} +user-groups:read,user-groups:write,tokens:rotate .*2099-01-01T00:00:00Z/m,
    );
    expect(stdout).not.toContain(created.stdout.trim().slice(0, -4));
  });

  test('revoking is seen in the list, can be repeated, and needs the right workspace', async () => {
    await cli('token', 'create', '--name', 'short-lived');
    const id = /^(\d+) +short-lived/m.exec((await cli('token', 'list')).stdout)![1]!;
    await cli('workspace', 'create', 'elsewhere');
    const foreign = await cli('token', 'revoke', id, '--workspace', 'elsewhere');
    expect(foreign).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no API token of this id'),
    });
    expect((await cli('token', 'revoke', id)).code).toBe(0);
    expect((await cli('token', 'revoke', id)).code).toBe(0);
    expect((await cli('token', 'list')).stdout).toMatch(/short-lived.* \d{4}-\d\d-\d\dT[\d:]+Z$/m);
  });

  test('workspaces are created once and listed', async () => {
    expect((await cli('workspace', 'create', 'acme')).code).toBe(0);
    const again = await cli('workspace', 'create', 'acme');
    expect(again).toMatchObject({
      code: 1,
      stderr: 'user-group-service: A workspace of this name exists already.\n',
    });
    const { stdout } = await cli('workspace', 'list');
    expect(stdout).toMatch(/^ID +NAME +CREATED\n1 +default /);
    expect(stdout).toMatch(/^\d+ +acme +\d{4}-/m);
  });

  test.each([
    [['token', 'create'], /required option '--name <name>'/],
    [['token', 'create', '--name', 'x', '--scopes', 'everything'], /Scopes are user-groups:read/],
    [['token', 'create', '--name', 'x', '--expires', 'tomorrow'], /Use a time such as/],
    [
      ['token', 'create', '--name', 'x', '--expires', '2000-01-01'],
      /must be a moment in the future/,
    ],
    [['token', 'create', '--name', 'x', '--workspace', 'nowhere'], /no workspace of this name/],
    [['token', 'create', '--name', 'a\u001b[2Jb'], /control characters/],
    [['token', 'revoke', 'abc'], /Use the number of a token/],
    [['token', 'revoke', '999999'], /no API token of this id/],
    [['workspace', 'create', ''], /must not be empty/],
    [['nonsense'], /unknown command/],
  ])('%j is refused with a sentence and code 1', async (args, sentence) => {
    const { code, stderr, stdout } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toContain('    at ');
  });

  test('migrations are shown, reverted and run', async () => {
    expect((await cli('migration', 'show')).stdout).toMatch(/CreateUserGroups\d+ +yes/);
    expect((await cli('migration', 'revert')).code).toBe(0);
    expect((await cli('migration', 'show')).stdout).toMatch(/CreateUserGroups\d+ +no/);
    expect((await cli('migration', 'run')).code).toBe(0);
    expect((await cli('migration', 'show')).stdout).toMatch(/CreateUserGroups\d+ +yes/);
  });

  test('the configuration is checked without a database', async () => {
    const right = await cli('config', 'check');
    expect(right).toMatchObject({ code: 0, stdout: expect.stringContaining('is valid') });
    const wrong = await runBuilt('cli.js', { ...database.env, PORT: 'x' }, 'config', 'check');
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
