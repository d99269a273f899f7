import { randomBytes } from 'node:crypto';
import { NDJSON } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { noteForeignToken } from '../support/jest/leaks.ts';
import { EXPORT, exportGroups, IMPORT, importGroups, linesOf } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const COUNT = 450;

/** Groups of every kind; more than a page of them. */
function createGroups(): object[] {
  return Array.from({ length: COUNT }, (_, index) => {
    const token = `legacy-${randomBytes(30).toString('hex').slice(0, 38)}`;
    if (index % 3 === 0) noteForeignToken(token);
    return {
      provided_id: `group ${index} \u{1f600} "`,
      name: `Name ${index}`,
      mapping: index % 2 === 0 ? { sales: index, code: `${index}`, ['__proto__']: 'p' } : {},
      properties: JSON.parse(
        `{"n":${index},"__proto__":{"constructor":[null,1.5]},"e":"é\\u2028"}`,
      ),
      valid_until: index % 4 === 0 ? '2090-01-01T00:00:00.000Z' : null,
      suspended: index % 5 === 0,
      ...(index % 3 === 0 && { token }),
    };
  });
}

onEachDatabase((kind) => {
  const service = withService(kind);
  const other = withService(kind);

  test('an export of every group, imported elsewhere as it is, gives the same groups with the same tokens', async () => {
    const groups = createGroups();
    await importGroups(service.api, ...groups);
    const exported = await service.api.call('POST', EXPORT, {});
    expect([exported.status, exported.headers['content-type']]).toEqual([
      200,
      'application/x-ndjson',
    ]);
    expect(exported.headers).not.toHaveProperty('etag');
    const lines = linesOf(exported);
    expect(lines.pop()).toEqual({ summary: { exported: COUNT, complete: true } });
    for (const [index, line] of lines.entries()) {
      expect(line).toEqual({ token: expect.stringMatching(/^(ugt_|legacy-)/), ...groups[index] });
    }
    const imported = linesOf(await other.api.call('POST', IMPORT, exported.text, NDJSON));
    expect(imported.at(-1)!.summary).toMatchObject({ created: COUNT, failed: 0, complete: true });
    expect((await other.api.call('POST', EXPORT, {})).text).toBe(exported.text);
    const again = linesOf(await other.api.call('POST', IMPORT, exported.text, NDJSON));
    expect(again.at(-1)!.summary).toMatchObject({ unchanged: COUNT, failed: 0 });
  });

  test('without tokens there is none in it', async () => {
    const answer = await service.api.call('POST', EXPORT, { include_tokens: false });
    expect(linesOf(answer).at(-1)!.summary).toEqual({ exported: COUNT, complete: true });
    expect(answer.text).not.toMatch(/"token|ugt_|legacy-/);
  });

  test('a token that cannot be decrypted is said to be so, and importing the line keeps it', async () => {
    const { token } = (await other.api.put({ user_group_id: 'lost', name: 'L' })).body.user_group;
    await runSql(
      other.database,
      `UPDATE user_group_token SET key_id = 'gone'
       WHERE user_group_id = (SELECT id FROM user_group WHERE provided_id = 'lost')`,
    );
    const line = (await exportGroups(other.api)).find(({ provided_id }) => provided_id === 'lost')!;
    expect(line).toMatchObject({ token_unreadable: true });
    expect(line).not.toHaveProperty('token');
    const [kept] = await importGroups(other.api, { ...line, name: 'Renamed' });
    expect(kept).toMatchObject({ result: 'updated' });
    const introspected = await other.api.call('POST', '/api/v1/introspect', { token });
    expect(introspected.body).toMatchObject({ active: true, name: 'Renamed' });
    const [issued] = await importGroups(service.api, line);
    expect(issued).toMatchObject({ result: 'created' });
    const found = await service.api.get({ user_group_id: 'lost' });
    expect(found.body.user_group.token).toMatch(/^ugt_/);
  });

  test('each export has its event, and no group of another workspace', async () => {
    const stranger = service.clientOf(await service.issueToken(['admin', 'audit:read'], 'empty'));
    expect(await exportGroups(stranger, { include_tokens: false })).toEqual([
      { summary: { exported: 0, complete: true } },
    ]);
    const { body } = await stranger.call('GET', '/api/v1/audit-events?types=user_group.export');
    expect(body.audit_events).toMatchObject([{ details: { include_tokens: false } }]);
  });

  test('tokens need the scope to read them, and the rest does not', async () => {
    const administrator = service.clientOf(await service.issueToken(['admin']));
    for (const body of [{}, undefined, { include_tokens: true }]) {
      const refused = await administrator.call('POST', EXPORT, body);
      expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
      expect(refused.body.detail).toContain('"user-group-tokens:read"');
      expect(refused.text).not.toMatch(/ugt_|legacy-/);
    }
    const plain = await administrator.call('POST', EXPORT, { include_tokens: false });
    expect([plain.status, linesOf(plain).at(-1)!.summary]).toEqual([
      200,
      { exported: expect.any(Number), complete: true },
    ]);
    const reader = service.clientOf(
      await service.issueToken(['user-groups:read', 'user-group-tokens:read']),
    );
    expect((await reader.call('POST', EXPORT, {})).body.detail).toContain('"admin"');
  });

  test.each([
    [{ include_token: false }, '/include_token', 'unknown'],
    [{ include_tokens: 'no' }, '/include_tokens', 'type'],
    [{ include_tokens: null }, '/include_tokens', 'type'],
  ])('%j is refused before anything is exported', async (body, pointer, code) => {
    const answer = await service.api.call('POST', EXPORT, body);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer, code })],
    ]);
  });

  test('two exports of a workspace run at once, and a third waits for neither', async () => {
    const groups = Array.from({ length: 1000 }, (_, n) => ({
      user_group_id: `large ${n}`,
      name: 'L',
      properties: { filling: 'x'.repeat(15_000) },
    }));
    await importGroups(service.api, ...groups);
    const abort = new AbortController();
    const start = (token: string) =>
      fetch(service.baseUrl + EXPORT, {
        method: 'POST',
        headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/json' },
        body: '{}',
        signal: abort.signal,
      });
    // More than buffers on the way can take: they are not read.
    const unread = [await start(service.bootstrapToken), await start(service.bootstrapToken)];
    expect(unread.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await service.api.call('POST', EXPORT, {});
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_at_once']);
    expect(refused.headers['retry-after']).toBe('5');
    const other = service.clientOf(await service.issueToken(['admin'], 'other'));
    expect((await other.call('POST', EXPORT, { include_tokens: false })).status).toBe(200);
    abort.abort();
    await until(async () => (await service.api.call('POST', EXPORT, {})).status === 200);
  });

  test('an export ends as incomplete when its API token loses the scope for tokens', async () => {
    const given = { name: 'exporter', scopes: ['admin', 'user-group-tokens:read'] };
    const { id, token } = (await service.api.call('POST', '/api/v1/api-tokens', given)).body
      .api_token;
    // The groups are more than the buffers on the way can take.
    const response = await fetch(service.baseUrl + EXPORT, {
      method: 'POST',
      headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(200);
    const path = `/api/v1/api-tokens/${id}`;
    expect((await service.api.call('PATCH', path, { scopes: ['admin'] })).status).toBe(200);
    const text = await response.text().catch(() => '');
    expect(text).not.toContain('"complete":true');
  });

  test('it is a POST, whose body may be omitted', async () => {
    const [empty, none] = await Promise.all(
      [{}, undefined].map((body) => service.api.call('POST', EXPORT, body)),
    );
    expect([none!.status, none!.text]).toEqual([200, empty!.text]);
    // To every other method it is the path of a group called so.
    expect((await service.api.call('GET', EXPORT)).body.code).toBe('user_group_not_found');
  });
});
