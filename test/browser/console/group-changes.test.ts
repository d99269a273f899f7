import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { byHandOn } from '../../support/console/console-page.ts';
import { noteTokens } from '../../support/jest/leaks.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

const path = '/api/v1/user-groups/acme';

const isOpenStream = (response: { ok: () => boolean; url: () => string }) =>
  response.ok() && response.url().includes('/events/stream');

onEachDatabase((kind) => {
  const { service, begin } = withConsole(kind);

  byHandOn(kind, (hand) => {
    test('an edit, a suspension and a deletion are undone, and a save without a change says so', async () => {
      const { page, api } = await begin({ hand });
      const token = await createGroup(api, 'acme', { properties: { seats: 25 } });
      await page.visit('groups/acme');
      await page.use(page.button('Edit'));
      await page.use(page.button('Save'));
      await page.shows('nothing changed');
      expect(await page.read(0, () => page.button('Undo').count())).toBe(0);
      await page.use(page.button('Edit'));
      await page.write(page.field('Name'), 'Renamed');
      await page.write(page.field('Value of property 1'), '26');
      await page.use(page.button('Save'));
      await page.heading('Renamed').waitFor();
      await page.use(page.button('Undo'));
      await page.heading('acme').waitFor();
      expect((await api.call('GET', path)).body.user_group).toMatchObject({
        name: 'acme',
        properties: { seats: 25 },
      });

      await page.use(page.button('Suspend'));
      await page.use(page.dialog('Suspend this').getByRole('button', { name: 'Suspend' }));
      await page.button('Resume').waitFor();
      expect(await api.isActive(token)).toBe(false);
      await page.use(page.button('Undo'));
      await page.button('Suspend').waitFor();
      expect(await api.isActive(token)).toBe(true);

      await page.use(page.button('Delete'));
      await page.write(page.field('Type its id acme to confirm'), 'acme');
      await page.use(page.button('Delete for good'));
      await page.heading('User groups').waitFor();
      await page.use(page.button('Restore with a new token'));
      await page.heading('acme').waitFor();
      expect((await api.call('GET', path)).body.user_group).toMatchObject({
        properties: { seats: 25 },
      });
      expect(await api.isActive(token)).toBe(false);
      page.takeAnyRefusals(404);
    });

    test('an undo leaves what somebody else has changed since', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme');
      await page.visit('groups/acme');
      await page.use(page.button('Edit'));
      await page.write(page.field('Name'), 'Mine');
      await page.use(page.button('Save'));
      await page.heading('Mine').waitFor();
      await api.put({ user_group_id: 'acme', name: 'Theirs' });
      await page.use(page.button('Undo'));
      await page.shows('Somebody has changed the group since: nothing was undone.');
      page.takeRefusal(412);
      expect((await api.call('GET', path)).body.user_group.name).toBe('Theirs');

      await page.visit('groups/acme');
      await page.use(page.button('Suspend'));
      await page.use(page.dialog('Suspend this').getByRole('button', { name: 'Suspend' }));
      await page.button('Resume').waitFor();
      await api.put({ user_group_id: 'acme', name: 'Theirs again' });
      await page.use(page.button('Undo'));
      await page.shows('Somebody has changed the group since: nothing was undone.');
      expect((await api.call('GET', path)).body.user_group).toMatchObject({ status: 'suspended' });
    });

    test('a change of somebody else is told at once, with its author, and shown on demand', async () => {
      const { page, api, workspace } = await begin({ hand });
      await createGroup(api, 'acme');
      const other = service.clientOf(await service.issueToken(['user-groups:write'], workspace));
      const stream = page.tab.waitForResponse(isOpenStream);
      await page.visit('groups/acme');
      await stream;
      await page.use(page.button('Edit'));
      await page.write(page.field('Name'), 'Mine');
      await page.use(page.button('Save'));
      await page.heading('Mine').waitFor();
      await other.call('PUT', path, { name: 'Theirs' });
      await page.shows(/^Changed \d+ s ago by /);
      expect(await page.read(1, () => page.heading('Mine').count())).toBe(1);
      await page.use(page.button('Show'));
      await page.heading('Theirs').waitFor();
      await page.tab.getByText(/^Changed \d+ s ago/).waitFor({ state: 'detached' });
      await api.call('DELETE', path);
      await page.shows(/^Deleted \d+ s ago/);
      await page.use(page.button('Show'));
      await page.shows('There is no group acme');
      page.takeAnyRefusals(404);
    });
  });

  test('a conflict names who has changed the group last, not who has read its token', async () => {
    const { page, api } = await begin();
    const token = await createGroup(api, 'acme');
    const named = async (name: string) => {
      const body = {
        name,
        scopes: ['user-groups:write', 'user-group-tokens:read', 'tokens:rotate'],
      };
      const { api_token } = (await api.call('POST', '/api/v1/api-tokens', body)).body;
      noteTokens(api_token.token);
      return service.clientOf(api_token.token);
    };
    const [writer, other, rotating] = [
      await named('first writer'),
      await named('second writer'),
      await named('reader'),
    ];
    await page.visit('groups/acme');
    await page.button('Edit').click();
    await page.field('Name').fill('Mine');
    await writer.put({ user_group_id: 'acme', name: 'Theirs' });
    await rotating.rotate(token, 0);
    await page.button('Save').click();
    await page.dialog('Edit').getByText('first writer changed this group').waitFor();
    page.takeRefusal(412);
    await other.put({ user_group_id: 'acme', name: 'Theirs again' });
    await page.button('Keep mine and save').click();
    await page.dialog('Edit').getByText('second writer changed this group').waitFor();
    page.takeRefusal(412);
  });

  test('a rotation elsewhere shows the new token number at once', async () => {
    const { page, api } = await begin();
    const token = await createGroup(api, 'acme');
    const stream = page.tab.waitForResponse(isOpenStream);
    await page.visit('groups/acme');
    await page.row('No. 1').waitFor();
    await stream;
    await api.rotate(token, 0);
    await page.row('No. 2').waitFor();
  });

  test('an open page says so when all tokens of the workspace are ended, or its rules find the group incomplete', async () => {
    const { page, api } = await begin();
    await createGroup(api, 'acme');
    const stream = page.tab.waitForResponse(isOpenStream);
    await page.visit('groups/acme');
    await stream;
    const status = (text: string) =>
      page.tab.getByRole('heading', { level: 1 }).getByText(text).waitFor();
    await status('Active');
    await api.call('POST', '/api/v1/workspace/end-tokens', {
      kinds: ['user_group_token'],
      reason: 'a backup was lost',
    });
    await status('No valid token');
    await api.put({ user_group_id: 'acme', properties: {} });
    await api.call('PUT', '/api/v1/schemas/sales', {});
    await api.call('PATCH', '/api/v1/workspace', { required_schemas: ['sales'] });
    await status('Incomplete');
  });

  test('e edits, r rotates, and neither does while somebody writes', async () => {
    const { page, api } = await begin();
    await createGroup(api, 'acme');
    await page.visit('groups/acme');
    await page.button('Edit').waitFor();
    await page.press('e');
    await page.dialog('Edit').waitFor();
    await page.press('r', 'Escape');
    await page.button('Discard').click();
    await page.press('r');
    await page.dialog('Rotate the token of acme').waitFor();
    expect(await page.getsFocus(page.tab.getByRole('radio', { name: '1 hour' }))).toBe(true);
    await page.press('Escape');
    await page.goByKey('e');
    await page.heading(/Events/).waitFor();
  });

  test('a long mapping shows ten entries, and all on demand', async () => {
    const { page, api } = await begin({ scopes: ['user-groups:read', 'user-groups:write'] });
    const mapping = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`schema-${at}`, 'warehouse']),
    );
    await api.call('PUT', path, { name: 'acme', mapping });
    await page.visit('groups/acme');
    const rows = page.tab.getByRole('region', { name: 'Mapping' }).locator('tbody tr');
    expect(await page.read(10, () => rows.count())).toBe(10);
    await page.button('Show all 60').click();
    expect(await page.read(60, () => rows.count())).toBe(60);
    expect(await page.read(0, () => page.button('Show all 60').count())).toBe(0);
  });
});
