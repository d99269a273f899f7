import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { noteTokens } from '../support/jest/leaks.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { runCli, spawnBuilt } from '../support/process/processes.ts';
import { withService } from '../support/test-service.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'src', 'cli.js');
const TOKEN = /^ugt_\w{38}\n$/;

type Json = Record<string, unknown>;

onEachDatabase((kind) => {
  const service = withService(kind);

  const cli = (...args: string[]) => runCli(service.database.env, ...args);
  const parse = (line: string) => JSON.parse(line) as Json;
  const linesOf = (text: string) => text.trimEnd().split('\n').map(parse);
  const get = async (path: string) =>
    ((await service.api.call('GET', path)) as unknown as { body: Json }).body;

  test('a group is created once, with its token alone on standard output', async () => {
    const content = [
      '--name',
      'Acme',
      '--mapping',
      '{"sales":42}',
      '--properties',
      '{"region":"EMEA"}',
    ];
    const created = await cli('group', 'create', 'acme', ...content);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(TOKEN) });
    expect(created.stderr).toMatch(/^Token of the user group "acme" \(team_id \d+\):\n$/);
    const { body } = await service.api.put({ user_group_id: 'acme' });
    expect(body.user_group.token).toBe(created.stdout.trim());
    const shown = await cli('group', 'show', 'acme', '--output', 'json');
    expect(parse(shown.stdout)).toEqual(await get('/api/v1/user-groups/acme'));
    expect(parse(shown.stdout)['user_group']).toMatchObject({
      name: 'Acme',
      mapping: { sales: 42 },
      properties: { region: 'EMEA' },
    });
    expect(await cli('group', 'create', 'acme', '--name', 'Other')).toEqual({
      code: 4,
      stdout: '',
      stderr: 'user-group-service: The workspace has a user group of this id already.\n',
    });
    const json = parse((await cli('group', 'create', 'json', '--name', 'J', '-o', 'json')).stdout);
    expect(json).toEqual({
      success: 1,
      user_group: {
        team_id: expect.any(Number),
        token: expect.stringMatching(/^ugt_/),
        name: 'J',
        provided_id: 'json',
      },
    });
  });

  test('a group is changed as by the API: what is not given stays, and null removes', async () => {
    await cli('group', 'create', 'changed', '--name', 'C', '--mapping', '{"a":1,"b":2}');
    const [group] = linesOf(
      (
        await cli(
          'group',
          'update',
          'changed',
          '--mapping',
          '{"a":null}',
          '--properties',
          '{"x":1}',
          '-o',
          'ndjson',
        )
      ).stdout,
    );
    expect(group).toMatchObject({ name: 'C', mapping: { b: 2 }, properties: { x: 1 } });
    const emptied = await cli('group', 'update', 'changed', '--mapping', 'null', '--name', 'D');
    expect(emptied.stdout).toMatch(/^name +D$[^]*^mapping +\{\}$[^]*^properties +\{"x":1\}$/m);
    expect((await cli('group', 'suspend', 'changed')).stdout).toMatch(/^suspended_at +\d{4}-/m);
    expect((await cli('group', 'list', '--status', 'suspended')).stdout).toMatch(
      / changed +D +suspended /,
    );
    expect((await cli('group', 'resume', 'changed')).stdout).toMatch(/^suspended_at +-$/m);
    expect(await cli('group', 'delete', 'changed')).toMatchObject({
      code: 0,
      stderr: 'The user group "changed" is deleted.\n',
    });
    expect((await cli('group', 'delete', 'changed')).code).toBe(3);
    expect((await cli('group', 'history', 'changed')).stdout).toMatch(
      /^5 +\d+ .* resume +suspended +D\n4 /m,
    );
    const restored = await cli('group', 'restore', 'changed', '--state', '2', '-o', 'ndjson');
    expect(linesOf(restored.stdout)).toEqual([
      expect.objectContaining({ name: 'C', mapping: { b: 2 } }),
    ]);
    expect((await cli('group', 'restore', 'changed', '--state', '9')).code).toBe(3);
  });

  test('a group gets another id, and keeps its token', async () => {
    const token = (await cli('group', 'create', 'renamed', '--name', 'R')).stdout.trim();
    await cli('group', 'create', 'another', '--name', 'A');
    const rename = (...args: string[]) => cli('group', 'rename', ...args);
    const [group] = linesOf((await rename('renamed', 'new id', '-o', 'ndjson')).stdout);
    expect(group).toMatchObject({ provided_id: 'new id', name: 'R' });
    const shown = await get(`/api/v1/user-groups/${encodeURIComponent('new id')}`);
    expect(shown['user_group']).toEqual(group);
    expect((await service.api.put({ user_group_id: 'new id' })).body.user_group.token).toBe(token);
    expect(await rename('new id', 'new id')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^provided_id +new id$/m),
    });
    expect(await rename('renamed', 'third')).toEqual({
      code: 4,
      stdout: '',
      stderr: 'user-group-service: The user group "renamed" has the id "new id" now.\n',
    });
    expect(await rename('new id', 'another')).toEqual({
      code: 4,
      stdout: '',
      stderr: 'user-group-service: Another user group has the id "another".\n',
    });
    expect(await rename('nobody', 'third')).toMatchObject({ code: 3, stdout: '' });
    expect(await rename('new id', 'third', '--workspace', 'none')).toMatchObject({ code: 3 });
    for (const wrong of ['', 'line\nend', '..', 'x'.repeat(256)]) {
      expect(await rename('new id', wrong)).toMatchObject({ code: 4, stdout: '' });
    }
    expect((await rename('new id')).code).toBe(2);
    expect(await get(`/api/v1/user-groups/${encodeURIComponent('new id')}`)).toEqual(shown);
    // Its former id is kept for it.
    expect(await rename('new id', 'renamed')).toMatchObject({ code: 0 });
    const { audit_events: events } = (await get(
      '/api/v1/audit-events?types=user_group.rename&limit=1',
    )) as { audit_events: Json[] };
    expect(events).toMatchObject([
      {
        actor: { type: 'operator' },
        object: { type: 'user_group', id: 'renamed' },
        before: { provided_id: 'new id' },
        after: { provided_id: 'renamed' },
      },
    ]);
  });

  test('a token is rotated, and introspected from an argument or from standard input', async () => {
    const first = (
      await cli('group', 'create', 'rotated', '--name', 'R', '--mapping', '{"sales":"w"}')
    ).stdout.trim();
    const rotated = await cli('group', 'rotate', 'rotated', '--grace-period-seconds', '300');
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(TOKEN) });
    const second = rotated.stdout.trim();
    const api = await service.api.call('POST', '/api/v1/introspect', { token: second });
    const meaning = parse((await cli('introspect', second, '--output', 'json')).stdout);
    expect(meaning).toEqual(api.body);
    expect(meaning).toMatchObject({ active: true, sub: 'rotated', mapping: { sales: 'w' } });
    expect(parse((await cli('introspect', first, '-o', 'ndjson')).stdout)).toMatchObject({
      active: true,
      exp: expect.any(Number),
    });
    const last = parse((await cli('group', 'rotate', 'rotated', '-o', 'ndjson')).stdout)[
      'token'
    ] as string;
    expect((await cli('introspect', first)).stdout).toBe('active  false\n');
    const child = spawn(process.execPath, [CLI, 'introspect'], {
      env: { PATH: process.env['PATH'], ...service.database.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(`${last}\n`);
    expect(await text(child.stdout)).toMatch(/^active +true\nsub +rotated\n/);
    noteTokens(last);
    const zeros = openSync('/dev/zero', 'r');
    for (const command of ['introspect', 'inspect']) {
      const endless = spawn(process.execPath, [CLI, command], {
        env: { PATH: process.env['PATH'], ...service.database.env },
        stdio: [zeros, 'ignore', 'pipe'],
      });
      const [said, [code]] = await Promise.all([text(endless.stderr!), once(endless, 'close')]);
      expect([code, said]).toEqual([
        1,
        'user-group-service: Standard input is larger than 1 MiB.\n',
      ]);
    }
  });

  test('groups are listed with the filters, the order and the cursor of the API', async () => {
    await cli('workspace', 'create', 'many');
    for (let number = 1; number <= 5; number++) {
      const properties = JSON.stringify({ seats: number % 2 });
      const group = [`g${number}`, '--name', `Group ${number}`, '--properties', properties];
      expect((await cli('group', 'create', ...group, '--workspace', 'many')).code).toBe(0);
    }
    const list = (...args: string[]) =>
      cli('group', 'list', '--workspace', 'many', '-o', 'ndjson', ...args);
    const ids = (text: string) => linesOf(text).map(({ provided_id }) => provided_id);
    expect(ids((await list('--sort', '-name')).stdout)).toEqual(['g5', 'g4', 'g3', 'g2', 'g1']);
    const some = ['--property-name', 'seats', '--property-value', '1'];
    expect(ids((await list(...some)).stdout)).toEqual(['g1', 'g3', 'g5']);
    const part = await list('--limit', '2');
    expect(ids(part.stdout)).toEqual(['g1', 'g2']);
    const cursor = /^More follow; use --cursor (\S+)\.\n$/.exec(part.stderr)![1]!;
    const rest = await list('--cursor', cursor);
    expect([ids(rest.stdout), rest.stderr]).toEqual([['g3', 'g4', 'g5'], '']);
    const json = await list('-o', 'json', '--limit', '2');
    expect([parse(json.stdout), json.stderr]).toEqual([
      { success: 1, user_groups: expect.any(Array), has_more: true, next_cursor: cursor },
      '',
    ]);
    expect((await cli('group', 'list', '--search', 'nobody')).stdout).toMatch(
      /^TEAM ID +PROVIDED ID [^\n]+\n$/,
    );
  });

  test.each([
    [3, ['group', 'show', 'unknown'], /No user group of the workspace has this id/],
    [3, ['group', 'suspend', 'unknown'], /No user group/],
    [3, ['group', 'rotate', 'unknown'], /No user group/],
    [3, ['group', 'show', 'acme', '--workspace', 'nowhere'], /no workspace of this name/],
    [2, ['group', 'show'], /missing required argument 'id'/],
    [2, ['group', 'create', 'x'], /required option '--name <name>'/],
    [2, ['group', 'create', 'x', '--name', 'X', '--mapping', '{'], /The value is not valid JSON/],
    [2, ['group', 'create', 'x', '--name', 'X', '--mapping', '{"a":1,"a":2}'], /repeats a key/],
    [
      2,
      ['group', 'create', 'x', '--name', 'X', '--properties', '{"n":9007199254740993}'],
      /number/,
    ],
    [4, ['group', 'create', 'x', '--name', 'X', '--mapping', '[]'], /must be an object/],
    [4, ['group', 'create', '..', '--name', 'X'], /\./],
    [4, ['group', 'create', 'x', '--name', ''], /must not be empty/],
    [4, ['group', 'list', '--sort', 'colour'], /must be one of/],
    [2, ['group', 'list', '--limit', '10001'], /Use a number from 1 to 10000/],
    [4, ['group', 'list', '--cursor', 'x'], /cursor/],
    [4, ['audit', 'list', '--types', 'nothing.*'], /must match an action/],
    [4, ['audit', 'list', '--from', 'yesterday'], /RFC 3339/],
    [2, ['audit', 'list', '--search', 'x'], /'--search' needs '--workspace'/],
    [4, ['events', '--types', 'nothing.*'], /type/],
    [4, ['events', '--after', ''], /cursor/],
    [2, ['events', '--follow', '-o', 'json'], /'--follow' needs the output table or ndjson/],
  ])('code %d: %j', async (expected, args, sentence) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('the audit log is filtered in one workspace and over all of them', async () => {
    await cli('workspace', 'create', 'audited');
    await cli('group', 'create', 'watched', '--name', 'W', '--workspace', 'audited');
    const audit = (...args: string[]) => cli('audit', 'list', '-o', 'ndjson', ...args);
    const actions = (text: string) => linesOf(text).map(({ action }) => action);
    const own = await audit(
      '--workspace',
      'audited',
      '--object-type',
      'user_group',
      '--object-id',
      'watched',
    );
    expect(actions(own.stdout)).toEqual(['user_group_token.show', 'user_group.create']);
    const everywhere = await audit('--types', 'workspace.create', '--limit', '1');
    expect(linesOf(everywhere.stdout)).toMatchObject([
      { action: 'workspace.create', workspace: 'audited' },
    ]);
    expect(everywhere.stderr).toBe('More follow; use a higher --limit.\n');
    expect((await audit('--to', '2001-01-01T00:00:00Z')).stdout).toBe('');
    const found = await audit('--workspace', 'audited', '--search', 'WATCH', '--limit', '1');
    expect(actions(found.stdout)).toEqual(['user_group_token.show']);
    const cursor = /--cursor (\S+)\.\n$/.exec(found.stderr)![1]!;
    const rest = await audit('--workspace', 'audited', '--search', 'WATCH', '--cursor', cursor);
    expect(actions(rest.stdout)).toEqual(['user_group.create']);
    const table = (await cli('audit', 'list', '--types', 'workspace.*')).stdout;
    expect(table).toMatch(/^TIME +ACTION +ACTOR +OBJECT +WORKSPACE\n/);
    expect(table).toMatch(/ workspace\.create +operator +workspace ws_\w+ +audited$/m);
  });

  test('events are listed from a cursor, and followed as they happen', async () => {
    await cli('workspace', 'create', 'eventful');
    const own = ['--workspace', 'eventful'];
    await cli('group', 'create', 'e', '--name', 'E', ...own);
    const listed = parse(
      (await cli('events', '-o', 'json', '--types', 'user_group.*', ...own)).stdout,
    );
    expect(listed).toMatchObject({ events: [{ type: 'user_group.create' }], has_more: false });
    const after = ['--after', String(listed['next_cursor'])];
    expect((await cli('events', ...after, ...own)).stdout).toBe('TIME  ID  TYPE  OBJECT\n');
    const following = spawnBuilt(
      'cli.js',
      service.database.env,
      'events',
      '--follow',
      ...after,
      ...own,
    );
    let output = '';
    following.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(following.stdout, 'data');
    await cli('group', 'suspend', 'e', ...own);
    while (!output.includes('user_group.suspend')) await once(following.stdout, 'data');
    await cli('group', 'delete', 'e', ...own);
    while (!output.includes('user_group.delete')) await once(following.stdout, 'data');
    const exit = once(following, 'exit');
    following.kill('SIGINT');
    expect((await exit)[0]).toBe(130);
    const [head, ...rows] = output.trimEnd().split('\n');
    expect(head).toBe(
      'TIME                  ID                    TYPE                          OBJECT',
    );
    const columns = [head!.indexOf('ID'), head!.indexOf('TYPE'), head!.indexOf('OBJECT')];
    for (const row of rows) {
      expect(columns.map((column) => row.slice(column - 1, column + 1))).toEqual([
        ' e',
        ' u',
        ' e',
      ]);
    }
  });
});
