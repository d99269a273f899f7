import { NDJSON } from '../../support/api/api-client.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';

const { begin } = withConsole('sqlite');

test('a selection moves no row, and stays in sight while the page scrolls', async () => {
  const { page, api } = await begin();
  for (let at = 0; at < 40; at++) await createGroup(api, `g${at}`);
  await page.visit('groups?sort=name');
  await page.settle();
  const top = async () => (await page.row('g5').first().boundingBox())!.y;
  const before = await top();
  await page.field('Select g1').click();
  const bulk = page.tab.getByRole('region', { name: 'What is selected' });
  await bulk.waitFor();
  expect(await page.read(before, top)).toBe(before);
  await page.tab.mouse.wheel(0, 900);
  expect(await page.read(true, () => page.tab.evaluate<boolean>('scrollY > 300'))).toBe(true);
  const { y, height } = (await bulk.boundingBox())!;
  expect([y >= 0, y + height < 100]).toEqual([true, true]);
  await bulk.getByRole('button', { name: 'Clear' }).click();
  const head = (await page.button('User group').boundingBox())!;
  expect(head.y).toBeLessThan(60);
});

test('a token that is pasted into a search gets into no address', async () => {
  const { page, api, token } = await begin();
  const own = await createGroup(api, 'acme');
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2lnbmF0dXJl';
  for (const [place, field] of [
    ['groups', 'Search by name, id or property value'],
    ['audit', 'Search actions, ids and details'],
    ['audit', 'Object'],
    ['api-tokens', 'Filter by name or last four characters'],
  ] as const) {
    await page.visit(place);
    await page.settle();
    for (const secret of [own, token, jwt]) {
      await page.field(field).fill(` ${secret}`);
      await page.leave();
      await page.shows('Tokens are not searched for');
      expect([field, await page.read('', () => page.field(field).inputValue())]).toEqual([
        field,
        '',
      ]);
    }
    await page.comesTo(place);
  }
});

test('what makes a token inactive comes first', async () => {
  const { page, api } = await begin();
  const token = await createGroup(api, 'acme');
  await api.rotate(token, 3600);
  await api.call('POST', '/api/v1/user-groups/acme/suspend');
  await page.visit('groups/acme');
  for (const row of ['No. 1', 'No. 2']) {
    await page.row(row).getByText('its group is suspended').waitFor();
  }
  expect(
    await page.read(
      expect.stringMatching(/inactive its group is suspended \(overlap valid until /),
      () => page.row('No. 1').innerText(),
    ),
  ).toMatch(/inactive its group is suspended \(overlap valid until /);
});

test('text runs in its own direction, and shows what nobody could see', async () => {
  const { page, api } = await begin();
  const name = 'abc\u202eevil';
  await createGroup(api, 'odd', { name, properties: { المنطقة: 'الشرق الأوسط' } });
  await createGroup(api, 'blank', { name: '   ' });
  await page.visit('groups');
  expect(
    await page.read('abc␣U+202Eevil', () => page.row('odd').getByRole('link').innerText()),
  ).toBe('abc␣U+202Eevil');
  await page.row('blank').getByRole('link', { name: '(blank)' }).waitFor();
  await page.visit('groups/odd');
  await page.heading('abc␣U+202Eevil').waitFor();
  const strings = page.tab.getByRole('region', { name: 'Properties' }).locator('bdi');
  expect(await page.read(['"المنطقة"', '"الشرق الأوسط"'], () => strings.allInnerTexts())).toEqual([
    '"المنطقة"',
    '"الشرق الأوسط"',
  ]);
  const [key, value] = await Promise.all([
    strings.nth(0).boundingBox(),
    strings.nth(1).boundingBox(),
  ]);
  expect(key!.x).toBeLessThan(value!.x);
});

test('an address that leads nowhere has a title of its own', async () => {
  const { page } = await begin();
  await page.visit('groups');
  await page.tab.getByRole('link', { name: 'User groups' }).click();
  await page.tab.evaluate(`location.hash = '#/nope'`);
  await page.heading('There is no such page').waitFor();
  expect(
    await page.read('There is no such page · User group service', () => page.tab.title()),
  ).toBe('There is no such page · User group service');
});

test('the browser leads back to the place in a long list, and so does the link above a group', async () => {
  const { page, api } = await begin();
  const lines = Array.from({ length: 150 }, (_, at) =>
    JSON.stringify({ user_group_id: `g${at}`, name: `Group ${at}` }),
  );
  await api.send({
    method: 'POST',
    path: '/api/v1/user-groups/import',
    body: lines.join('\n'),
    headers: NDJSON,
  });
  await page.visit('groups?sort=name&status=active');
  const count = () => page.tab.locator('tbody .row-link').count();
  for (const loaded of [50, 100]) {
    expect(await page.read(loaded, count)).toBe(loaded);
    await page.button('Load more').click();
  }
  expect(await page.read(150, count)).toBe(150);
  const scrolled = () => page.tab.evaluate<number>('scrollY');
  for (const back of [
    () => page.tab.goBack(),
    () => page.tab.locator('main').getByRole('link', { name: 'User groups' }).click(),
  ]) {
    await page.tab.getByRole('link', { name: 'Group 88', exact: true }).click();
    await page.heading('Group 88').waitFor();
    expect(await page.read(0, scrolled)).toBe(0);
    await api.put({ user_group_id: 'g89', name: 'Group 89' });
    await back();
    await page.comesTo('groups?sort=name&status=active');
    expect(await page.read(150, count)).toBe(150);
    expect(await page.read(true, async () => (await scrolled()) > 3000)).toBe(true);
    await page.row('Group 88').waitFor();
  }
  // A new visit begins with the first page.
  await page.tab
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Overview' })
    .click();
  await page.heading('Overview').waitFor();
  await page.tab
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'User groups' })
    .click();
  expect(await page.read(50, count)).toBe(50);
});

test('the list shows the groups that end within a week, and those with an old token that is still valid', async () => {
  const { page, api } = await begin();
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  for (const [id, days] of [
    ['over', -1],
    ['soon', 6],
    ['later', 8],
  ] as const) {
    await createGroup(api, id);
    await api.call('PATCH', `/api/v1/user-groups/${id}`, { valid_until: inDays(days) });
  }
  await api.rotate(await createGroup(api, 'rotated'), 3600);
  const ids = () => page.tab.locator('tbody .row-link').allInnerTexts();
  await page.visit();
  await page.tab.getByRole('link', { name: 'Show their groups' }).click();
  await page.comesTo('groups?status=overlap');
  expect(await page.read(['rotated'], ids)).toEqual(['rotated']);
  await page.shows('1 user group');
  await page.select(page.tab.getByRole('combobox', { name: 'Status' }), 'ending');
  await page.comesTo('groups?status=ending');
  expect(await page.read(['soon'], ids)).toEqual(['soon']);
  await page.button('User group').click();
  await page.comesTo('groups?status=ending&sort=name');
  expect(await page.read(['soon'], ids)).toEqual(['soon']);
});

test('the latest groups come first', async () => {
  const { page, api } = await begin();
  for (const id of ['first', 'second']) await createGroup(api, id);
  await page.visit('groups');
  await page.row('second').waitFor();
  expect(
    await page.read(['second', 'first'], () => page.tab.locator('tbody .row-link').allInnerTexts()),
  ).toEqual(['second', 'first']);
});

test('one long name, id and mapping leave every row its height, and the other columns theirs', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
  await createGroup(api, 'x'.repeat(240), { mapping: { ['schema '.repeat(20)]: 'y'.repeat(99) } });
  await page.visit('groups');
  const heights = async () =>
    Promise.all(
      ['acme', 'xxxx'].map(async (id) => (await page.row(id).first().boundingBox())!.height),
    );
  await page.row('xxxx').first().waitFor();
  // The last row has no border.
  const isAlike = async () => {
    const [usual, long] = await heights();
    return long! - usual! < 2;
  };
  expect(await page.read(true, isAlike)).toBe(true);
  expect(await page.read(0, () => page.overhang())).toBe(0);
});

test('blanks at an end of a name, and several in a row, are seen', async () => {
  const { page, api } = await begin();
  await createGroup(api, ' lead  and trail ', { name: 'plain name' });
  await page.visit('groups');
  const row = page.row('plain name');
  await row.getByText('␣lead␣␣and trail␣', { exact: true }).waitFor();
});

test('a page on paper has what it tells, and each moment in UTC', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  await page.visit('audit');
  await page.row('created acme').first().waitFor();
  await page.tab.emulateMedia({ media: 'print' });
  expect(await page.read(false, () => page.tab.locator('nav').isVisible())).toBe(false);
  expect(await page.read(false, () => page.button('Export').isVisible())).toBe(false);
  const time = page.row('created acme').locator('time').first();
  const at = (await time.getAttribute('datetime'))!;
  const after = () =>
    page.tab.evaluate<string>(
      "getComputedStyle(document.querySelector('time'), '::after').content",
    );
  expect(await page.read(expect.stringContaining('" ('), after)).toContain('T');
  expect(at).toMatch(/Z$/);
});
