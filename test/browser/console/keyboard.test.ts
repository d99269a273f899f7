import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

/** The key that leads to each page, after `g`. */
const PAGES = [
  ['u', 'User groups'],
  ['j', 'Jobs'],
  ['i', 'Inspect a token'],
  ['l', 'Leaked tokens'],
  ['r', 'Registry'],
  ['t', 'API tokens'],
  ['a', 'Audit log'],
  ['w', 'Webhooks'],
  ['e', 'Events'],
  ['s', 'Sessions'],
  ['y', 'System'],
  ['o', 'Overview'],
] as const;

onEachDatabase((kind) => {
  const { service, open, begin } = withConsole(kind);

  test('the field of the token has the focus at the beginning, and Enter signs in', async () => {
    const page = await open();
    await page.visit('sessions');
    expect(await page.getsFocus(page.field('API token'))).toBe(true);
    await page.tab.keyboard.insertText(await service.issueToken(['user-groups:read']));
    await page.press('Enter');
    await page.heading('Sessions').waitFor();
  });

  test('g and a letter lead to each page, but not while one writes', async () => {
    const { page } = await begin();
    await page.visit();
    for (const [key, name] of PAGES) {
      await page.goByKey(key);
      await page.heading(new RegExp(`^${name}`)).waitFor();
      // The element with the focus is gone. The next key goes on from the page's heading.
      expect([name, await page.getsFocus(page.tab.locator('h1'))]).toEqual([name, true]);
    }
    await page.goByKey('u');
    await page.heading('User groups').waitFor();
    await page.press('/');
    await page.tab.keyboard.type('ge?/');
    const search = page.field('Search by name, id or property value');
    expect(await page.read('ge?/', () => search.inputValue())).toBe('ge?/');
    await page.shows('No user group matches');
    expect(await page.read(0, () => page.tab.getByRole('dialog').count())).toBe(0);
  });

  test('/ searches on the page, and Escape ends it', async () => {
    const { page, api } = await begin();
    for (const id of ['alder', 'birch']) await createGroup(api, id);
    await page.visit('groups');
    await page.row('alder').waitFor();
    await page.press('/');
    await page.tab.keyboard.type('birch');
    await page.row('alder').waitFor({ state: 'detached' });
    await page.comesTo('groups?search=birch');
    await page.press('Escape');
    await page.row('alder').waitFor();
    await page.comesTo('groups');
    for (const place of ['registry', 'api-tokens', 'audit', 'events']) {
      await page.visit(place);
      await page.press('/');
      expect([place, await page.getsFocus(page.tab.getByRole('searchbox'))]).toEqual([place, true]);
    }
  });

  test('the arrow keys walk the rows of a table, and Enter opens one', async () => {
    const { page, api } = await begin();
    const ids = ['alder', 'birch', 'cedar', 'dogwood'];
    for (const id of ids) await createGroup(api, id);
    await page.visit('groups?sort=name');
    await page.row('dogwood').waitFor();
    const walk = async (wanted: string, ...keys: string[]) => {
      await page.press(...keys);
      return page.read(wanted, () => page.tab.locator(':focus').innerText());
    };
    expect(await walk('alder', 'ArrowDown')).toBe('alder');
    expect(await walk('birch', 'ArrowDown', 'ArrowDown', 'ArrowUp')).toBe('birch');
    expect(await walk('dogwood', 'End')).toBe('dogwood');
    expect(await walk('dogwood', 'ArrowDown')).toBe('dogwood');
    expect(await walk('alder', 'Home')).toBe('alder');
    await page.press('ArrowDown', 'Enter');
    await page.heading('birch').waitFor();
  });

  test('Escape closes a dialog without its effect, and leads back to what has opened it', async () => {
    const { page, api } = await begin();
    const token = await createGroup(api, 'acme');
    await page.visit('groups/acme');
    const dialog = page.tab.getByRole('dialog');
    // Nobody begins at the top again.
    const expectBackAt = async (name: string) => {
      expect([name, await page.getsFocus(page.button(name))]).toEqual([name, true]);
    };
    for (const name of ['Suspend', 'Edit', 'Delete', 'Rotate']) {
      await page.tabTo(page.button(name));
      await page.press('Space');
      await dialog.waitFor();
      await page.press('Tab', 'Escape');
      await dialog.waitFor({ state: 'detached' });
      await expectBackAt(name);
    }
    await page.press('?');
    await page.dialog('Keyboard shortcuts').waitFor();
    await page.press('g', 'e', 'Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.comesTo('groups/acme');
    await expectBackAt('Rotate');
    expect(await api.isActive(token)).toBe(true);
  });

  test('the focus stays in a dialog, and Enter in its field does what its button does', async () => {
    const { page, api } = await begin();
    await createGroup(api, 'acme');
    await page.visit('groups/acme');
    await page.tabTo(page.button('Delete'));
    await page.press('Enter');
    const confirmation = page.field('Type its id acme to confirm');
    await page.tabTo(confirmation);
    for (let presses = 0; presses < 12; presses++) {
      await page.press('Tab');
      expect(
        await page.read(0, () => page.tab.locator('.shell > * :focus:not(dialog *)').count()),
      ).toBe(0);
    }
    await page.tabTo(confirmation);
    await page.tab.keyboard.type('acm');
    await page.press('Enter');
    expect((await api.call('GET', '/api/v1/user-groups/acme')).status).toBe(200);
    await page.tab.keyboard.type('e');
    await page.press('Enter');
    await page.heading('User groups').waitFor();
    expect((await api.call('GET', '/api/v1/user-groups/acme')).status).toBe(404);
  });

  test('the first thing that Tab leads to passes over the navigation', async () => {
    const { page } = await begin();
    await page.visit('groups');
    const skip = page.tab.getByRole('link', { name: 'Skip to the content' });
    await page.tabTo(skip);
    expect(await page.read(true, () => skip.isVisible())).toBe(true);
    await page.press('Enter');
    expect(await page.getsFocus(page.tab.locator('main'))).toBe(true);
    await page.press('Tab');
    expect(await page.getsFocus(page.button('Export'))).toBe(true);
  });

  test('a button keeps the focus while it is busy, and one that goes gives it to its field', async () => {
    const { page, api } = await begin();
    const token = await createGroup(api, 'acme');
    await api.call('PATCH', '/api/v1/user-groups/acme', { valid_until: '2040-01-02T03:04:00Z' });
    const goOn = await page.hold(/\/tokens\/inspect$/);
    await page.visit('inspect');
    await page.field('Token').fill(token);
    const inspect = page.button('Inspect');
    await inspect.focus();
    await page.press('Enter');
    expect(
      await page.read('true', async () => (await inspect.getAttribute('aria-busy')) ?? ''),
    ).toBe('true');
    expect(await page.getsFocus(inspect)).toBe(true);
    goOn();
    await page.shows(/^Accepted\./);
    expect(await page.getsFocus(inspect)).toBe(true);

    await page.visit('groups/acme');
    await page.button('Edit').click();
    await page.button('Remove the end').click();
    expect(await page.getsFocus(page.field('Ends'))).toBe(true);
  });

  test('a button that goes hands the focus on to what stays', async () => {
    const { page, api } = await begin();
    await createGroup(api, 'acme');
    await page.visit('groups/acme');
    const heading = page.tab.locator('h1');
    await page.button('Suspend').click();
    await page.dialog('Suspend').getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.button('Resume').waitFor();
    expect(await page.getsFocus(heading)).toBe(true);
    const resume = page.button('Resume');
    await resume.focus();
    await page.press('Enter');
    await resume.waitFor({ state: 'detached' });
    expect(await page.getsFocus(heading)).toBe(true);

    const { token } = (await api.get({ user_group_id: 'acme' })).body.user_group;
    await api.rotate(token, 3600);
    await page.visit('groups/acme');
    await page.button('Revoke now').click();
    await page.dialog('Revoke').getByRole('button', { name: 'Revoke now' }).click();
    await page.row('No. 1').getByText('revoked').waitFor();
    expect(await page.getsFocus(page.tab.getByRole('region', { name: 'Tokens' }))).toBe(true);

    await page.visit('registry/variables');
    await page.button('Edit variables').click();
    await page.button('Variable').click();
    expect(await page.getsFocus(page.field('Name'))).toBe(true);
    await page.button('Remove variable 1').click();
    expect(await page.getsFocus(page.dialog('Edit variables').locator('form'))).toBe(true);
  });

  test('the last page of a list leaves the focus at its foot', async () => {
    const { page, api } = await begin();
    for (let n = 0; n < 51; n++) await createGroup(api, `g${n}`);
    await page.visit('groups');
    const more = page.button('Load more');
    await more.focus();
    await page.press('Enter');
    await more.waitFor({ state: 'detached' });
    expect(await page.getsFocus(page.tab.locator('.list-foot'))).toBe(true);
  });
});
