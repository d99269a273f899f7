import { randomBytes } from 'node:crypto';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import type { Scope } from '../../src/platform/common/access/caller.ts';
import { type Answer, NDJSON } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { noteForeignToken, noteTokens } from '../support/jest/leaks.ts';
import { IMPORT, importGroups, linesOf, toLines } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';

/** A token as another system may have issued it. */
function foreignToken(): string {
  const token = `legacy-${randomBytes(30).toString('hex').slice(0, 38)}`;
  noteForeignToken(token);
  return token;
}

function ownToken(): string {
  const token = generateToken('ugt');
  noteTokens(token);
  return token;
}

onEachDatabase((kind) => {
  const service = withService(kind);

  const send = (body: unknown, headers: Record<string, string> = NDJSON, query = '') =>
    service.api.call('POST', IMPORT + query, body, headers);
  const tokenOf = async (user_group_id: string) =>
    (await service.api.get({ user_group_id })).body.user_group.token;

  test('new groups are numbered in the order of their lines', async () => {
    const groups = Array.from({ length: 1600 }, (_, line) => {
      // Some batches take longer to check than the next.
      const isLarge = line % 400 < 200;
      const properties = { text: 'x'.repeat(isLarge ? 2000 : 0) };
      return { user_group_id: `numbered ${line}`, name: 'N', properties };
    });
    const lines = linesOf(await send(toLines(...groups))).slice(0, -1);
    const ids = lines.map(({ team_id }) => team_id);
    expect(lines.map(({ provided_id }) => provided_id)).toEqual(
      groups.map(({ user_group_id }) => user_group_id),
    );
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect(new Set(ids).size).toBe(groups.length);
  });

  test('each line is answered in order with what it did, and the summary counts', async () => {
    await service.api.put({ user_group_id: 'known', name: 'Known' });
    await service.api.put({ user_group_id: 'same', name: 'Same', mapping: { s: 1 } });
    const answer = await send(
      toLines(
        { user_group_id: 'new', name: 'New', mapping: { s: 'x' }, properties: { a: [1] } },
        { user_group_id: 'known', name: 'Renamed' },
        { user_group_id: 'same', mapping: { s: 1 } },
        { user_group_id: 'nameless' },
      ),
    );
    expect([
      answer.status,
      answer.headers['content-type'],
      answer.headers['cache-control'],
    ]).toEqual([200, 'application/x-ndjson', 'no-store, no-transform']);
    const id = expect.any(Number);
    expect(linesOf(answer)).toEqual([
      { line: 1, success: 1, provided_id: 'new', result: 'created', team_id: id },
      { line: 2, success: 1, provided_id: 'known', result: 'updated', team_id: id },
      { line: 3, success: 1, provided_id: 'same', result: 'unchanged', team_id: id },
      {
        line: 4,
        success: 0,
        provided_id: 'nameless',
        status: 422,
        code: 'validation_failed',
        detail: 'The user group is new, so the field name is required.',
        errors: [
          {
            pointer: '/name',
            code: 'required',
            detail: 'The user group is new, so the field name is required.',
          },
        ],
      },
      {
        summary: {
          created: 1,
          updated: 1,
          unchanged: 1,
          failed: 1,
          tokens_replaced: 0,
          complete: true,
        },
      },
    ]);
    const { body } = await service.api.get({ user_group_id: 'new', properties: { a: [1] } });
    expect(body.user_group).toMatchObject({ name: 'New', properties: { a: [1] } });
    expect(await service.api.introspect(body.user_group.token)).toMatchObject({
      mapping: { s: 'x' },
    });
  });

  test('an import that is repeated changes nothing and writes no event', async () => {
    const groups = [
      { user_group_id: 'twice', name: 'T', properties: { a: 1 }, token: foreignToken() },
      { user_group_id: 'twice too', name: 'T', suspended: true },
    ];
    expect((await importGroups(service.api, ...groups)).at(-1)!.summary).toMatchObject({
      created: 2,
    });
    const events = await countEvents();
    expect((await importGroups(service.api, ...groups)).at(-1)!.summary).toEqual({
      created: 0,
      updated: 0,
      unchanged: 2,
      failed: 0,
      tokens_replaced: 0,
      complete: true,
    });
    expect(await countEvents()).toBe(events);
  });

  const countEvents = async () =>
    (await service.query<{ id: number }>('SELECT id FROM audit_event')).length;

  test.each([
    ['a token of another system', foreignToken],
    ['a token of this service', ownToken],
  ])('%s is kept: it is answered, introspected and rotated', async (name, create) => {
    const token = create();
    const [line] = await importGroups(service.api, { user_group_id: name, name, token });
    expect(line).toMatchObject({ result: 'created' });
    expect(await tokenOf(name)).toBe(token);
    expect(await service.api.introspect(token)).toMatchObject({ active: true, sub: name });
    const rotated = await service.api.post({ current_token: token });
    expect([rotated.status, rotated.body.user_group.provided_id]).toEqual([200, name]);
    expect(rotated.body.user_group.token).toMatch(/^ugt_/);
    expect(await service.api.introspect(token)).toEqual({ active: false });
  });

  test('another token for a known group ends the old one, as a rotation without an overlap', async () => {
    const { body } = await service.api.put({ user_group_id: 'retokened', name: 'R' });
    const token = foreignToken();
    const [line] = await importGroups(service.api, { user_group_id: 'retokened', token });
    expect(line).toMatchObject({ success: 1, result: 'updated' });
    expect(await service.api.introspect(body.user_group.token)).toEqual({ active: false });
    expect(await service.api.introspect(token)).toMatchObject({ active: true });
    const { body: list } = await service.api.call('GET', '/api/v1/user-groups/retokened/tokens');
    expect(list.tokens.map(({ state, last_four }) => [state, last_four])).toEqual([
      ['current', token.slice(-4)],
      ['replaced', body.user_group.token.slice(-4)],
    ]);
    const audit = await service.api.call(
      'GET',
      '/api/v1/audit-events?object_id=retokened&types=user_group_token.rotate',
    );
    expect(audit.body.audit_events).toMatchObject([
      {
        before: { generation: 1 },
        after: { generation: 2 },
        details: { import: true, grace_period_seconds: 0 },
      },
    ]);
  });

  test('a token that is or was that of a group of the workspace is refused in the same words', async () => {
    const other = (await service.api.put({ user_group_id: 'other', name: 'O' })).body.user_group;
    const ended = (await service.api.put({ user_group_id: 'ended', name: 'E' })).body.user_group;
    await service.api.post({ current_token: ended.token });
    const fresh = foreignToken();
    const lines = [
      ...(await importGroups(
        service.api,
        { user_group_id: 'ended', name: 'changed', token: other.token },
        { user_group_id: 'nobody', name: 'changed', token: other.token },
        { user_group_id: 'taker', name: 'T', token: fresh },
        { user_group_id: 'late taker', name: 'T', token: fresh },
      )),
      ...(await importGroups(
        service.api,
        { user_group_id: 'ended', name: 'changed', token: ended.token },
        { user_group_id: 'nobody', name: 'changed', token: ended.token },
      )),
    ];
    const refusals = lines.filter(({ success }) => success === 0);
    expect(refusals).toHaveLength(5);
    for (const words of refusals.map((line) => ({
      ...line,
      line: undefined,
      provided_id: undefined,
    }))) {
      expect(words).toEqual({
        success: 0,
        status: 409,
        code: 'token_not_usable',
        detail: expect.any(String),
      });
      expect(words).toEqual({ ...refusals[0], line: undefined, provided_id: undefined });
    }
    expect((await service.api.get({ user_group_id: 'nobody' })).status).toBe(404);
    expect((await service.api.get({ user_group_id: 'ended' })).body.user_group.name).toBe('E');
    expect(await service.api.introspect(other.token)).toMatchObject({ active: true });
  });

  test('setting a token needs the scope to rotate, for a new group as for a known one', async () => {
    const scopes: Scope[] = ['user-groups:write', 'user-groups:read'];
    const writer = service.clientOf(await service.issueToken(scopes));
    const rotator = service.clientOf(await service.issueToken([...scopes, 'tokens:rotate']));
    const token = foreignToken();
    const [created] = await importGroups(rotator, { user_group_id: 'known', name: 'W', token });
    expect(created).toMatchObject({ success: 1 });
    const lines = await importGroups(
      writer,
      { user_group_id: 'new one', name: 'W', token: foreignToken() },
      { user_group_id: 'known', name: 'changed', token: foreignToken() },
      { user_group_id: 'without', name: 'W' },
    );
    for (const refused of lines.slice(0, 2)) {
      expect(refused).toMatchObject({ status: 403, code: 'insufficient_scope' });
      expect(refused.detail).toContain('"tokens:rotate"');
    }
    // The token that the group has already is not set.
    expect(lines[2]).toMatchObject({ result: 'created' });
    const [same] = await importGroups(writer, { user_group_id: 'known', name: 'W2', token });
    expect(same).toMatchObject({ result: 'updated' });
    expect(await tokenOf('known')).toBe(token);
    expect((await service.api.get({ user_group_id: 'new one' })).status).toBe(404);
  });

  test('deleting a group and importing it again does not bring back a token that a rotation ended', async () => {
    const scopes: Scope[] = ['user-groups:write', 'user-groups:read'];
    const writer = service.clientOf(await service.issueToken(scopes));
    const { token } = (await service.api.put({ user_group_id: 'leaked', name: 'L' })).body
      .user_group;
    await service.api.post({ current_token: token });
    expect((await writer.call('DELETE', '/api/v1/user-groups/leaked')).status).toBe(200);
    const [line] = await importGroups(writer, { user_group_id: 'leaked', name: 'L', token });
    expect(line).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(await service.api.introspect(token)).toEqual({ active: false });
  });

  test('an import that is sent twice at once refuses no line', async () => {
    for (let round = 1; round <= 3; round++) {
      const lines = Array.from({ length: 40 }, (_, number) => {
        const token = randomBytes(20).toString('hex');
        noteForeignToken(token);
        return { user_group_id: `twice ${round} ${number}`, name: 'Twice', token };
      });
      const results = await Promise.all([
        importGroups(service.api, ...lines),
        importGroups(service.api, ...lines),
      ]);
      const kinds = results.flat().map((line) => ('result' in line ? line.result : line));
      expect(kinds.filter((kind) => kind === 'created')).toHaveLength(lines.length);
      expect(kinds.filter((kind) => kind === 'unchanged')).toHaveLength(lines.length);
    }
  });

  test('a suspended group is imported as one, and resumed by an import', async () => {
    const token = foreignToken();
    const group = { user_group_id: 'paused', name: 'P', token };
    await importGroups(service.api, { ...group, suspended: true });
    expect(await service.api.introspect(token)).toEqual({ active: false });
    await importGroups(service.api, { ...group, name: 'P2' });
    expect(await service.api.introspect(token)).toEqual({ active: false });
    const [line] = await importGroups(service.api, { ...group, suspended: false });
    expect(line!.result).toBe('updated');
    expect(await service.api.introspect(token)).toMatchObject({ active: true, name: 'P' });
  });

  test.each([
    ['too short', 'x'.repeat(19), 'not_acceptable'],
    ['too long', 'x'.repeat(256), 'not_acceptable'],
    ['with a space', `${'x'.repeat(20)} `, 'not_acceptable'],
    ['not ASCII', 'é'.repeat(20), 'not_acceptable'],
    ['with a line feed', `${'x'.repeat(20)}\n`, 'not_acceptable'],
    ['of an API', `uga_${'0'.repeat(38)}`, 'not_acceptable'],
    ['with a wrong checksum', `ugt_${'0'.repeat(38)}`, 'not_acceptable'],
    ['no text', 7, 'type'],
    ['null', null, 'type'],
  ])('a token %s is refused', async (_name, token, code) => {
    const [line] = await importGroups(service.api, { user_group_id: 'bad', name: 'B', token });
    expect(line).toMatchObject({ status: 422, errors: [{ pointer: '/token', code }] });
  });

  test('a hostile line is refused with the code it would get by PUT, and costs no other line anything', async () => {
    const hostile: [string | Buffer, number, string][] = [
      [Buffer.from([0x7b, 0xff, 0x7d]), 400, 'body_not_utf8'],
      ['{"user_group_id":"h","name":"\\u0000"}', 422, 'validation_failed'],
      [Buffer.from('{"user_group_id":"h","name":"\0"}'), 400, 'json_malformed'],
      ['{"user_group_id":"h","name":"\\ud800"}', 422, 'validation_failed'],
      ['{"user_group_id":"h","user_group_id":"i","name":"n"}', 400, 'json_duplicate_key'],
      [`{"user_group_id":"h","name":"${'x'.repeat(1024 * 1024)}"}`, 413, 'body_too_large'],
      ['['.repeat(5000), 422, 'validation_failed'],
      [
        `{"user_group_id":"h","name":"n","properties":${'{"a":'.repeat(17)}1${'}'.repeat(17)}}`,
        422,
        'validation_failed',
      ],
      ['[{"user_group_id":"h","name":"n"}]', 422, 'validation_failed'],
      [
        '{"user_group_id":"h","name":"n","properties":{"n":9007199254740993}}',
        422,
        'validation_failed',
      ],
      ['{"user_group_id":"h","name":"n"', 400, 'json_malformed'],
      ['{"user_group_id":"h","name":"n"}{}', 400, 'json_malformed'],
      ['{"user_group_id":"h","name":"n","suspended":1}', 422, 'validation_failed'],
      ['null', 422, 'validation_failed'],
      ['\u00a0', 400, 'json_malformed'],
    ];
    const good = (index: number) => toLines({ user_group_id: `good ${index}`, name: 'G' });
    const body = Buffer.concat(
      hostile.flatMap(([line], index) => [Buffer.from(line), Buffer.from(`\n${good(index)}`)]),
    );
    const lines = linesOf(await send(body));
    expect(lines).toHaveLength(2 * hostile.length + 1);
    for (const [index, [, status, code]] of hostile.entries()) {
      const [refused, stored] = lines.slice(2 * index, 2 * index + 2);
      expect(refused).toMatchObject({ line: 2 * index + 1, success: 0, status, code });
      expect(stored).toMatchObject({ line: 2 * index + 2, success: 1, result: 'created' });
    }
    expect(lines.at(-1)!.summary).toMatchObject({ failed: hostile.length, complete: true });
    expect((await service.api.get({ user_group_id: 'h' })).status).toBe(404);
  });

  test('blank lines, CRLF, a missing last line end and the last line of an export are taken', async () => {
    const group = (id: string) => JSON.stringify({ user_group_id: id, name: 'L' });
    const answer = await send(
      `\r\n${group('crlf')}\r\n\n  \t\n{"summary":{"exported":1}}\n${group('last')}`,
    );
    expect(linesOf(answer)).toEqual([
      expect.objectContaining({ line: 2, provided_id: 'crlf' }),
      expect.objectContaining({ line: 6, provided_id: 'last' }),
      { summary: expect.objectContaining({ created: 2, complete: true }) },
    ]);
  });

  test.each<[string, unknown, Record<string, string>, number, string]>([
    ['a JSON body', '{}', { 'Content-Type': 'application/json' }, 415, 'media_type_unsupported'],
    [
      'latin1',
      '{}',
      { 'Content-Type': 'application/x-ndjson; charset=latin1' },
      415,
      'media_type_unsupported',
    ],
    ['gzip', '{}', { ...NDJSON, 'Content-Encoding': 'gzip' }, 415, 'media_type_unsupported'],
  ])('%s is refused as a whole', async (_name, body, headers, status, code) => {
    for (const chunked of [false, true]) {
      const answer = await service.api.send({
        method: 'POST',
        path: IMPORT,
        body,
        headers,
        chunked,
      });
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
  });

  test('a misspelt field is refused, and a refused line names its group where it can be read', async () => {
    const line = { user_group_id: 'misspelt', name: 'M', tokn: foreignToken() };
    const [refused] = await importGroups(service.api, line);
    expect(refused).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/tokn', code: 'unknown' }],
    });
    const [taken] = await importGroups(service.api, { user_group_id: 'nameless' });
    expect(taken).toMatchObject({ provided_id: 'nameless', status: 422 });
  });

  test('only refusals and the summary are answered if that is asked for', async () => {
    const body = toLines({ user_group_id: 'quiet', name: 'Q' }, { user_group_id: '' });
    const lines = linesOf(await send(body, NDJSON, '?results=failed'));
    expect(lines).toEqual([
      expect.objectContaining({ line: 2, status: 422 }),
      { summary: expect.objectContaining({ created: 1, failed: 1, complete: true }) },
    ]);
    const wrong = await send(body, NDJSON, '?results=none');
    expect([wrong.status, wrong.body.code]).toEqual([422, 'validation_failed']);
  });

  test('each change has its event, which says that it was imported', async () => {
    await importGroups(service.api, { user_group_id: 'audited', name: 'A', suspended: true });
    await importGroups(service.api, { user_group_id: 'audited', name: 'B', suspended: false });
    const { body } = await service.api.call('GET', '/api/v1/audit-events?object_id=audited');
    expect(body.audit_events).toMatchObject([
      { action: 'user_group.resume', details: { import: true } },
      {
        action: 'user_group.update',
        before: { name: 'A' },
        after: { name: 'B' },
        details: { import: true },
      },
      {
        action: 'user_group.create',
        after: { name: 'A', suspended: true },
        details: { import: true },
      },
    ]);
  });

  test('imports and PUTs of the same groups at the same time leave each as one of them had it', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `raced ${index}`);
    const write = (version: string, order: string[]) =>
      importGroups(
        service.api,
        ...order.map((id) => ({ user_group_id: id, name: version, properties: { version } })),
      );
    // A 503 asks to be repeated: on a busy machine a lock may be waited for too long.
    const put = async (id: string): Promise<Answer> => {
      const group = { user_group_id: id, name: 'put', properties: { version: 'put' } };
      const answer = await service.api.put(group);
      return answer.status === 503 ? put(id) : answer;
    };
    const answers = await Promise.all([
      write('one', ids),
      write('two', ids.toReversed()),
      ...ids.map(put),
    ]);
    for (const answer of answers) {
      if (Array.isArray(answer)) {
        expect(answer.at(-1)!.summary).toMatchObject({ failed: 0, complete: true });
      } else expect(answer.status).toBe(200);
    }
    const rows = await service.query<{ name: string; properties: string }>(
      `SELECT name, properties FROM user_group WHERE provided_id LIKE 'raced %'`,
    );
    expect(rows).toHaveLength(20);
    for (const { name, properties } of rows) {
      expect(JSON.parse(properties)).toEqual({ version: name });
    }
  });

  test('of two imports that give one token to two groups one is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const token = foreignToken();
      const lines = await Promise.all(
        ['a', 'b'].map(async (side) => {
          const group = { user_group_id: `token ${side} ${round}`, name: 'T', token };
          return (await importGroups(service.api, group))[0]!;
        }),
      );
      expect(lines.map(({ success }) => success).sort()).toEqual([0, 1]);
      expect(lines.find(({ success }) => success === 0)).toMatchObject({
        code: 'token_not_usable',
      });
    }
  });

  test('an import into one workspace does not touch a group of the same id in another', async () => {
    const own = (await service.api.put({ user_group_id: 'shared id', name: 'Own' })).body;
    const scopes: Scope[] = ['user-groups:write', 'tokens:rotate', 'user-groups:read'];
    const stranger = service.clientOf(await service.issueToken(scopes, 'strangers'));
    const [line] = await importGroups(stranger, {
      user_group_id: 'shared id',
      name: 'Theirs',
      token: foreignToken(),
    });
    expect(line!.result).toBe('created');
    expect(line!.team_id).not.toBe(own.user_group.team_id);
    const after = await service.api.get({ user_group_id: 'shared id' });
    expect(after.body.user_group).toEqual(own.user_group);
  });
});
