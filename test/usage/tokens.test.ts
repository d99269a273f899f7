import { TokenUses } from '../../src/core/embed-token/token-uses.ts';
import { UsageCounter } from '../../src/features/usage/counting/usage-counter.ts';
import type { UsageTally } from '../../src/features/usage/counting/usage-tally.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
} from '../support/database/databases.ts';
import { TestWorkspace } from '../support/registry.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';
import { readUsage, totalOf } from './usage-calls.ts';

/** Writes twice: the first call may join a write that has begun before the last count. */
const flush = async ({ app }: TestService) => {
  const tally = app.get<UsageTally>(TokenUses);
  await tally.flush();
  await tally.flush();
};

const issue = async (api: ApiClient, path: string, fields: object = {}, key?: string) => {
  const body = { audience: 'https://dashboards.example', ...fields };
  const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
  const answer = await api.call('POST', `${path}/embed-tokens`, body, headers);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body.embed_token.token;
};

onEachDatabase((kind) => {
  const service = withService(kind);

  test('each embed token that is issued counts for its group', async () => {
    const { api } = await TestWorkspace.create(service, 'issued');
    const [one, other] = [await api.create(), await api.create()];
    await issue(api, one.path);
    await issue(api, one.path, { format: 'opaque' });
    await issue(api, other.path);
    await api.call('POST', `${one.path}/embed-tokens`, { audience: '' });
    await flush(service);
    expect(await totalOf(api, `${one.path}/usage`)).toMatchObject({ embed_tokens: 2 });
    expect(await totalOf(api)).toEqual({ views: 0, embed_tokens: 3, introspections: 0 });
  });

  test('a call that is repeated with its key counts once', async () => {
    const { api } = await TestWorkspace.create(service, 'repeated');
    const { path } = await api.create();
    const acting_for = { subject: 'kim@support.example', reason: 'a ticket' };
    const tokens = [
      await issue(api, path, { acting_for }, 'a-key'),
      await issue(api, path, { acting_for }, 'a-key'),
    ];
    expect(tokens[0]).toBe(tokens[1]);
    await flush(service);
    expect(await totalOf(api)).toMatchObject({ embed_tokens: 1 });
  });

  test('introspections of valid tokens count for their group, and are no views', async () => {
    const { api } = await TestWorkspace.create(service, 'introspected');
    const { token, path } = await api.create();
    const embedToken = await issue(api, path);
    for (const text of [token, token, embedToken, 'unknown']) await api.introspect(text);
    await api.call('POST', `${path}/suspend`);
    await api.introspect(token, { 'Cache-Control': 'no-cache' });
    await flush(service);
    expect(await totalOf(api, `${path}/usage`)).toEqual({
      views: 0,
      embed_tokens: 1,
      introspections: 3,
    });
  });

  test('a user whom tokens name is one user of the day, whatever names it', async () => {
    const { api } = await TestWorkspace.create(service, 'named');
    const { id, path } = await api.create();
    const tokens = [
      await issue(api, path, { user: { id: 'ann' } }),
      await issue(api, path, { user: { id: 'ben' } }),
      await issue(api, path),
    ];
    await flush(service);
    for (const token of tokens) await api.introspect(token);
    const views = [{ sub: id, user_id: 'ann', count: 1, at: new Date().toISOString() }];
    await api.call('POST', '/api/v1/usage/batches', { batch_id: 'named', views });
    await flush(service);
    expect((await readUsage(api, { by: 'group' })).usage).toEqual([
      expect.objectContaining({ views: 1, embed_tokens: 3, introspections: 3, users: 2 }),
    ]);
  });

  test('what could not be written is added later, once', async () => {
    const { api } = await TestWorkspace.create(service, 'later');
    const { token } = await api.create();
    await api.introspect(token);
    await changeDatabase(service.database, 'ALTER TABLE usage_count RENAME TO usage_count_away');
    try {
      await flush(service);
      await api.introspect(token);
      await flush(service);
    } finally {
      await changeDatabase(service.database, 'ALTER TABLE usage_count_away RENAME TO usage_count');
    }
    await flush(service);
    await flush(service);
    expect(await totalOf(api)).toMatchObject({ introspections: 2 });
  });

  test('counts of more groups than one transaction takes are all written', async () => {
    const { api } = await TestWorkspace.create(service, 'many');
    const { teamId } = await api.create();
    const tally = service.app.get<UsageTally>(TokenUses);
    const [row] = await service.query<{ id: number }>(
      "SELECT id FROM workspace WHERE name = 'many'",
    );
    for (let n = 0; n < 1200; n++) {
      const group = { workspaceId: row!.id, userGroupId: teamId + 1_000_000 + (n % 600) };
      tally.count('introspections', group, `user ${n}`);
    }
    await flush(service);
    expect(await totalOf(api)).toMatchObject({ introspections: 1200 });
    const page = await readUsage(api, { by: 'group' });
    expect(page.usage[0]).toMatchObject({ introspections: 2, users: 2 });
  });

  test('counts of groups that come again and again are one row to write', async () => {
    const { api } = await TestWorkspace.create(service, 'again');
    const { teamId } = await api.create();
    const [row] = await service.query<{ id: number }>(
      "SELECT id FROM workspace WHERE name = 'again'",
    );
    const tally = service.app.get<UsageTally>(TokenUses);
    const add = jest.spyOn(UsageCounter.prototype, 'addOnce');
    for (let n = 0; n < 30_000; n++) {
      const group = { workspaceId: row!.id, userGroupId: teamId + 2_000_000 + (n % 600) };
      tally.count('introspections', group);
    }
    await flush(service);
    const written = add.mock.calls.flatMap(([, additions]) => additions);
    add.mockRestore();
    expect(written.length).toBeLessThan(1300);
    expect(await totalOf(api)).toMatchObject({ introspections: 30_000 });
  });

  test('processes that share a database add up, and each writes the rest at its end', async () => {
    const database = await createTestDatabase(kind);
    const [one, other] = [await startTestService(database), await startTestService(database)];
    const { token } = await one.api.create();
    await Promise.all([one.api.introspect(token), other.api.introspect(token)]);
    await Promise.all([flush(one), flush(other)]);
    expect(await totalOf(one.api)).toMatchObject({ introspections: 2 });
    await other.api.introspect(token);
    await other.close();
    expect(await totalOf(one.api)).toMatchObject({ introspections: 3 });
    await one.close();
    await database.drop();
  });

  test('a service without the feature counts nothing, and has no route', async () => {
    const without = await startTestService(kind, { FEATURES: 'core' });
    const { token, path } = await without.api.create();
    await issue(without.api, path);
    await without.api.introspect(token);
    const answer = await without.api.call('GET', '/api/v1/usage');
    expect([answer.status, answer.body.code]).toEqual([404, 'route_not_found']);
    await without.app.close();
    const reader = await startTestService(without.database);
    expect(await totalOf(reader.api)).toEqual({ views: 0, embed_tokens: 0, introspections: 0 });
    await reader.close();
    await without.close();
  });
});
