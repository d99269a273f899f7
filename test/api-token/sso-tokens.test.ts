import { SsoTokens } from '../../src/core/api-token/provisioning/sso-tokens.ts';
import { WorkspaceService } from '../../src/core/workspace/workspace.service.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { passTime } from '../support/time/fake-time.ts';

const ANNA = { subject: 'https://id.example.com#248289', name: 'anna@example.com' };

onEachDatabase((kind) => {
  const service = withService(kind);
  let workspaceId: number;

  beforeAll(async () => {
    workspaceId = (await service.app.get(WorkspaceService).list())[0]!.id;
  });

  const give = (person = ANNA, scopes: ('user-groups:read' | 'admin')[] = ['user-groups:read']) =>
    service.app.get(SsoTokens).give(workspaceId, person, scopes);
  const show = async (id: number) =>
    (await service.api.call('GET', `/api/v1/api-tokens/${id}`)).body.api_token;
  const eventsOf = async (id: number) => {
    const { body } = await service.api.call(
      'GET',
      `/api/v1/audit-events?object_type=api_token&object_id=${id}`,
    );
    return body.audit_events.map(({ action, actor }) => [action, actor.type]);
  };

  test('a person has one token in a workspace, however often and at once they sign in', async () => {
    const ids = await Promise.all([give(), give(), give()]);
    expect(new Set(ids).size).toBe(1);
    expect(await give()).toBe(ids[0]);
    expect(await show(ids[0])).toMatchObject({
      ...ANNA,
      scopes: ['user-groups:read'],
      state: 'active',
      expires_at: null,
    });
    expect(await eventsOf(ids[0])).toEqual([['api_token.issue', 'service']]);
  });

  test('it has the scopes of the last time, and both are written down', async () => {
    const bert = { subject: 'https://id.example.com#1', name: 'bert@example.com' };
    const id = await give(bert);
    expect(await give(bert, ['admin'])).toBe(id);
    expect(await show(id)).toMatchObject({ scopes: ['admin'], subject: bert.subject });
    expect(await eventsOf(id)).toEqual([
      ['api_token.update', 'service'],
      ['api_token.issue', 'service'],
    ]);
  });

  test('nobody can be given another in its place, and one that was revoked stays so', async () => {
    const id = await give();
    const rotated = await service.api.call('POST', `/api/v1/api-tokens/${id}/rotate`, {});
    expect([rotated.status, rotated.body.code]).toEqual([409, 'api_token_of_person']);
    await service.api.call('POST', `/api/v1/api-tokens/${id}/revoke`, {});
    const next = await give();
    expect(next).not.toBe(id);
    expect([(await show(id)).state, (await show(next)).state]).toEqual(['revoked', 'active']);
  });

  test('what an administrator has set outlives a revocation, and an end that has come lets nobody in', async () => {
    const carl = { subject: 'https://id.example.com#3', name: 'carl@example.com' };
    const id = await give(carl);
    const path = `/api/v1/api-tokens/${id}`;
    const set = { allowed_cidrs: ['10.0.0.0/8'], expires_at: '2099-01-01T00:00:00.000Z' };
    expect((await service.api.call('PATCH', path, set)).status).toBe(200);
    await service.api.call('POST', `${path}/revoke`, {});
    const next = await give(carl);
    expect(await show(next)).toMatchObject(set);
    const soon = { expires_at: new Date(Date.now() + 60_000).toISOString() };
    expect((await service.api.call('PATCH', `/api/v1/api-tokens/${next}`, soon)).status).toBe(200);
    passTime(60_000);
    await expect(give(carl)).rejects.toThrow('nothing is granted to you here');
  });

  test('what is not granted any more is taken away, in every workspace but those named', async () => {
    const dora = { subject: 'https://id.example.com#4', name: 'dora@example.com' };
    const id = await give(dora);
    const tokens = service.app.get(SsoTokens);
    await tokens.takeAway(dora, [workspaceId]);
    expect((await show(id)).state).toBe('active');
    await tokens.takeAway(dora, []);
    expect((await show(id)).state).toBe('revoked');
  });

  test('people are no administrators that a workspace can rely on', async () => {
    await give({ subject: 'https://id.example.com#5', name: 'emil@example.com' }, ['admin']);
    const revoked = await service.api.call('POST', '/api/v1/api-tokens/1/revoke', {});
    expect([revoked.status, revoked.body.code]).toEqual([409, 'last_admin_token']);
  });

  test('in another workspace the same person has another', async () => {
    const id = await give();
    const { id: other } = await service.app.get(WorkspaceService).create('elsewhere');
    const tokens = service.app.get(SsoTokens);
    expect(await tokens.give(other, ANNA, ['admin'])).not.toBe(id);
    expect(await show(id)).toMatchObject({ scopes: ['user-groups:read'] });
  });
});
