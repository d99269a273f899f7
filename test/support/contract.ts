import request from 'supertest';
import { noteTokens } from './jest/leaks.ts';
import type { TestService } from './test-service.ts';

/** Tests the interface document on a service, sentence by sentence and in its order. */
export function testContract(service: TestService): void {
  const call = (method: 'get' | 'put' | 'post', body: object) => {
    const agent = request(service.baseUrl);
    return agent[method]('/api/user')
      .set('Authorization', `Token ${service.bootstrapToken}`)
      .set('Content-Type', 'application/json')
      .on('response', ({ text }: request.Response) => noteTokens(text))
      .send(body);
  };

  describe('the user group', () => {
    const sent = {
      name: 'Group one',
      user_group_id: 'group-1',
      mapping: { 'schema-1': 'data-source-1', 'schema-2': 2 },
      properties: { region: 'EMEA', limit: 10, nested: { list: [1, 'two', null] } },
    };

    test('GET creates it: success is 1 and the token is in user_group.token', async () => {
      const { status, body } = await call('get', sent);
      expect(status).toBe(200);
      expect(body.success).toBe(1);
      expect(body.new_user_group).toBe(true);
      expect(typeof body.user_group.token).toBe('string');
      expect(Number.isInteger(body.user_group.team_id)).toBe(true);
    });

    test('GET looks it up: new_user_group is false, token and team_id are the same', async () => {
      const { body: first } = await call('get', sent);
      const { body: second } = await call('get', sent);
      expect(second.new_user_group).toBe(false);
      expect(second.user_group).toEqual(first.user_group);
    });

    test('user_group.name is the name sent and provided_id the user_group_id sent', async () => {
      const { body } = await call('get', { ...sent, name: 'Another name' });
      expect(body.user_group.name).toBe('Another name');
      expect(body.user_group.provided_id).toBe('group-1');
    });

    test('user_group.properties is present only if properties was sent', async () => {
      const { body: withProperties } = await call('get', sent);
      expect(withProperties.user_group.properties).toEqual(sent.properties);
      const { body: without } = await call('get', { user_group_id: 'group-1', name: sent.name });
      expect(Object.keys(without.user_group as object).sort()).toEqual([
        'name',
        'provided_id',
        'team_id',
        'token',
      ]);
    });

    test('PUT writes it and answers success with team_id, token, name and provided_id', async () => {
      const { body: before } = await call('get', sent);
      const { status, body } = await call('put', { ...sent, name: 'Written' });
      expect(status).toBe(200);
      expect(body).toEqual({
        success: 1,
        user_group: {
          team_id: before.user_group.team_id,
          token: before.user_group.token,
          name: 'Written',
          provided_id: 'group-1',
        },
      });
    });

    test('POST selects it by current_token and returns the token to use from then on', async () => {
      const { body: before } = await call('get', sent);
      const { status, body } = await call('post', { current_token: before.user_group.token });
      expect(status).toBe(200);
      expect(Object.keys(body as object).sort()).toEqual(['success', 'user_group']);
      expect(body).toMatchObject({
        success: 1,
        user_group: { team_id: before.user_group.team_id, name: sent.name, provided_id: 'group-1' },
      });
      const { body: after } = await call('get', sent);
      expect(after.user_group.token).toBe(body.user_group.token);
      expect(after.user_group.token).not.toBe(before.user_group.token);
    });
  });

  describe('every response carries success', () => {
    test.each<[string, 'get' | 'put' | 'post', object, number]>([
      ['an unknown current_token', 'post', { current_token: 'ugt_unknown' }, 404],
      ['a missing field', 'put', { name: 'no id' }, 422],
      ['a group that is not there', 'get', { user_group_id: 'nobody' }, 404],
    ])('0 for %s', async (_name, method, body, status) => {
      const response = await call(method, body);
      expect([response.status, response.body.success]).toEqual([status, 0]);
    });

    test('0 for a bad credential', async () => {
      const response = await call('get', { user_group_id: 'x' }).set('Authorization', 'Token bad');
      expect([response.status, response.body.success]).toEqual([401, 0]);
    });

    test('the user-group token does not open the interface', async () => {
      const { body } = await call('get', { user_group_id: 'other', name: 'Other' });
      const response = await call('get', { user_group_id: 'other' }).set(
        'Authorization',
        `Token ${body.user_group.token}`,
      );
      expect([response.status, response.body.code]).toEqual([401, 'credentials_malformed']);
    });
  });
}
