import { createGroup, withConsole } from '../../support/console/console-tests.ts';

// The requests of the page do not depend on the database.
const { begin } = withConsole('sqlite');

test('a property leads to the groups with the same, and the list shows the one that it is filtered by', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme', { properties: { plan: 'trial', odd: [1], seats: 0 } });
  await createGroup(api, 'birch', { properties: { plan: 'trial' } });
  await createGroup(api, 'cedar', { properties: { plan: 'paid' } });
  await page.visit('groups/acme');
  const likes = page.tab.locator('p').filter({ hasText: 'Groups with the same' });
  expect(await page.read(['plan', 'seats'], () => likes.locator('a').allInnerTexts())).toEqual([
    'plan',
    'seats',
  ]);
  await likes.getByRole('link', { name: 'plan' }).click();
  await page.comesTo('groups?property=plan&value=trial');
  await page.tab.getByRole('columnheader', { name: 'plan' }).waitFor();
  await page.row('birch').getByRole('cell', { name: 'trial', exact: true }).waitFor();
  expect(await page.read(2, () => page.tab.locator('tbody tr').count())).toBe(2);
});

test('values of secret variables are in no link, and none are while the variables are not known', async () => {
  const { page, api, workspace } = await begin();
  const properties = { plan: 'trial', store_key: 'k-1', login: 'deep' };
  await createGroup(api, 'acme', { properties });
  const secret = (name: string) => ({ name, type: 'string', required: false, is_secret: true });
  const variables = [secret('store_key'), secret('login.password')];
  await api.call('PATCH', '/api/v1/workspace', { variables });
  await page.visit('groups/acme');
  const likes = page.tab.locator('p').filter({ hasText: 'Groups with the same' });
  await likes.getByRole('link', { name: 'plan' }).waitFor();
  expect(await page.read(['plan'], () => likes.locator('a').allInnerTexts())).toEqual(['plan']);
  const { page: other } = await begin({ scopes: ['user-groups:read'], workspace });
  await other.visit('groups/acme');
  await other.shows('store_key');
  expect(await other.read(0, () => other.tab.getByText('Groups with the same').count())).toBe(0);
});

test('a list shows a dash for a property that a group lacks, and for a secret one', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme', { properties: { plan: 'trial', store_key: 'k-1' } });
  const variables = [{ name: 'store_key', type: 'string', required: false, is_secret: true }];
  await api.call('PATCH', '/api/v1/workspace', { variables });
  await page.visit('groups?property=store_key&value=k-1');
  await page.row('acme').locator('td > .cell-sub.mono').getByText('–', { exact: true }).waitFor();
});
