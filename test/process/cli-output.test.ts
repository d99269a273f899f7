import { onEachDatabase } from '../support/database/databases.ts';
import { runCli } from '../support/process/processes.ts';
import { keyList } from '../system/lab/keys.mjs';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const LONG = 'x'.repeat(255);
const MAX_WIDTH = 120;

interface Body {
  body: Record<string, unknown>;
}

onEachDatabase((kind) => {
  const service = withService(kind);

  const cli = (...args: string[]) => runCli(service.database.env, ...args);
  const parse = (text: string) => JSON.parse(text) as Record<string, unknown>;
  const get = async (path: string) =>
    ((await service.api.call('GET', path)) as unknown as Body).body;
  const linesOf = (text: string) => text.trimEnd().split('\n');

  test('json is the response of the API, and ndjson each object of it', async () => {
    // The first use of the token is stored behind the call.
    await until(
      async () =>
        !(await service.api.call('GET', '/api/v1/api-tokens')).text.includes('"last_used_at":null'),
    );
    for (const provided_id of ['one', 'two']) {
      expect(
        (await service.api.call('POST', '/api/v1/schemas', { provided_id, name: LONG })).status,
      ).toBe(201);
    }
    for (const [command, path, member] of [
      ['schema', '/api/v1/schemas', 'schemas'],
      ['token', '/api/v1/api-tokens', 'api_tokens'],
    ] as const) {
      const body = await get(path);
      expect(parse((await cli(command, 'list', '--output', 'json')).stdout)).toEqual(body);
      const lines = linesOf((await cli(command, 'list', '-o', 'ndjson')).stdout);
      expect(lines.map(parse)).toEqual(body[member]);
    }
    const [schema] = (await get('/api/v1/schemas'))['schemas'] as { id: number }[];
    const id = String(schema!.id);
    expect(parse((await cli('schema', 'show', id, '-o', 'json')).stdout)).toEqual(
      await get(`/api/v1/schemas/${id}`),
    );
    expect(parse((await cli('workspace', 'show', '-o', 'json')).stdout)).toEqual(
      await get('/api/v1/workspace'),
    );
    const deleted = await cli('schema', 'delete', id, '-o', 'json');
    expect(deleted).toEqual({ code: 0, stdout: '{\n  "success": 1\n}\n', stderr: '' });
  });

  test('json has the secret of what is issued, and nothing is on standard error', async () => {
    const created = await cli('token', 'create', '--name', 'json', '-o', 'json');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { api_token } = parse(created.stdout) as { api_token: { id: number; token: string } };
    expect(api_token).toMatchObject({ name: 'json', token: expect.stringMatching(/^uga_\w{38}$/) });
    const rotated = await cli('token', 'rotate', String(api_token.id), '-o', 'ndjson');
    expect(parse(rotated.stdout)).toMatchObject({
      name: 'json',
      token: expect.stringMatching(/^uga_\w{38}$/),
    });
    expect(linesOf(rotated.stdout)).toHaveLength(1);
    const url = ['--url', 'https://receiver.example/'];
    const endpoint = parse((await cli('webhook', 'create', ...url, '-o', 'ndjson')).stdout);
    expect(endpoint).toMatchObject({ url: url[1], secret: expect.stringMatching(/^whsec_/) });
    const key = parse((await cli('keys', 'create', 'k7', '-o', 'ndjson')).stdout);
    expect(key).toEqual({ id: 'k7', key: expect.stringMatching(/^k7:\S{44}$/) });
  });

  test('a table has at most 120 columns: only long cells are cut, and one object is printed whole', async () => {
    const name = `${'漢'.repeat(200)}\u202e`;
    const url = `https://receiver.example/${LONG}`;
    expect((await cli('token', 'create', '--name', LONG, '--scopes', 'all')).code).toBe(0);
    expect(
      (await cli('token', 'create', '--name', 'some', '--scopes', 'registry:read,audit:read')).code,
    ).toBe(0);
    const created = await cli(
      'schema',
      'create',
      '--provided-id',
      LONG,
      '--name',
      name,
      '-o',
      'ndjson',
    );
    expect((await cli('webhook', 'create', '--url', url)).code).toBe(0);
    for (const command of ['token', 'schema', 'webhook', 'workspace', 'audit']) {
      const { stdout } = await cli(command, 'list');
      for (const line of linesOf(stdout)) expect(widthOf(line)).toBeLessThanOrEqual(MAX_WIDTH);
    }
    const tokens = (await cli('token', 'list')).stdout;
    expect(tokens).toMatch(/^\d+ +x+… +\w{4} +active +all +- +-$/m);
    expect(tokens).toMatch(/ +some +\w{4} +active +registry:read,audit/);
    expect((await cli('schema', 'list')).stdout).toMatch(/ x+… +漢+… +\d{4}-\S+Z +\d{4}-\S+Z$/m);
    const shown = linesOf(
      (await cli('schema', 'show', String(parse(created.stdout)['id']))).stdout,
    );
    for (const line of shown) expect(widthOf(line)).toBeLessThanOrEqual(MAX_WIDTH);
    const whole = shown.map((line) => line.slice('provided_id  '.length)).join('');
    expect(whole).toContain(LONG);
    expect(whole).toContain(`${'漢'.repeat(200)}\\u202e`);
  });

  test('a list of objects has a line for each, without what is null', async () => {
    await cli('group', 'create', 'listed', '--name', 'Listed');
    const variables = [
      { name: 'region', type: 'string', required: true },
      { name: 'plan', type: 'string', required: false, default: 'free' },
    ];
    await cli('workspace', 'update', '--variables', JSON.stringify(variables));
    const { stdout } = await cli('group', 'view', 'listed');
    expect(linesOf(stdout)).toEqual(
      expect.arrayContaining([
        'reasons        code: required, pointer: /properties/region, detail: The workspace requires every user group to have this',
        'variables      name: region, type: string, origin: none, declared: true, required: true',
        '               name: plan, type: string, origin: default, declared: true, required: false',
      ]),
    );
  });
});

/** Columns of a terminal. */
function widthOf(line: string): number {
  return Array.from(line).reduce((sum, character) => sum + (character === '漢' ? 2 : 1), 0);
}

test('a database that is away is code 5, and one line', async () => {
  const DATABASE_URL = 'postgres://nobody:secret@127.0.0.1:1/none';
  const TOKEN_ENCRYPTION_KEYS = keyList('k1');
  const { code, stdout, stderr } = await runCli(
    { DATABASE_URL, TOKEN_ENCRYPTION_KEYS },
    'token',
    'list',
  );
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toMatch(
    /^user-group-service: The PostgreSQL of DATABASE_URL cannot be used: .*ECONNREFUSED.*\n$/m,
  );
  expect(stderr).not.toContain('secret');
});

test('what keeps the embedded database from being used is code 5', async () => {
  const { code, stderr } = await runCli({ DATA_DIR: '/dev/null/data' }, 'token', 'list');
  expect([code, stderr]).toEqual([
    5,
    expect.stringMatching(/^user-group-service: DATA_DIR [^\n]+\n$/),
  ]);
});
