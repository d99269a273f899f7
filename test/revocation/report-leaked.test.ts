import { randomBytes } from 'node:crypto';
import { EmbedTokenReader } from '../../src/core/embed-token/embed-token.reader.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { stopTimeLimits } from '../support/time/fake-time.ts';
import { exportGroups, importGroups } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';

const UNKNOWN = `ugt_${'0'.repeat(38)}`;
const SOURCE = 'https://git.example.com/acme/site';

const report = (api: ApiClient, tokens: unknown, source?: string) =>
  api.call('POST', '/api/v1/tokens/report-leaked', { tokens, source });

onEachDatabase((kind) => {
  const service = withService(kind);

  test('each token is ended as what it is, and the response names none', async () => {
    const { api } = service;
    const [current, overlap, old] = [await api.create(), await api.create(), await api.create()];
    const successor = await api.rotate(overlap.token, 3600);
    await api.rotate(old.token);
    const issued = await api.call('POST', `${old.path}/embed-tokens`, { audience: 'renderer' });
    const embedded = issued.body.embed_token.token;
    const apiToken = await service.issueToken(['user-groups:read']);
    const tokens = [
      current.token,
      overlap.token,
      old.token,
      embedded,
      apiToken,
      UNKNOWN,
      current.token,
    ];
    const { status, body, text } = await report(api, tokens, SOURCE);
    expect(status).toBe(200);
    const ofGroup = (kind: string, result: string, { id }: { id: string }) => ({
      kind,
      result,
      provided_id: id,
    });
    expect(body.results).toEqual([
      ofGroup('user_group_token', 'ended', current),
      ofGroup('user_group_token', 'ended', overlap),
      ofGroup('user_group_token', 'already_inactive', old),
      ofGroup('embed_token', 'ended', old),
      { kind: 'api_token', result: 'ended' },
      { kind: 'unknown', result: 'unknown' },
      ofGroup('user_group_token', 'ended', current),
    ]);
    for (const token of tokens) expect(text).not.toContain(token);
    for (const token of [current.token, overlap.token, embedded]) {
      expect(await api.isActive(token)).toBe(false);
    }
    expect(await api.isActive(successor)).toBe(true);
    expect(
      await api.isActive((await api.get({ user_group_id: current.id })).body.user_group.token),
    ).toBe(true);
    const again = await report(api, tokens.slice(0, 5));
    expect(new Set(again.body.results.map(({ result }) => result))).toEqual(
      new Set(['already_inactive']),
    );

    const leaks = await api.call(
      'GET',
      '/api/v1/audit-events?types=user_group_token.leaked,embed_token.leaked,api_token.leaked',
    );
    const { audit_events: events } = leaks.body;
    expect(events.map(({ action }) => action).sort()).toEqual([
      'api_token.leaked',
      'embed_token.leaked',
      'user_group_token.leaked',
      'user_group_token.leaked',
    ]);
    for (const { details } of events) expect(details).toMatchObject({ source: SOURCE });
    const { body: changes } = await api.call('GET', '/api/v1/events?types=user_group_token.leaked');
    const { events: seen } = changes as unknown as { events: { user_group: object }[] };
    // Each event has the generation that has leaked.
    expect(seen.map(({ user_group }) => user_group)).toEqual([
      expect.objectContaining({ provided_id: current.id, generation: 1 }),
      expect.objectContaining({ provided_id: overlap.id, generation: 1 }),
    ]);
  });

  test.each([
    ['a line feed', (token: string) => `${token}\n`],
    ['quotes', (token: string) => `"${token}"`],
    ['a scheme', (token: string) => `Authorization: Token ${token}`],
    ['a name', (token: string) => `ugt=${token}`],
    ['a line of code', (token: string) => `const token = '${token}'; // TODO`],
    [
      'a URL',
      (token: string) => `https://dashboards.example.com/?userGroupToken=${token}&theme=dark`,
    ],
    ['letters', (token: string) => `x${token}`],
    ['a zero-width space', (token: string) => `\u200b${token}\u200b`],
  ])('tokens of any kind are ended within %s', async (_name, around) => {
    const { api } = service;
    const [{ id, token }, other] = [await api.create(), await api.create()];
    const issued = await api.call('POST', `${other.path}/embed-tokens`, { audience: 'renderer' });
    const embedded = issued.body.embed_token.token;
    const apiToken = await service.issueToken(['user-groups:read']);
    const { body, text } = await report(api, [token, embedded, apiToken].map(around));
    expect(body.results).toEqual([
      { kind: 'user_group_token', result: 'ended', provided_id: id },
      { kind: 'embed_token', result: 'ended', provided_id: other.id },
      { kind: 'api_token', result: 'ended' },
    ]);
    expect(text).not.toContain(token);
    for (const one of [token, embedded]) expect(await api.isActive(one)).toBe(false);
  });

  test('all tokens within one text are ended, and the text has one result', async () => {
    const { api } = service;
    const [one, two] = [await api.create(), await api.create()];
    const foreign = 'that-of-another-system-0123456789';
    await importGroups(api, { user_group_id: 'foreign', name: 'F', token: foreign });
    const { body } = await report(api, [
      `{"a": "${one.token}", "b": ["${two.token}"]}\n`,
      `found: '${foreign}',`,
      'none',
    ]);
    expect(body.results).toEqual([
      { kind: 'user_group_token', result: 'ended', provided_id: one.id },
      { kind: 'user_group_token', result: 'ended', provided_id: 'foreign' },
      { kind: 'unknown', result: 'unknown' },
    ]);
    for (const token of [one.token, two.token, foreign]) {
      expect(await api.isActive(token)).toBe(false);
    }
  });

  test.each([
    ['at the end of a sentence', (token: string) => `It is ${token}.`],
    ['with a name', (token: string) => `token=${token}`],
    ['in an object', (token: string) => `{token:"${token}"}`],
    ['after a colon', (token: string) => `x:${token},`],
    ['in a setting', (token: string) => `export TOKEN='${token}'`],
    ['after two colons', (token: string) => `a:b:${token}`],
  ])('a token of another system is ended %s', async (name, around) => {
    const padding = name === 'after two colons' ? '' : '==';
    const token = `of-another-system-${crypto.randomUUID()}${padding}`;
    await importGroups(service.api, { user_group_id: token, name: 'F', token });
    const { body } = await report(service.api, [around(token)]);
    expect(body.results).toMatchObject([{ kind: 'user_group_token', result: 'ended' }]);
    expect(await service.api.isActive(token)).toBe(false);
  });

  test('a text with too many words is refused, and nothing is ended', async () => {
    const { token } = await service.api.create();
    const words = Array.from({ length: 5000 }, (_, index) => String(index).padStart(20, 'x'));
    const { status, body } = await report(service.api, [token, words.join(' ')]);
    expect([status, body.errors[0]]).toMatchObject([422, { pointer: '/tokens', code: 'too_many' }]);
    expect(await service.api.isActive(token)).toBe(true);
  });

  /** The tokens of the groups whose ids begin with `leaked`, by the id. */
  const readLeaked = async (): Promise<Map<string, string>> => {
    // The last line is the summary.
    const groups = (await exportGroups(service.api)).slice(0, -1);
    return new Map(
      groups
        .filter(({ provided_id: id }) => id.startsWith('leaked '))
        .map(({ provided_id: id, token }) => [id, token] as const),
    );
  };

  test('1,000 tokens are ended in one call', async () => {
    stopTimeLimits();
    const { api } = service;
    const lines = Array.from({ length: 1000 }, (_, index) => ({
      user_group_id: `leaked ${index}`,
      name: 'L',
    }));
    await importGroups(api, ...lines);
    const leaked = await readLeaked();
    const tokens = lines.map(({ user_group_id }) => leaked.get(user_group_id)!);
    const { status, body } = await report(api, tokens);
    expect(status).toBe(200);
    expect(body.results).toEqual(
      lines.map(({ user_group_id }) => ({
        kind: 'user_group_token',
        result: 'ended',
        provided_id: user_group_id,
      })),
    );
    expect(new Set([...tokens, ...(await readLeaked()).values()]).size).toBe(2000);
  });

  test('1,000 tokens in an overlap are ended in one call', async () => {
    stopTimeLimits();
    const { api } = service;
    const tokens = [...(await readLeaked()).values()];
    expect(tokens).toHaveLength(1000);
    for (let from = 0; from < tokens.length; from += 50) {
      await Promise.all(tokens.slice(from, from + 50).map((token) => api.rotate(token, 3600)));
    }
    // Two reports in opposite orders.
    const [one, two] = await Promise.all([report(api, tokens), report(api, tokens.toReversed())]);
    expect([one.status, two.status]).toEqual([200, 200]);
    const isEnded = (index: number) =>
      [one.body.results[index]!, two.body.results.at(-1 - index)!].filter(
        ({ result }) => result === 'ended',
      );
    expect(tokens.filter((_token, index) => isEnded(index).length !== 1)).toEqual([]);
    expect(await api.isActive(tokens[0]!)).toBe(false);
  });

  test('signatures of many texts are not verified all at once', async () => {
    const { api } = service;
    const { id } = await api.create();
    const issued = await api.call('POST', `/api/v1/user-groups/${id}/embed-tokens`, {
      audience: 'renderer',
    });
    const [head] = issued.body.embed_token.token.split(/\.[^.]+$/);
    const forged = Array.from(
      { length: 300 },
      () => `${head}.${randomBytes(64).toString('base64url')}`,
    );
    const reader = service.app.get(EmbedTokenReader);
    const read = reader.read.bind(reader);
    let [now, most] = [0, 0];
    const reading = jest.spyOn(reader, 'read').mockImplementation(async (...call) => {
      most = Math.max(most, ++now);
      return read(...call).finally(() => now--);
    });
    const { body } = await report(api, [...forged, issued.body.embed_token.token]);
    expect(reading).toHaveBeenCalledTimes(301);
    reading.mockRestore();
    expect(most).toBeLessThanOrEqual(50);
    expect(body.results).toEqual([
      ...forged.map(() => ({ kind: 'unknown', result: 'unknown' })),
      { kind: 'embed_token', result: 'ended', provided_id: id },
    ]);
  });

  test('a token of another workspace is unknown, and stays', async () => {
    const other = service.clientOf(
      await service.issueToken(
        ['user-groups:write', 'user-group-tokens:read', 'tokens:introspect'],
        'other',
      ),
    );
    const { token } = await other.create();
    expect((await report(service.api, [token])).body.results).toEqual([
      { kind: 'unknown', result: 'unknown' },
    ]);
    expect(await other.isActive(token)).toBe(true);
  });

  test.each([
    ['/tokens', undefined],
    ['/tokens', []],
    ['/tokens', 'ugt_x'],
    ['/tokens', Array(1001).fill('x')],
    ['/tokens/1', ['x', 1]],
  ])('refuses %s that are no list of 1 to 1,000 texts', async (pointer, tokens) => {
    const { status, body } = await report(service.api, tokens);
    expect([status, body.errors[0]!.pointer]).toEqual([422, pointer]);
  });
});
