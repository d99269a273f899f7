import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import { NDJSON } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { noteTokens } from '../support/jest/leaks.ts';
import { IMPORT, importGroups, linesOf, toLines } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';

const MARK = '\uFEFF';
const NOTHING = { created: 0, updated: 0, unchanged: 0, failed: 0, tokens_replaced: 0 };
const SAME = { status: 422, errors: [{ pointer: '/user_group_id', code: 'repeated' }] };

onEachDatabase((kind) => {
  const service = withService(kind);

  const send = async (body: unknown, query = '') =>
    linesOf(await service.api.call('POST', IMPORT + query, body, NDJSON));
  const group = (id: string) => ({ user_group_id: id, name: 'N' });
  const tokenOf = async (user_group_id: string) =>
    (await service.api.get({ user_group_id })).body.user_group.token;
  const ownToken = () => {
    const token = generateToken('ugt');
    noteTokens(token);
    return token;
  };

  test.each([
    ['no body', undefined, false],
    ['no byte', '', true],
    ['a byte order mark', MARK, false],
    ['blank lines', '\n \r\n', false],
  ])('an import of nothing succeeds: %s', async (_name, body, chunked) => {
    const request = { method: 'POST', path: IMPORT, body, headers: NDJSON, chunked };
    const answer = await service.api.send(request);
    expect(answer.status).toBe(200);
    expect(linesOf(answer)).toEqual([{ summary: { ...NOTHING, complete: true } }]);
  });

  test('a line names its group by provided_id or by user_group_id, and by one of them', async () => {
    const lines = await importGroups(
      service.api,
      { provided_id: 'by provided_id', name: 'P' },
      { user_group_id: 'by user_group_id', name: 'U' },
      { provided_id: 'both', user_group_id: 'both', name: 'B' },
      { name: 'neither' },
      { provided_id: 'by user_group_id', name: 'again' },
    );
    expect(lines.slice(0, 5)).toMatchObject([
      { provided_id: 'by provided_id', result: 'created' },
      { provided_id: 'by user_group_id', result: 'created' },
      { status: 422, errors: [{ pointer: '/provided_id', code: 'repeated' }] },
      { status: 422, errors: [{ pointer: '/provided_id', code: 'required' }] },
      {
        status: 422,
        errors: [{ pointer: '/provided_id', code: 'repeated' }],
        provided_id: 'by user_group_id',
      },
    ]);
    for (const id of ['by provided_id', 'by user_group_id']) {
      expect(await tokenOf(id)).toMatch(/^ugt_/);
    }
    expect((await service.api.get({ user_group_id: 'both' })).status).toBe(404);
  });

  test('a byte order mark at the beginning is skipped, and is named elsewhere', async () => {
    const [first, second] = [group('marked'), group('unmarked')].map((each) => toLines(each));
    const lines = await send(`${MARK}${first}${MARK}${second}`);
    expect(lines[0]).toMatchObject({ line: 1, provided_id: 'marked', result: 'created' });
    expect(lines[1]).toMatchObject({ line: 2, code: 'json_malformed' });
    expect(lines[1]!.detail).toBe(
      'The line is not valid JSON at character 0, which is a byte order mark.',
    );
    expect(lines[2]!.summary).toMatchObject({ created: 1, failed: 1 });
    const body = await service.api.put(`${MARK}{}`);
    expect(body.body.detail).toBe(
      'The body is not valid JSON at character 0, which is a byte order mark.',
    );
  });

  test('a line of the largest size may have a byte order mark and a CR besides', async () => {
    const limit = 256 * 1024;
    const line = JSON.stringify(group('large'));
    const spaces = ' '.repeat(limit - line.length);
    const [stored] = await send(`${MARK}${line}${spaces}\r\n`);
    expect(stored).toMatchObject({ result: 'created' });
    const [refused] = await send(`${MARK}${line}${spaces} \r\n`);
    expect(refused).toMatchObject({ code: 'body_too_large' });
  });

  test('an array in place of lines is recognised, however it is laid out', async () => {
    const [a, b] = [group('in array a'), group('in array b')].map((each) => JSON.stringify(each));
    const texts = [`[${a},${b}]`, `[${a},\n${b}]`, `[\n${a},\n${b}\n]`];
    for (const text of texts) {
      const refused = (await send(text)).filter(({ success }) => success === 0);
      expect(refused.length).toBeGreaterThan(0);
      for (const { detail } of refused) expect(detail).toContain('looks like a JSON array');
    }
    const [other] = await send('{"user_group_id":"x"');
    expect(other!.detail).toBe('The line is not valid JSON at character 20.');
  });

  test.each([
    ['a JSON array', '{"user_group_id":"a","name":"A"},'],
    ['a part of an object', '{'],
    ['a part of an object', '  "user_group_id": "a",'],
    ['a part of an object', '{"user_group_id":"a",'],
    ['CSV', 'user_group_id,name,'],
    ['CSV', 'acme;Acme;'],
    ['CSV', '"acme","Acme, Inc.",'],
    ['CSV', 'acme\tAcme'],
  ])('what looks like %s gets a hint of that and no other: %s', async (form, text) => {
    const [refused] = await send(text);
    const hints = [...refused!.detail.matchAll(/looks like ([^:]+):/g)].map(([, hint]) => hint);
    expect(hints).toEqual([form]);
  });

  test('what is wrong with a line is said of the line', async () => {
    const lines = await send(
      Buffer.concat([
        Buffer.from('7\n{"user_group_id":"x","x":1}\n{"a":1,"a":2}\n{\n'),
        Buffer.from([0x7b, 0xff, 0x7d]),
      ]),
    );
    const details = lines.slice(0, -1).map(({ detail }) => detail);
    expect(details).toHaveLength(5);
    for (const detail of details) {
      expect(detail).toMatch(/line/);
      expect(detail).not.toMatch(/body/);
    }
  });

  test('a second line of a group is refused, and names both; the first token stays', async () => {
    const [first, second] = [ownToken(), ownToken()];
    const filler = Array.from({ length: 450 }, (_, index) => group(`filler ${index}`));
    const lines = await importGroups(
      service.api,
      { ...group('doubled'), token: first },
      ...filler,
      {
        ...group('doubled'),
        token: second,
      },
    );
    const refused = lines.find(({ line }) => line === 452)!;
    expect(refused).toMatchObject({ ...SAME, success: 0, provided_id: 'doubled' });
    expect(refused.detail).toContain('Lines 1 and 452 have the same id');
    expect(lines.at(-1)!.summary).toMatchObject({ failed: 1, tokens_replaced: 0 });
    expect(await tokenOf('doubled')).toBe(first);
    expect(await service.api.isActive(first)).toBe(true);
    const quiet = await send(toLines(group('twice'), group('twice')), '?results=failed');
    expect(quiet[0]).toMatchObject({ line: 2, ...SAME });
  });

  test('a line that takes the token of a group away says so, also where only failures are asked for', async () => {
    const [first, second] = [ownToken(), ownToken()];
    for (const [token, query] of [
      [first, ''],
      [second, '?results=failed'],
    ] as const) {
      await service.api.put(group('replaced'));
      const lines = await send(toLines({ ...group('replaced'), token }), query);
      expect(lines).toMatchObject([
        { line: 1, success: 1, result: 'updated', token_replaced: true },
        { summary: { updated: 1, tokens_replaced: 1 } },
      ]);
    }
    const same = await send(toLines({ ...group('replaced'), token: second }));
    expect(same[0]).toEqual(expect.not.objectContaining({ token_replaced: true }));
    // However far apart the two lines are.
    const far = Array.from({ length: 10_000 }, (_, index) => group(`far ${index}`));
    const doubled = await send(
      toLines({ ...group('replaced'), token: second }, ...far, {
        ...group('replaced'),
        token: ownToken(),
      }),
      '?results=failed',
    );
    expect(doubled).toMatchObject([
      { line: 10_002, token_replaced: true },
      { summary: { tokens_replaced: 1 } },
    ]);
  });
});
