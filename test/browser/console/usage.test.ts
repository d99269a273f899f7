import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { report } from '../../usage/usage-calls.ts';

const { begin } = withConsole('sqlite');

const BUSIEST = 'Busiest user groups';
const at = () => new Date().toISOString();

test('the page of a group has a chart of its usage, whose numbers can be read and walked', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  await createGroup(api, 'globex');
  await report(api, [
    { sub: 'acme', user_id: 'ann', count: 1234, at: at() },
    { sub: 'globex', count: 5, at: at() },
  ]);
  await page.visit('groups/acme');
  const plot = page.tab.getByRole('img', { name: 'Views: 1234, Embed tokens: 0' });
  await plot.waitFor();
  const panel = page.tab.locator('.panel').filter({ has: plot });
  await panel
    .locator('figcaption')
    .filter({ hasText: /Total.*Views\s+1,234/s })
    .waitFor();
  await plot.focus();
  await page.tab.keyboard.press('Home');
  await panel
    .locator('figcaption')
    .filter({ hasText: /Views\s+0/ })
    .waitFor();
  await page.tab.keyboard.press('End');
  await panel
    .locator('figcaption')
    .filter({ hasText: /Views\s+1,234/ })
    .waitFor();
  expect(await page.accessibilityViolations()).toEqual([]);
  await page.tab.setViewportSize({ width: 390, height: 900 });
  const box = (await plot.boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(390);
});

test('a session without the scope has no chart', async () => {
  const { page, api } = await begin({
    scopes: ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
  });
  await createGroup(api, 'acme');
  await page.visit('groups/acme');
  await page.shows('Properties');
  expect(await page.read(0, () => page.tab.getByRole('heading', { name: 'Usage' }).count())).toBe(
    0,
  );
});

test('the overview has the busiest user groups first, by name, with a link to each', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  const name = '<img src=x onerror=alert(1)>\u202eevil';
  await createGroup(api, 'odd / id', { name });
  await createGroup(api, 'gone');
  await report(api, [
    { sub: 'acme', user_id: 'ann', count: 1234, at: at() },
    { sub: 'odd / id', count: 5, at: at() },
    { sub: 'gone', count: 7, at: at() },
  ]);
  const { body } = await api.call('GET', '/api/v1/user-groups/gone');
  await api.call('DELETE', '/api/v1/user-groups/gone');
  await page.visit();
  const rows = page.tab.getByRole('region', { name: BUSIEST }).locator('tbody tr');
  const shown = [
    ['acme', '1,234', '0'],
    [`deleted, internal no. ${body.user_group.team_id}`, '7', '0'],
    ['<img src=x onerror=alert(1)>␣U+202Eevil', '5', '0'],
  ];
  const cells = async () => (await rows.allInnerTexts()).map((row) => row.trim().split(/\s*\t\s*/));
  expect(await page.read(shown, cells)).toEqual(shown);
  expect(await page.accessibilityViolations()).toEqual([]);
  await page.use(rows.getByRole('link', { name: /^<img/ }));
  await page.comesTo('groups/odd%20%2F%20id');
  await page.heading(/^<img/).waitFor();
});

test('the overview has no table of busiest user groups before any is used', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  await page.visit();
  await page.tab.getByRole('heading', { name: 'Activity' }).waitFor();
  await page.settle();
  expect(await page.read(0, () => page.tab.getByText(BUSIEST).count())).toBe(0);
  expect(await page.read(0, () => page.tab.locator('.trouble').count())).toBe(0);
});

describe.each([
  ['without the scope', {}, ['user-groups:read', 'user-groups:write', 'tokens:introspect']],
  ['without the feature', { FEATURES: 'core,overview' }, undefined],
] as const)('%s', (_, env, scopes) => {
  const narrow = withConsole('sqlite', env);

  test('the overview does not ask for usage', async () => {
    const { page, api } = await narrow.begin(scopes && { scopes });
    await api.call('PUT', '/api/v1/user-groups/acme', { name: 'acme' });
    const asked: string[] = [];
    page.tab.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.visit();
    await page.tab.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.settle();
    expect(asked).toContainEqual(expect.stringMatching(/overview\/activity$/));
    expect(asked.filter((path) => path.endsWith('/usage'))).toEqual([]);
    expect(await page.read(0, () => page.tab.getByText(BUSIEST).count())).toBe(0);
  });
});
