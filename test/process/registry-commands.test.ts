import { onEachDatabase } from '../support/database/databases.ts';
import { runCli } from '../support/process/processes.ts';
import { withService } from '../support/test-service.ts';

interface Answer {
  body: Record<string, unknown>;
}

onEachDatabase((kind) => {
  const service = withService(kind);

  const cli = (...args: string[]) => runCli(service.database.env, ...args);
  const lines = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  test.each([
    ['schema', '/api/v1/schemas', 'schema'],
    ['data-source', '/api/v1/data-sources', 'data_source'],
  ])('%s does what the API does', async (command, path, field) => {
    const created = await cli(command, 'create', '--provided-id', 'one', '--name', 'The one');
    expect([created.code, created.stderr]).toEqual([0, '']);
    const fields = Object.fromEntries(lines(created.stdout)) as Record<string, string>;
    expect(fields).toMatchObject({ provided_id: 'one', name: 'The one' });
    const { id } = fields;
    const [head, row] = lines((await cli(command, 'list')).stdout);
    expect(head).toEqual(['ID', 'PROVIDED ID', 'NAME', 'CREATED', 'CHANGED']);
    expect(row!.slice(0, 3)).toEqual([id, 'one', 'The one']);

    const again = await cli(command, 'create', '--provided-id', 'one', '--name', 'Another');
    expect([again.code, again.stdout]).toEqual([4, '']);
    expect(again.stderr).toMatch(/^user-group-service: [^\n]+\n$/);

    // A caller may choose characters on which a terminal would act.
    const name = 'Escape \u001b[2J\u009b';
    expect((await service.api.call('PATCH', `${path}/${id}`, { name })).status).toBe(200);
    expect((await cli(command, 'list')).stdout).toContain('Escape \\u001b[2J\\u009b ');
    const escaped = (await cli(command, 'show', id!, '--output', 'ndjson')).stdout;
    expect(escaped).toContain('"Escape \\u001b[2J\\u009b"');
    expect(JSON.parse(escaped)).toMatchObject({ name });
    expect((await cli(command, 'update', id!, '--name', 'Renamed')).code).toBe(0);
    const { body } = (await service.api.call('GET', `${path}/${id}`)) as unknown as Answer;
    const shown = await cli(command, 'show', id!, '--output', 'json');
    expect(JSON.parse(shown.stdout)).toEqual(body);
    expect(body[field]).toMatchObject({ provided_id: 'one', name: 'Renamed' });
    expect(lines((await cli(command, 'list')).stdout)).toHaveLength(2);
    expect(lines((await cli(command, 'list', '--provided-id', 'two')).stdout)).toHaveLength(1);

    expect((await cli(command, 'delete', id!)).code).toBe(0);
    expect((await service.api.call('GET', `${path}/${id}`)).status).toBe(404);
    expect((await cli(command, 'delete', id!)).code).toBe(3);
  });

  test('workspace update stores what the API would, and refuses what it would', async () => {
    await cli('schema', 'create', '--provided-id', 'sales', '--name', 'Sales');
    const region = { name: 'region', type: 'string', required: true };
    const set = await cli(
      'workspace',
      'update',
      '-o',
      'json',
      '--mapping-policy',
      'registered',
      '--required-schemas',
      'sales',
      '--variables',
      JSON.stringify([region, { name: 'seats', type: 'number', default: 1 }]),
      '--embed-token-issuer',
      'https://i.example',
      '--embed-token-audiences',
      'a,b',
    );
    expect([set.code, set.stderr]).toEqual([0, '']);
    const { body } = (await service.api.call('GET', '/api/v1/workspace')) as unknown as Answer;
    expect(JSON.parse(set.stdout)).toEqual(body);
    expect(body['workspace']).toMatchObject({
      mapping_policy: 'registered',
      variables: [
        { ...region, is_secret: false },
        { name: 'seats', type: 'number', default: 1, required: false, is_secret: false },
      ],
      required_schemas: ['sales'],
      embed_token_issuer: 'https://i.example',
      embed_token_audiences: ['a', 'b'],
    });
    for (const [pointer, ...wrong] of [
      ['/mapping_policy', '--mapping-policy', 'closed'],
      ['/variables/0/name', '--variables', '[{}]'],
      ['/required_schemas/0', '--required-schemas', 'unknown'],
    ]) {
      const refused = await cli('workspace', 'update', ...wrong);
      expect([refused.code, refused.stdout]).toEqual([4, '']);
      expect(refused.stderr).toMatch(new RegExp(`^user-group-service: ${pointer}: [^\\n]+\\n`));
    }
    // The refusal names each field, and in place of a control character its number.
    const variables = JSON.stringify([
      { name: 'one', type: 'string', required: true },
      { name: 'two', type: 'number', required: true },
      { name: 'thr\u001bee', type: 'boolean', required: true },
    ]);
    const named = await cli('workspace', 'create', 'named', '-o', 'json');
    expect(named.code).toBe(0);
    const inNamed = ['--workspace', 'named'];
    const declared = await cli(
      'workspace',
      'update',
      'named',
      '--variables',
      variables.replace('\\u001b', ''),
    );
    expect([declared.code, declared.stderr]).toEqual([0, '']);
    const refused = await cli('group', 'create', 'g1', '--name', 'G', ...inNamed);
    expect([refused.code, refused.stdout]).toEqual([4, '']);
    const lines = refused.stderr.trimEnd().split('\n');
    expect(lines.map((line) => /\/\S+(?=: )/.exec(line)?.[0])).toEqual([
      '/properties/one',
      '/properties/two',
      '/properties/three',
    ]);
    expect(lines[1]).toMatch(/of the type number\.$/);
    const escaped = await cli(
      'group',
      'create',
      'g1',
      '--name',
      'G',
      ...inNamed,
      '--mapping',
      '{"\\u001b[2J":true}',
    );
    expect(escaped.stderr).toContain('/mapping/\\u001b[2J: ');
    expect(escaped.stderr).not.toContain('\u001b');
    const cleared = await cli(
      'workspace',
      'update',
      '-o',
      'ndjson',
      '--mapping-policy',
      'open',
      '--required-schemas',
      '',
      '--variables',
      '[]',
      '--embed-token-issuer',
      'default',
    );
    expect(JSON.parse(cleared.stdout)).toMatchObject({
      mapping_policy: 'open',
      variables: [],
      required_schemas: [],
      embed_token_issuer: null,
      embed_token_audiences: ['a', 'b'],
    });
    expect(JSON.parse((await cli('workspace', 'show', '--output', 'ndjson')).stdout)).toEqual(
      JSON.parse(cleared.stdout),
    );
  });

  test('a scope that there is not is named', async () => {
    const { code, stderr } = await cli('token', 'create', '--name', 't', '--scopes', 'audit:raed');
    expect(code).toBe(2);
    expect(stderr).toMatch(/"audit:raed" is no scope; use "all", or a list of user-groups:read,/);
  });
});
