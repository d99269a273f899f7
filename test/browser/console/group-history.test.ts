import { byEachHand } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { until } from '../../support/time/until.ts';

// The page shows the same of a group on each database.
const { service, begin } = withConsole('sqlite');

byEachHand((hand) => {
  test('the history lists each version, and how it differs from the one before and from the present', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'acme', { properties: { seats: 25 } });
    await api.put({ user_group_id: 'acme', name: 'Acme', properties: { seats: 30, plan: 'team' } });
    await api.put({ user_group_id: 'acme', name: 'Acme EMEA' });
    await page.visit('groups/acme');
    await page.use(page.tab.getByRole('link', { name: 'History', exact: true }));
    await page.comesTo('groups/acme/history');
    await page.row('Version 3').getByText('now').waitFor();
    const versions = page.tab.getByRole('region', { name: 'Versions' }).locator('tbody > tr');
    const named = async () =>
      (await versions.allInnerTexts()).map((row) => /Version \d/.exec(row)?.[0]);
    const all = ['Version 3', 'Version 2', 'Version 1'];
    expect(await page.read(all, named)).toEqual(all);
    expect(
      await page.read(0, () =>
        page.row('Version 3').getByRole('button', { name: 'Restore…' }).count(),
      ),
    ).toBe(0);
    await page.use(page.button(/Version 2/));
    const differences = async () =>
      (
        await page.tab
          .getByRole('region', { name: 'What differs' })
          .locator('tbody tr')
          .allInnerTexts()
      )
        .map((row) => row.split(/\s*\t\s*/))
        .sort();
    const toOlder = [
      ['name', '"acme"', '"Acme"'],
      ['properties › plan', '–', '"team"'],
      ['properties › seats', '25', '30'],
    ];
    expect(await page.read(toOlder, differences)).toEqual(toOlder);
    await page.use(page.tab.getByRole('radio', { name: 'Now' }));
    const toPresent = [['name', '"Acme EMEA"', '"Acme"']];
    expect(await page.read(toPresent, differences)).toEqual(toPresent);
  });

  test('a version is restored once the change was seen, unless somebody else has changed the group', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'acme', { properties: { seats: 25 } });
    await api.put({ user_group_id: 'acme', properties: { seats: 30 } });
    await page.visit('groups/acme/history');
    await page.use(page.button('Restore…'));
    const dialog = page.dialog('Restore version 1');
    await dialog.getByRole('row', { name: 'properties › seats 30 25' }).waitFor();
    await api.put({ user_group_id: 'acme', properties: { seats: 31 } });
    await page.use(page.button('Restore this version'));
    await dialog.getByText('Somebody has changed the group since.').waitFor();
    page.takeRefusal(412);
    expect((await api.call('GET', '/api/v1/user-groups/acme')).body.user_group.properties).toEqual({
      seats: 31,
    });
    await page.use(page.button('Cancel'));
    await page.row('Version 3').getByText('now').waitFor();
    await page.use(page.row('Version 1').getByRole('button', { name: 'Restore…' }));
    await dialog.getByRole('row', { name: 'properties › seats 31 25' }).waitFor();
    await page.use(page.button('Restore this version'));
    await page.shows('version 1 restored');
    await page.row('Version 4').getByText('now').waitFor();
    await page.row('Version 4').getByText('Restored from version 1').waitFor();
    expect((await api.call('GET', '/api/v1/user-groups/acme')).body.user_group.properties).toEqual({
      seats: 25,
    });
  });

  test('a restore is of the differences that were seen, also after the connection was lost', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'acme', { properties: { seats: 25 } });
    await api.put({ user_group_id: 'acme', properties: { seats: 30 } });
    await page.visit('groups/acme/history');
    await page.use(page.button('Restore…'));
    const dialog = page.dialog('Restore version 1');
    await dialog.getByRole('row', { name: 'properties › seats 30 25' }).waitFor();
    await page.context.setOffline(true);
    await page.use(page.button('Restore this version'));
    await page.shows('No connection. Trying again…');
    await api.put({ user_group_id: 'acme', properties: { seats: 31 } });
    await page.context.setOffline(false);
    await page.row('Version 3').getByText('now').waitFor();
    page.complaints.splice(0);
    await page.use(page.button('Restore this version'));
    await dialog.getByText('Somebody has changed the group since.').waitFor();
    page.takeRefusal(412);
    expect((await api.call('GET', '/api/v1/user-groups/acme')).body.user_group.properties).toEqual({
      seats: 31,
    });
  });

  test('a deleted group is restored from the place where it was, with a new token', async () => {
    const { page, api } = await begin({ hand });
    const token = await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
    await api.call('DELETE', '/api/v1/user-groups/acme');
    await page.visit('groups/acme');
    await page.shows('There is no group acme');
    await page.use(page.button('Restore…'));
    await page.dialog('Restore version 1').getByText('It gets a new token').waitFor();
    await page.dialog('Restore version 1').getByText('"warehouse"').waitFor();
    await page.use(page.button('Restore this version'));
    await page.button('Edit').waitFor();
    page.takeAnyRefusals(404);
    const { body } = await api.call('GET', '/api/v1/user-groups/acme/tokens/current');
    expect(body.user_group).toMatchObject({ provided_id: 'acme' });
    expect(await api.isActive(token)).toBe(false);
    expect(await api.isActive(body.user_group.token)).toBe(true);
  });

  test('a group is shown as it was at a moment, with the tokens that were accepted', async () => {
    const { page, api } = await begin({ hand });
    const token = await createGroup(api, 'acme', {
      mapping: { sales: 'old' },
      properties: { seats: 25 },
    });
    await api.rotate(token, 0);
    await api.call('POST', '/api/v1/user-groups/acme/suspend');
    const at = new Date().toISOString();
    await until(() => new Date().toISOString() !== at);
    await api.call('POST', '/api/v1/user-groups/acme/resume');
    await api.put({
      user_group_id: 'acme',
      name: 'Later',
      mapping: { sales: 'new' },
      properties: { seats: 30 },
    });
    await page.visit(`groups/acme/history?at=${at}`);
    const then = page.tab.getByRole('status').filter({ hasText: 'Token no. 2' });
    await then.waitFor();
    await then.getByText('"old"').first().waitFor();
    const text = await then.innerText();
    for (const words of [
      'Suspended',
      'acme',
      'its group is suspended',
      'a newer token has replaced it',
      '"old"',
      '"seats": 25',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).not.toMatch(/Later|"new"|"seats": 30/);
    // Without the seconds that the field shows of a moment.
    await page.field('Date and time').fill('');
    await page.write(page.field('Date and time'), '2020-03-02T14:37');
    await page.use(page.button('Show'));
    await page.shows('There was no group with this id then.');
    await page.comesTo(/^groups\/acme\/history\?at=2020-03-02T14%3A37/);
    page.takeAnyRefusals(404);
    page.takeAnyRefusals(422);
    page.takeAnyRefusals(410);
  });
});

test('versions are compared with every digit, and null is not shown as absent', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme', { properties: { big: 111, gone: null, list: [1, { a: ']' }] } });
  await api.put({ user_group_id: 'acme', properties: { big: 222, come: null, list: [] } });
  // The API takes no number that loses digits; one of another version of it may.
  await page.tab.route(/compare_with/, async (route) => {
    const response = await route.fetch();
    const text = (await response.text())
      .replaceAll('111', '9007199254740992')
      .replaceAll('222', '9007199254740993');
    await route.fulfill({ response, body: text });
  });
  await page.visit('groups/acme/history');
  await page.button(/Version 2/).click();
  const rows = page.tab.getByRole('region', { name: 'What differs' }).locator('tbody tr');
  const shown = async () => (await rows.allInnerTexts()).map((row) => row.split(/\s*\t\s*/)).sort();
  const differences = [
    ['properties › big', '9007199254740992', '9007199254740993'],
    ['properties › come', '–', 'null'],
    ['properties › gone', 'null', '–'],
    ['properties › list', '[1,{"a":"]"}]', '[]'],
  ];
  expect(await page.read(differences, shown)).toEqual(differences);
});

test('who may not write is not offered a restore, and a group that never was has no history', async () => {
  const { api, workspace } = await begin();
  await createGroup(api, 'acme');
  await api.put({ user_group_id: 'acme', name: 'Later' });
  const { page } = await begin({ workspace, scopes: ['user-groups:read'] });
  await page.visit('groups/acme/history');
  await page.row('Version 1').waitFor();
  expect(await page.read(0, () => page.button('Restore…').count())).toBe(0);
  await page.visit('groups/never');
  await page.shows('The id may be misspelled');
  expect(await page.read(0, () => page.tab.getByRole('region', { name: 'Versions' }).count())).toBe(
    0,
  );
  page.takeAnyRefusals(404);
});

test('what is shown of a moment is restored from there', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme', { properties: { seats: 1 } });
  const { body } = await api.call('GET', '/api/v1/user-groups/acme');
  await api.call('PATCH', '/api/v1/user-groups/acme', { properties: { seats: 2 } });
  const at = (body as unknown as { user_group: { updated_at: string } }).user_group.updated_at;
  await page.visit(`groups/acme/history?at=${at}`);
  await page.button('Restore this…').click();
  const dialog = page.dialog('Restore version 1');
  await dialog.getByRole('row', { name: 'properties › seats 2 1' }).waitFor();
  await dialog.getByRole('button', { name: 'Restore this version' }).click();
  await page.row('Version 3').getByText('now').waitFor();
});

test('each version says who has made it, to a person who may read the audit log', async () => {
  const { page, api } = await begin();
  const issued = await api.call('POST', '/api/v1/api-tokens', {
    name: 'Backend of Acme',
    scopes: ['user-groups:write', 'user-groups:read'],
  });
  const { token } = (issued.body as unknown as { api_token: { token: string } }).api_token;
  const backend = service.clientOf(token);
  await createGroup(api, 'acme');
  await backend.call('PATCH', '/api/v1/user-groups/acme', { name: 'Acme Inc.' });
  await page.visit('groups/acme/history');
  await page.row('Version 2').getByText('by Backend of Acme', { exact: true }).waitFor();
  await page
    .row('Version 1')
    .getByText(/^by (?!Backend)\S/)
    .waitFor();
  await page.tab.route('**/versions?*', async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replace(/"author":\{[^}]*\}/, '"author":null');
    await route.fulfill({ response, body: text });
  });
  await page.tab.reload();
  await page.row('Version 2').getByText('by an author no longer known').waitFor();
});
