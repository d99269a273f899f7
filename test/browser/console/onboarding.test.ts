import { byEachHand, zoneAtNoon } from '../../support/console/console-page.ts';
import { introspectOnce } from '../../support/console/console-content.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';

const { service, begin } = withConsole('sqlite');

byEachHand((hand) => {
  test('the first steps tick themselves off, and end with the next one', async () => {
    const { page } = await begin({ hand, timezone: zoneAtNoon() });
    await page.visit();
    const step = (name: string) => page.tab.locator('.steps li').filter({ hasText: name });
    const done = () => page.tab.locator('.steps li.done h3').allInnerTexts();
    await page.shows(/Waiting for your first call…/);
    expect(await page.read([], done)).toEqual([]);
    expect(await page.read(0, () => page.tab.locator('.tile').count())).toBe(0);
    const calls = step('Call the API').locator('pre');
    await calls.filter({ hasText: `curl -X PUT ${service.baseUrl}/api/user` }).waitFor();
    await page.use(step('for your backend').getByRole('button', { name: 'Create the token' }));
    const backend = service.clientOf(await page.readSecret());
    await page.dialog('BACKEND_TOKEN').getByText('set BACKEND_TOKEN to it').waitFor();
    await page.use(page.tab.getByRole('dialog').getByLabel('I have stored it'));
    await page.use(page.tab.getByRole('dialog').getByRole('button', { name: 'Done' }));
    await step('for your backend').locator('.tick svg').waitFor();
    const token = await createGroup(backend, 'acme');
    await step('Call the API').filter({ hasText: 'today' }).waitFor();
    expect(await page.read(3, async () => (await done()).length)).toBe(3);
    await page.use(step('for your renderer').getByRole('button', { name: 'Create the token' }));
    const renderer = service.clientOf(await page.readSecret());
    await page.dialog('RENDERER_TOKEN').waitFor();
    await page.use(page.tab.getByRole('dialog').getByLabel('I have stored it'));
    await page.use(page.tab.getByRole('dialog').getByRole('button', { name: 'Done' }));
    const ownPage = step('Introspect a token').getByRole('link', { name: 'its page' });
    expect(
      await page.read('#/groups/acme', async () => (await ownPage.getAttribute('href')) ?? ''),
    ).toBe('#/groups/acme');
    await renderer.call('POST', '/api/v1/introspect', { token });
    await page.tab.getByRole('heading', { name: 'Everything works' }).waitFor();
    await page.shows('npm run example:renderer');
    expect(await page.read(5, async () => (await done()).length)).toBe(5);
    await page.visit();
    await page.shows('All is well');
    expect(await page.read(0, () => page.tab.locator('.steps').count())).toBe(0);
  });
});

test('the first steps can be hidden, and are for nobody whose workspace is in use', async () => {
  const { page, api, workspace } = await begin();
  await page.visit();
  await page.shows('Get started');
  expect(await page.accessibilityViolations()).toEqual([]);
  await page.button('Hide').click();
  await page.shows('There are no user groups yet');
  await introspectOnce(api, await createGroup(api, 'acme'));
  const { page: other } = await begin({ workspace });
  await other.visit();
  await other.shows('All is well');
  expect(await other.read(0, () => other.tab.locator('.steps').count())).toBe(0);
});

test('a group is created from the first step', async () => {
  const { page } = await begin();
  await page.visit();
  await page.tab.locator('.steps').getByRole('button', { name: 'New user group' }).click();
  const dialog = page.dialog('New user group');
  await dialog.getByLabel('ID').fill('acme');
  await dialog.getByLabel('Name').fill('Acme');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.comesTo('groups/acme');
});

test('a dialog of the first steps stays open when the backend finishes the steps', async () => {
  const { page, api } = await begin();
  await page.visit();
  await page.button('New user group').click();
  const dialog = page.tab.getByRole('dialog');
  await dialog.getByLabel('ID').fill('half-written');
  await createGroup(api, 'acme');
  await page.tab.locator('.steps li.done').filter({ hasText: 'Create a user group' }).waitFor();
  expect(await page.read('half-written', () => dialog.getByLabel('ID').inputValue())).toBe(
    'half-written',
  );
  await page.press('Escape');
  await page.button('Discard').click();

  const backend = page.tab.locator('.steps li').filter({ hasText: 'for your backend' });
  await backend.getByRole('button', { name: 'Create the token' }).click();
  const secret = await page.readSecret();
  for (let no = 1; no < 20; no++) await createGroup(api, `acme-${no}`);
  await page.tab.locator('.steps').waitFor({ state: 'detached' });
  expect(await page.read(secret, () => page.readSecret())).toBe(secret);
  await dialog.getByLabel('I have stored it').click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('a session that may not create API tokens is shown the call alone', async () => {
  const { page } = await begin({ scopes: ['user-groups:read', 'user-groups:write'] });
  await page.visit();
  await page.shows('There are no user groups yet');
  expect(await page.read(0, () => page.tab.locator('.steps').count())).toBe(0);
});
