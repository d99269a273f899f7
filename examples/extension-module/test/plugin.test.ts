import { NestFactory } from '@nestjs/core';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator, UserGroupServiceModule, UserGroups } from 'user-group-service';
import { createTestUserGroups } from 'user-group-service/testing';
import plugin from '../src/plugin.js';

test('a user group has a home of its own, once it is chosen', async (t) => {
  const { options, apiToken, remove } = createTestUserGroups();
  const module = UserGroupServiceModule.forRoot({ ...options, plugins: [plugin] });
  const app = await NestFactory.create(module, { logger: false, abortOnError: false });
  t.after(() => app.close().then(remove));
  await app.listen(0, '127.0.0.1');
  await app.get(UserGroups).put(operator(1), { user_group_id: 'acme', name: 'Acme' });
  const url = `${await app.getUrl()}/api/v1/home-dashboards/acme`;
  const headers = { Authorization: `Token ${apiToken}`, 'Content-Type': 'application/json' };
  const read = async () => (await fetch(url, { headers })).json();
  assert.deepEqual(await read(), { success: 1, dashboard: 'overview' });
  const body = JSON.stringify({ dashboard: 'sales' });
  await fetch(url, { method: 'PUT', headers, body });
  assert.deepEqual(await read(), { success: 1, dashboard: 'sales' });
});
