import { spawn } from 'node:child_process';
import jsonwebtoken from 'jsonwebtoken';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onEachDatabase } from '../support/database/databases.ts';
import { runCli } from '../support/process/processes.ts';
import { withService } from '../support/test-service.ts';
import { ADA, bodies, OTHER_SECRET, properties, SALES, SECRET } from './target-bodies.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'src', 'cli.js');

onEachDatabase((kind) => {
  const service = withService(kind);
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'targets-'));
    await service.api.put({ user_group_id: 'acme', name: 'Acme', properties });
  });

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const cli = (...args: string[]) => runCli(service.database.env, 'target', ...args);
  const file = (content: object | string) => {
    const path = join(directory, 'definition.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const read = async (name: string) =>
    (await service.api.call('GET', `/api/v1/targets/${name}`)).body as unknown as object;

  test('a target is put, listed, shown and deleted as by the API', async () => {
    const put = await cli('put', 'bi', file(bodies.superset), '-o', 'json');
    expect([put.code, put.stderr]).toEqual([0, '']);
    expect(JSON.parse(put.stdout)).toEqual(await read('bi'));
    const [head, row] = (await cli('list')).stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(head).toEqual(['NAME', 'KIND', 'AUDIENCE', 'SECONDS', 'KEYS', 'FILTER']);
    expect(row).toEqual(['bi', 'superset', 'superset', '300', 'a', 'by the group']);
    const shown = await cli('show', 'bi');
    expect(shown.stdout).toMatch(/^name +bi$/m);
    expect(shown.stdout).toMatch(/^GUEST_TOKEN_JWT_AUDIENCE = "superset"$/m);
    expect(shown.stdout).toContain('A dataset that no filter names is shown whole');
    const setup = (await service.api.call('GET', '/api/v1/targets/bi/setup')).body;
    expect(JSON.parse((await cli('show', 'bi', '-o', 'json')).stdout)).toEqual({
      ...(await read('bi')),
      ...setup,
    });
    for (const { stdout } of [put, shown]) expect(stdout).not.toContain(SECRET);
    expect(await cli('delete', 'bi')).toMatchObject({
      code: 0,
      stderr: 'The target bi is deleted.\n',
    });
    expect((await cli('show', 'bi')).code).toBe(3);
    expect((await cli('delete', 'bi')).code).toBe(3);
  });

  test('a definition comes from standard input, too, and another one keeps its secrets', async () => {
    const child = spawn(process.execPath, [CLI, 'target', 'put', 'piped', '-'], {
      env: { PATH: process.env['PATH'], ...service.database.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(JSON.stringify(bodies.cube));
    expect(await text(child.stdout)).toMatch(/^name +piped$/m);
    const keys = [{ id: 'b', secret: OTHER_SECRET }, { id: 'a' }];
    const both = { ...bodies.cube, signing: { alg: 'HS256', keys } };
    expect((await cli('put', 'piped', file(both))).code).toBe(0);
    expect((await cli('list')).stdout).toMatch(/^piped +cube +- +300 +b,a +by the group$/m);
  });

  test.each([
    ['a definition that the API refuses', { ...bodies.cube, max_seconds: 0 }, 4, 'max_seconds'],
    ['a field that no definition has', { ...bodies.cube, secrets: 1 }, 4, 'unknown'],
    ['a text that is no JSON', `{"secret": "${SECRET}`, 4, 'JSON'],
    ['a list', [], 4, 'JSON object'],
  ])('%s is refused without showing it', async (_, content, code, words) => {
    const refused = await cli('put', 'bad', file(content));
    expect([refused.code, refused.stdout]).toEqual([code, '']);
    expect(refused.stderr).toContain(words);
    expect(refused.stderr).toMatch(/^user-group-service: [^\n]+\n$/);
    expect(refused.stderr).not.toContain(SECRET);
    expect((await cli('show', 'bad')).code).toBe(3);
  });

  test('an impossible name is refused, and one that is not there is not found', async () => {
    const named = await cli('put', 'Not a name', file(bodies.cube));
    expect([named.code, named.stderr]).toEqual([4, expect.stringContaining('1–64 of a-z')]);
    for (const command of ['show', 'delete']) {
      expect((await cli(command, 'Not a name')).code).toBe(3);
    }
    const absent = await cli('put', 'bi', join(directory, 'nothing'));
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('ENOENT')]);
    const endless = await cli('put', 'bi', '/dev/zero');
    expect([endless.code, endless.stderr]).toEqual([
      1,
      'user-group-service: The file /dev/zero is larger than 1 MiB.\n',
    ]);
    expect((await cli('token', 'none', '--group', 'acme')).code).toBe(3);
  });

  test('a token is alone on standard output, and what it has is told', async () => {
    await cli('put', 'bi', file(bodies.superset));
    const issued = await cli(
      'token',
      'bi',
      '--group',
      'acme',
      '--user',
      ADA.id,
      '--user-name',
      ADA.name,
      '--resource',
      `dashboard:${SALES.id}`,
      '--expires-in-seconds',
      '60',
    );
    expect(issued.code).toBe(0);
    const claims = jsonwebtoken.verify(issued.stdout.trim(), SECRET, { algorithms: ['HS256'] });
    expect(claims).toMatchObject({ type: 'guest', resources: [SALES] });
    const [header, told, sentence] = issued.stderr.split('\n');
    expect(header).toBe('Header: {"alg":"HS256","typ":"JWT","kid":"a"}');
    expect(told).toBe(`Claims: ${JSON.stringify(claims)}`);
    expect(sentence).toMatch(/^It cannot be revoked: nothing ends it before \d{4}-\S+Z\. .*"bi":$/);
    const { body } = await service.api.call('GET', '/api/v1/audit-events?types=target.issue');
    expect(body.audit_events[0]).toMatchObject({ details: { target: 'bi', user_id: ADA.id } });
  });

  test('JSON has the header and the claims of a token', async () => {
    await cli('put', 'cube', file(bodies.cube));
    const issued = await cli('token', 'cube', '--group', 'acme', '-o', 'json');
    expect([issued.code, issued.stderr]).toEqual([0, '']);
    expect(JSON.parse(issued.stdout)).toMatchObject({
      success: 1,
      embed_token: {
        target: 'cube',
        revocable: false,
        header: { alg: 'HS256', kid: 'a' },
        claims: { region: 'EMEA', deep: [{ n: 'acme' }] },
      },
    });
  });

  test.each([
    [['--resource', 'dashboard'], 2, 'type:id'],
    [['--resource', `chart:${SALES.id}`, '--user', 'u'], 4, 'dashboard'],
    [['--user-name', 'Ada'], 4, 'id'],
    [['--user', 'u'], 4, '/claims/resources'],
    [['--expires-in-seconds', '301'], 4, 'at most 300'],
  ])('a token with %j is refused', async (args, code, words) => {
    await cli('put', 'bi', file(bodies.superset));
    const refused = await cli('token', 'bi', '--group', 'acme', ...args);
    expect([refused.code, refused.stdout]).toEqual([code, '']);
    expect(refused.stderr).toContain(words);
  });

  test('each workspace has its own targets', async () => {
    await service.issueToken(['targets:read'], 'elsewhere');
    await cli('put', 'mine', file(bodies.cube));
    const there = ['--workspace', 'elsewhere'];
    expect((await cli('list', ...there)).stdout).not.toContain('mine');
    expect((await cli('show', 'mine', ...there)).code).toBe(3);
    expect((await cli('token', 'mine', '--group', 'acme', ...there)).code).toBe(3);
    expect((await cli('delete', 'mine', ...there)).code).toBe(3);
  });
});
