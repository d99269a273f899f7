import { declareScope } from '../../../src/common/access/caller.ts';
import { NDJSON } from '../../support/api-client.ts';
import { byEachHand } from '../../support/console-page.ts';
import { createGroup, withConsole } from '../../support/console-tests.ts';
import { onEachDatabase } from '../../support/databases.ts';

onEachDatabase((kind) => {
  const { service, begin } = withConsole(kind);

  byEachHand((hand) => {
    test('an API token is issued, shown once, changed, rotated and revoked', async () => {
      const { page, api } = await begin({ hand });
      const works = async (token: string) =>
        (await service.clientOf(token).call('GET', '/api/v1/user-groups')).status === 200;
      await page.visit('api-tokens');
      await page.use(page.button('New API token'));
      await page.write(page.field('Name'), 'renderer');
      expect(await page.button('Create').isDisabled()).toBe(true);
      await page.use(page.tab.getByRole('checkbox', { name: /^tokens:introspect/ }));
      await page.use(page.button('Create'));
      await page.dialog('API token renderer').waitFor();
      const first = await page.readSecret();
      await page.use(page.button('Done'));
      expect(await page.tab.content()).not.toContain(first);
      expect(await works(first)).toBe(false);

      await page.use(page.row('renderer').getByRole('button', { name: 'Edit' }));
      await page.use(page.tab.getByRole('checkbox', { name: /^user-groups:read/ }));
      await page.write(page.field('Expires'), '2099-03-04T15:06');
      await page.write(page.field('Only from these addresses'), '127.0.0.0/8');
      await page.use(page.button('Save'));
      await page.row('user-groups:read').filter({ hasText: 'renderer' }).waitFor();
      expect(await works(first)).toBe(true);
      expect((await api.call('GET', '/api/v1/api-tokens')).body.api_tokens).toContainEqual(
        expect.objectContaining({
          name: 'renderer',
          expires_at: '2099-03-04T15:06:00.000Z',
          allowed_cidrs: ['127.0.0.0/8'],
        }),
      );

      await page.use(page.row('renderer').getByRole('button', { name: 'Rotate' }));
      await page.use(page.dialog('Rotate renderer').getByRole('button', { name: 'Rotate' }));
      const second = await page.readSecret();
      await page.use(page.button('Done'));
      await page.row('in overlap').waitFor();
      expect(await Promise.all([works(first), works(second)])).toEqual([true, true]);

      await page.use(page.row('in overlap').getByRole('button', { name: 'Revoke' }));
      expect(await page.dialog('Revoke').getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);
      await page.write(page.field('Type its name renderer to confirm'), 'renderer');
      await page.use(page.dialog('Revoke').getByRole('button', { name: 'Revoke' }));
      await page.row('in overlap').waitFor({ state: 'detached' });
      expect(await Promise.all([works(first), works(second)])).toEqual([false, true]);
      expect(await page.row('renderer').count()).toBe(1);
      await page.use(page.tab.getByRole('checkbox', { name: 'Show ended ones (1)' }));
      await page.row('revoked').waitFor();
      const { body } = await api.call('GET', '/api/v1/api-tokens');
      const states = body.api_tokens.map(({ name, state }) => [name, state]);
      expect(states).toContainEqual(['renderer', 'revoked']);

      await page.write(page.field('Filter by name or last four characters'), second.slice(-4));
      expect(await page.read(1, () => page.tab.locator('tbody tr').count())).toBe(1);
      await page.use(page.row('renderer').getByRole('link'));
      await page.heading('Audit log').waitFor();
      await page.comesTo(/^audit\?api_token_id=\d+$/);
    });

    test('an edit of an API token keeps the scope of a plugin', async () => {
      const seats = declareScope('seats:manage');
      // Nobody grants what they do not have.
      const { page, api, workspace } = await begin({ hand, scopes: ['admin', 'tokens:rotate', seats] });
      await service.issueToken([seats], workspace);
      await page.visit('api-tokens');
      const edited = page.row(seats).filter({ hasNotText: 'admin' });
      await page.use(edited.getByRole('button', { name: 'Edit' }));
      expect(await page.tab.getByRole('checkbox', { name: /^seats:manage/ }).isChecked()).toBe(true);
      await page.use(page.tab.getByRole('checkbox', { name: /^tokens:rotate/ }));
      await page.use(page.button('Save'));
      await edited.filter({ hasText: 'tokens:rotate' }).waitFor();
      const { body } = await api.call('GET', '/api/v1/api-tokens');
      expect(body.api_tokens.map(({ scopes }) => scopes.toSorted())).toContainEqual([seats, 'tokens:rotate']);
    });

    test('schemas and data sources are registered, and a change of the policy tells what would break', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
      await page.visit('registry');
      await page.shows('No schema is registered');
      await page.use(page.button('New schema'));
      await page.write(page.field('Your id'), 'sales');
      await page.write(page.field('Name'), 'Sales');
      await page.use(page.button('Register'));
      await page.heading('Sales').waitFor();

      await page.visit('registry/policy');
      await page.row('acme').waitFor();
      await page.use(page.button('Change to registered'));
      const dialog = page.dialog('Change to registered');
      await dialog.getByText('1 user group would break').waitFor();
      await page.use(dialog.getByRole('button', { name: 'Change to registered' }));
      await dialog.getByRole('alert').waitFor();
      page.takeRefusal(409);

      await page.use(dialog.getByRole('button', { name: 'Cancel' }));

      await page.use(page.tab.getByRole('link', { name: 'Data sources' }));
      await page.use(page.button('New data source'));
      await page.write(page.field('Your id'), 'warehouse');
      await page.write(page.field('Name'), 'Warehouse');
      await page.use(page.button('Register'));
      await page.heading('Warehouse').waitFor();
      await page.visit('registry/policy');
      await page.shows('Every mapping could be resolved');
      await page.use(page.button('Change to registered'));
      await dialog.getByText('nothing would break').waitFor();
      await page.use(dialog.getByRole('button', { name: 'Change to registered' }));
      await page.shows('Every mapping is resolved');
      const { text } = await api.call('GET', '/api/v1/workspace');
      expect(text).toContain('"mapping_policy":"registered"');

      for (const [tab, name] of [
        ['schemas', 'Sales'],
        ['data-sources', 'Warehouse'],
      ] as const) {
        await page.visit(`registry/${tab}`);
        await page.use(page.row(name).getByRole('link'));
        await page.row('acme').waitFor();
      }
      await page.use(page.button('Delete'));
      await page.write(page.field('Type its id warehouse to confirm'), 'warehouse');
      await page.use(page.button('Delete for good'));
      await page.dialog('Delete this data source').getByRole('alert').waitFor();
      page.takeRefusal(409);

      await page.visit('registry/policy');
      await page.use(page.button('Change to open'));
      await page.use(page.dialog('Change to open').getByRole('button', { name: 'Change to open' }));
      await page.button('Change to registered').waitFor();
      const { text: after } = await api.call('GET', '/api/v1/workspace');
      expect(after).toContain('"mapping_policy":"open"');
    });

    test.each([
      ['schema', 'schemas', 'Schemas'],
      ['data source', 'data-sources', 'Data sources'],
    ])('a %s that nothing refers to is found, renamed and deleted', async (one, path, many) => {
      const { page, api } = await begin({ hand });
      const call = async () => (await api.call('GET', `/api/v1/${path}`)).text;
      for (const id of ['unused', 'other']) {
        await api.call('POST', `/api/v1/${path}`, { provided_id: id, name: `The ${id} one` });
      }
      await page.visit(`registry/${path}`);
      await page.row('The other one').waitFor();
      await page.write(page.field(`The ${one} with exactly this id`), 'unused');
      await page.row('The other one').waitFor({ state: 'detached' });
      await page.use(page.row('The unused one').getByRole('link'));
      await page.shows('No user group refers to it');
      await page.use(page.button('Rename'));
      await page.write(page.field('Name'), 'Renamed');
      await page.use(page.button('Save'));
      await page.heading('Renamed').waitFor();
      expect(await call()).toContain('"name":"Renamed"');

      await page.use(page.button('Delete'));
      const submit = page.button('Delete for good');
      expect(await submit.isDisabled()).toBe(true);
      await page.write(page.field('Type its id unused to confirm'), 'unused');
      await page.use(submit);
      await page.row('The other one').waitFor();
      expect(await page.row('Renamed').count()).toBe(0);
      expect(await page.tab.getByRole('link', { name: many }).getAttribute('aria-current')).toBe('page');
      const left = await call();
      expect([left.includes('unused'), left.includes('The other one')]).toEqual([false, true]);
    });

    test('what every group must have is changed, and the groups that lack it are told', async () => {
      const { page, api } = await begin({ hand });
      await api.call('POST', '/api/v1/schemas', { provided_id: 'sales', name: 'Sales' });
      const token = await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
      await page.visit('registry/policy');
      await page.use(page.button('Change'));
      await page.use(page.button('Property'));
      await page.write(page.field('Name of property 1'), 'not wanted');
      await page.use(page.button('Property'));
      await page.write(page.field('Name of property 2'), 'region');
      await page.select(page.field('Type of property 2'), 'boolean');
      await page.use(page.button('Remove property 1'));
      await page.write(page.field('Schemas in the mapping'), 'sales');
      await page.use(page.button('Preview'));
      const preview = page.dialog('What would break');
      await preview.getByRole('row', { name: 'acme' }).getByText('/properties/region').waitFor();
      expect(await api.isActive(token)).toBe(true);
      await page.use(page.button('Back'));
      await page.use(page.button('Preview'));
      await page.use(preview.getByRole('button', { name: 'Save and break them' }));
      await preview.waitFor({ state: 'detached' });
      await page.row('acme').filter({ hasText: '/properties/region' }).waitFor();
      const { text } = await api.call('GET', '/api/v1/workspace');
      expect(text).toContain('"required_properties":[{"name":"region","type":"boolean"}]');
      expect(text).toContain('"required_schemas":["sales"]');
      expect(await api.isActive(token)).toBe(false);
      await page.use(page.row('acme').filter({ hasText: 'region' }).getByRole('link'));
      await page.row('region').getByText('missing').waitFor();
      await page.row('schema in the mapping').getByText('there').waitFor();

      await page.visit('registry/policy');
      await page.use(page.button('Change'));
      await page.use(page.button('Remove property 1'));
      await page.use(page.button('Preview'));
      await preview.getByText('Nothing would break').waitFor();
      await page.use(preview.getByRole('button', { name: 'Save' }));
      await page.shows('Every group has what is required');
      expect(await api.isActive(token)).toBe(true);
    });

    test('a preview that has found nothing yet says so, and goes on', async () => {
      const { page, api } = await begin({ hand });
      const lines = Array.from({ length: 5001 }, (_, line) =>
        JSON.stringify({
          ...{ user_group_id: `group ${line}`, name: 'G' },
          properties: line < 5000 ? { region: 'EMEA' } : {},
        }),
      );
      await api.call('POST', '/api/v1/user-groups/import', lines.join('\n'), NDJSON);
      await page.visit('registry/policy');
      await page.use(page.button('Change'));
      await page.use(page.button('Property'));
      await page.write(page.field('Name of property 1'), 'region');
      await page.use(page.button('Preview'));
      await page.shows('None so far: the list of what would break goes on.');
      await page.button('Save all the same').waitFor();
      await page.use(page.button('Look further'));
      await page.shows('1 user group would break');
      await page.row('group 5000').waitFor();
      await page.button('Save and break them').waitFor();
    });
  });
});
