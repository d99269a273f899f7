import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import {
  BOOTSTRAP_TOKEN,
  runCli,
  type RunningServer,
  startServer,
} from '../support/process/processes.ts';
import { PlanCalls } from './plan-calls.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Values that look like others in YAML. */
const HOSTILE = JSON.parse(
  '{"no":"no","yes":"on","e":"1e3","n":1e21,"date":"2030-01-01","time":"2030-01-01T00:00:00Z","null":null,"nul":"null","big":9007199254740991,"text":"9007199254740993","hex":"0x10","__proto__":{"a":"~"},"<<":"*a","unicode":"\\u2028\\ud83d\\ude00\\u0085","space":"  a: b # c\\n\\n- d\\t","empty":{},"list":[],"sexagesimal":"12:30"}',
) as object;

onEachDatabase((kind) => {
  let database: TestDatabase;
  let server: RunningServer;
  beforeAll(async () => {
    database = await createTestDatabase(kind);
    server = await startServer(database.env);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const cli = (...args: string[]) => runCli(database.env, 'group', ...args);
  const file = (name: string, text: string) => {
    const path = join(temporaryDirectory(), name);
    writeFileSync(path, text);
    return path;
  };

  test('a dry run shows the differences and exits with 2, an apply stores them, and then there is nothing to do', async () => {
    const path = file(
      'groups.yaml',
      '- provided_id: cli-1\n  name: One\n  properties: {plan: trial}\n- provided_id: cli-2\n  name: Two\n',
    );
    const apply = (...options: string[]) => cli('apply', '-f', path, '--set', 'cli', ...options);
    const dry = await apply('--dry-run');
    expect([dry.code, dry.stdout]).toEqual([
      2,
      `+ create "cli-1" (One)  ${path}:1\n+ create "cli-2" (Two)  ${path}:4\n2 to create, 0 to update, 0 to suspend, 0 to delete, 0 unchanged.\n`,
    ]);
    expect(await apply()).toMatchObject({ code: 0, stderr: 'Applied.\n' });
    expect(await apply('--dry-run')).toMatchObject({
      code: 0,
      stdout: '0 to create, 0 to update, 0 to suspend, 0 to delete, 2 unchanged.\n',
    });
    writeFileSync(path, '- provided_id: cli-1\n  name: One\n  properties: {plan: team}\n');
    const changed = await apply('--dry-run', '--prune');
    expect([changed.code, changed.stdout]).toEqual([
      2,
      `~ update "cli-1" (One)  ${path}:1\n    /properties/plan: "trial" -> "team"\n- suspend "cli-2" (Two)\n0 to create, 1 to update, 1 to suspend, 0 to delete, 0 unchanged.\n`,
    ]);
    const json = await apply('--prune', '--output', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      user_group_plan: { set: 'cli', counts: { update: 1, suspend: 1 } },
    });
  });

  test.each([
    ['yaml', ['--yaml']],
    ['ndjson', []],
  ])(
    'an export of a set as %s is applied without a difference, whatever its values are',
    async (extension, options) => {
      const set = `round-${extension}`;
      const line = {
        provided_id: `${set} 1e3`,
        name: 'no',
        mapping: { 42: '42', null: 7 },
        properties: HOSTILE,
      };
      await new PlanCalls(server.api).carryOut(`set=${set}`, line, {
        provided_id: `${set}: null`,
        name: '2030-01-01',
        valid_until: '2050-01-01T00:00:00Z',
        suspended: true,
      });
      const path = join(temporaryDirectory(), `export.${extension}`);
      expect(await cli('export', path, '--set', set, ...options)).toMatchObject({ code: 0 });
      const text = readFileSync(path, 'utf8');
      expect(text).not.toContain('ugt_');
      const dry = ['--set', set, '--prune', '--dry-run'];
      expect(await cli('apply', '--file', path, ...dry)).toMatchObject({ code: 0 });
      // Standard output has the same.
      const printed = await cli('export', '--set', set, ...options);
      const copy = file('copy', printed.stdout);
      expect(await cli('apply', '--file', copy, ...dry)).toMatchObject({ code: 0 });
      if (extension === 'yaml') return;
      const first = JSON.parse(text.split('\n')[0]!) as object;
      const array = file('array.json', JSON.stringify([first], null, 2));
      expect(await cli('apply', '-f', array, '--set', set, '--dry-run')).toMatchObject({ code: 0 });
    },
  );

  test('faults of files are named with file and line, and no misspelt option looks like differences', async () => {
    const path = file(
      'faulty.yaml',
      '- provided_id: a\n  name: A\n\n- provided_id: b\n  nmae: B\n  token: legacy-0123456789012345\n',
    );
    const refused = await cli('apply', '-f', path, '--dry-run');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`${path}:4: /nmae: This field is unknown.`);
    expect(refused.stderr).toContain(`${path}:4: /token: A plan takes no token`);
    expect(refused.stderr).toMatch(/: The files have 3 faults\.\n$/);
    const many = Array.from({ length: 25 }, (_, n) => ({ provided_id: `many-${n}`, nmae: '' }));
    const bounded = await cli('apply', '-f', file('many.json', JSON.stringify(many)), '--dry-run');
    expect(bounded.stderr).toMatch(/: The files have 20 faults or more\.\n$/);
    expect(refused.stderr).not.toContain('legacy-');
    const twice = file('twice.yaml', '- provided_id: a\n  name: A\n- provided_id: a\n  name: A\n');
    expect(await cli('apply', '-f', twice)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${twice}:3: The group "a" is also at ${twice}:1.`),
    });
    const deep = file('deep.yaml', `provided_id: a\nproperties: ${'['.repeat(20_000)}`);
    expect(await cli('apply', '-f', deep, '--dry-run')).toMatchObject({
      code: 1,
      stderr: `user-group-service: ${deep}:2: It is nested deeper than 64 levels.\n`,
    });
    expect((await cli('apply', '-f', path, '--dryrun')).code).toBe(1);
    expect((await cli('apply', '--dry-run')).code).toBe(1);
    expect((await cli('apply', '-f', join(path, 'missing'))).code).toBe(1);
    expect((await cli('apply', '-f', file('set.yaml', ''), '--set', 'a b')).code).toBe(4);
  });

  test('a conflict is shown and refused, also by a dry run, until the group is adopted', async () => {
    await server.api.put({ user_group_id: 'by-hand', name: 'Hand' });
    const path = file('adopt.json', '{"provided_id":"by-hand","name":"Hand"}');
    const apply = (...options: string[]) => cli('apply', '-f', path, '--set', 'adopt', ...options);
    const dry = await apply('--dry-run');
    expect([dry.code, dry.stdout.split('\n')[0]]).toEqual([
      4,
      `! conflict "by-hand" belongs to no set  ${path}:1`,
    ]);
    expect((await apply()).code).toBe(4);
    expect((await apply('--adopt')).code).toBe(0);
    expect((await apply('--dry-run')).code).toBe(0);
  });

  test('a service elsewhere is called with an API token, and its refusals are named', async () => {
    const token = file('token', `${BOOTSTRAP_TOKEN}\n`);
    const path = file('remote.yaml', '- provided_id: remote\n  name: Remote\n');
    // Neither database nor keys.
    const remote = (...options: string[]) =>
      runCli(
        {},
        'group',
        'apply',
        '-f',
        path,
        '--set',
        'remote',
        '--url',
        server.baseUrl,
        ...options,
      );
    const withToken = ['--api-token-file', token];
    expect((await remote(...withToken, '--dry-run')).code).toBe(2);
    expect(await remote(...withToken)).toMatchObject({ code: 0, stderr: 'Applied.\n' });
    expect((await remote(...withToken, '--dry-run')).code).toBe(0);
    expect((await remote('--dry-run')).code).toBe(1);
    const wrong = await remote('--api-token-file', file('wrong', 'uga_wrong'));
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('401')]);
    writeFileSync(path, '- provided_id: remote\n');
    expect(await remote(...withToken, '--dry-run')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`${path}:1: /name: The field name is required.`),
    });
    const nobody = await runCli(
      {},
      'group',
      'apply',
      '-f',
      path,
      '--url',
      'http://127.0.0.1:1',
      ...withToken,
    );
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('cannot be reached')]);
  });
});
