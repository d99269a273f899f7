import type { Route } from 'playwright-core';
import { type ApiClient, NDJSON } from '../../support/api/api-client.ts';
import { byEachHand } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { until } from '../../support/time/until.ts';

const { begin } = withConsole('sqlite');

const SEARCH = 'Search by name, id or property value';

/** Creates the oldest group `first`, and this many others. */
async function createMany(api: ApiClient, count: number) {
  await createGroup(api, 'first', { name: 'The needle' });
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({ user_group_id: `g${at}`, name: `first ${at}` }),
  );
  await api.send({
    method: 'POST',
    path: '/api/v1/user-groups/import',
    body: lines.join('\n'),
    headers: NDJSON,
  });
}

test('a search goes on by itself, says how far it is, and can be stopped', async () => {
  const { page, api } = await begin();
  await createMany(api, 3500);
  let isHeld = false;
  const held: Route[] = [];
  await page.tab.route(/user-groups\?.*search=/, async (route) => {
    if (isHeld) held.push(route);
    else await route.continue();
  });
  const letOnePass = async () => {
    await until(() => held.length > 0);
    await held.shift()!.continue();
  };
  await page.visit('groups?search=needle');
  await page.row('The needle').waitFor();
  await page.shows('1 user group found');
  expect(await page.read(0, () => page.button('Search on').count())).toBe(0);
  isHeld = true;
  await page.visit('groups?search=needles');
  await letOnePass();
  await page.shows('0 found. Searched 1,000 of 3,501…');
  await page.shows('Searching…');
  await page.button('Stop').click();
  await letOnePass();
  await page.shows('0 user groups found. Searched 2,000 of 3,501.');
  await page.shows('Nothing found yet');
  isHeld = false;
  await page.button('Search on').click();
  await page.shows('No user group matches');
  // No group has these ids.
  page.takeAnyRefusals(404);
});

byEachHand((hand) => {
  test('an exact id is the first row at once, and Enter opens it', async () => {
    const { page, api } = await begin({ hand });
    await createMany(api, 1200);
    await page.visit('groups');
    await page.shows('50 of 1,201 user groups');
    await page.write(page.field(SEARCH), 'first');
    const names = () => page.tab.locator('tbody .row-link').allInnerTexts();
    expect(await page.read('The needle', async () => (await names())[0]!)).toBe('The needle');
    const needles = async () => (await names()).filter((name) => name === 'The needle').length;
    expect(await page.read(1, needles)).toBe(1);
    await page.press('Enter');
    await page.comesTo('groups/first');
  });

  test('groups with a property are found from the page', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'north', { properties: { region: 'EMEA', seats: 25 } });
    await createGroup(api, 'south', { properties: { region: 'APAC' } });
    await page.visit('groups');
    await page.use(page.button('Filter'));
    await page.write(page.field('Property'), 'region');
    await page.write(page.field('is'), 'EMEA');
    await page.use(page.button('Apply'));
    await page.row('south').waitFor({ state: 'detached' });
    await page.row('north').waitFor();
    await page.comesTo('groups?property=region&value=EMEA');
    await page.use(page.button('Remove the filter by region'));
    await page.row('south').waitFor();
    await page.use(page.button('Filter'));
    await page.write(page.field('Property'), 'ugt_secret');
    await page.shows('A token is no filter');
    expect(await page.read(true, () => page.button('Apply').isDisabled())).toBe(true);
    expect(await page.accessibilityViolations()).toEqual([]);
  });
});

test('the arrow leads from the search to the first row, and Enter opens an only result', async () => {
  const { page, api } = await begin();
  for (const id of ['alder', 'birch']) await createGroup(api, id);
  await page.visit('groups?sort=name');
  await page.row('birch').waitFor();
  await page.field(SEARCH).focus();
  await page.press('ArrowDown');
  expect(await page.getsFocus(page.row('alder').getByRole('link'))).toBe(true);
  await page.field(SEARCH).fill('b');
  await page.row('alder').waitFor({ state: 'detached' });
  await page.field(SEARCH).fill('bir');
  await page.press('Enter');
  await page.comesTo('groups/birch');
});

test('a status or an order that is none is said to be none', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'alder');
  await page.visit('groups?status=bogus&sort=worse');
  await page.row('alder').waitFor();
  await page.shows('There is no status “bogus”: groups of every status are shown.');
  await page.shows('There is no order “worse”: the newest groups come first.');
  await page.tab.getByLabel('Status').selectOption('active');
  await page.tab.getByText('There is no status').waitFor({ state: 'detached' });
});

test('the list says when a group ends', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'trial');
  await api.call('PATCH', '/api/v1/user-groups/trial', { valid_until: '2040-05-06T07:08:09Z' });
  await page.visit('groups');
  expect(
    await page.read(expect.stringContaining('6 May 2040'), () => page.row('trial').innerText()),
  ).toContain('6 May 2040');
});
