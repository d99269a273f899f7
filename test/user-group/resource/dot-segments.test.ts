import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { responseOf, UserGroupClient } from '../../../clients/typescript/index.ts';
import { UserGroups } from '../../../src/core/user-group/user-groups.ts';
import { operator } from '../../../src/platform/common/access/caller.ts';
import { Transactor } from '../../../src/platform/database/transactor.ts';
import type { Answer } from '../../support/api/api-client.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import { importGroups } from '../../support/api/lines.ts';
import { withService } from '../../support/test-service.ts';

const IDS = [
  '.',
  '..',
  'x/../globex',
  './x',
  'x/.',
  '../../api-tokens',
  'x\\..\\globex',
  'x/..\\y',
];
const NEAR = ['...', '.x', 'x.', 'a..b', 'x/..y/z', 'x/.../y', '..x/', 'x%2F..%2Fy', '/'];

onEachDatabase((kind) => {
  const service = withService(kind);

  /** Calls a group by its path, which no URL resolves. */
  const call = (method: string, id: string, body?: object) =>
    new Promise<Pick<Answer, 'status' | 'body'>>((resolve, reject) => {
      const path = `/api/v1/user-groups/${encodeURIComponent(id)}`;
      const headers = {
        Authorization: `Token ${service.bootstrapToken}`,
        'Content-Type': 'application/json',
      };
      request({ port: service.port, method, path, headers }, (response) => {
        json(response).then((answer) => {
          resolve({ status: response.statusCode!, body: answer as Answer['body'] });
        }, reject);
      })
        .on('error', reject)
        .end(body && JSON.stringify(body));
    });

  test.each(IDS)('no way in creates a group with the id %s', async (id) => {
    const { api } = service;
    const group = { user_group_id: id, name: 'N' };
    const answers = [
      await api.get(group),
      await api.post(group, { 'X-HTTP-Method-Override': 'GET' }),
      await api.put(group),
      await call('PUT', id, { name: 'N' }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([422, 'validation_failed']);
      expect(body.errors).toMatchObject([{ pointer: '/user_group_id', code: 'not_acceptable' }]);
    }
    const [line] = await importGroups(service.api, group);
    expect(line).toMatchObject({ status: 422, errors: [{ code: 'not_acceptable' }] });
    await expect(service.app.get(UserGroups).put(operator(1), group)).rejects.toMatchObject({
      violations: [{ code: 'not_acceptable' }],
    });
    expect((await api.get({ user_group_id: id })).body.code).toBe('user_group_not_found');
  });

  test.each(NEAR)('the id %s is one like any other', async (id) => {
    expect((await service.api.put({ user_group_id: id, name: 'N' })).status).toBe(200);
    expect((await call('GET', id)).body.user_group.provided_id).toBe(id);
  });

  test.each(IDS)('a group that already has the id %s goes on as before', async (id) => {
    const { api } = service;
    const { id: temporary, token } = await api.create();
    const [was, is] = [temporary, id].map((text) => `'${text}'`);
    await service.app.get(Transactor).run(async (manager) => {
      await manager.query(`UPDATE user_group SET provided_id = ${is} WHERE provided_id = ${was}`);
    });
    expect((await api.get({ user_group_id: id })).body.user_group.token).toBe(token);
    expect((await api.put({ user_group_id: id, name: 'M' })).status).toBe(200);
    expect((await call('PUT', id, { name: 'O' })).status).toBe(200);
    const [line] = await importGroups(service.api, { user_group_id: id, name: 'P' });
    expect(line).toMatchObject({ result: 'updated' });
    const read = await call('GET', id);
    const patched = await call('PATCH', id, { name: 'Q' });
    expect([read.body.user_group.name, patched.body.user_group.name]).toEqual(['P', 'Q']);
    expect((await call('DELETE', id)).status).toBe(200);
  });

  test('the typed client sends no path that could come to name another group', async () => {
    const called: string[] = [];
    const client = new UserGroupClient({
      baseUrl: service.baseUrl,
      apiToken: service.bootstrapToken,
      fetch: (request) => {
        called.push(request.url);
        return fetch(request);
      },
    });
    for (const id of ['', ...IDS]) {
      await expect(client.deleteUserGroup(id)).rejects.toThrow(RangeError);
    }
    expect(called).toEqual([]);
    for (const id of NEAR) {
      expect([id, responseOf(await client.getUserGroup(id)).status]).toEqual([id, 200]);
    }
  });
});
