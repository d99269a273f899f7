import { declareScope } from '../../../src/platform/common/access/caller.ts';
import { NDJSON } from '../../support/api/api-client.ts';
import { byHandOn } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

onEachDatabase((kind) => {
  const { service, begin } = withConsole(kind);

  byHandOn(kind, (hand) => {
    test('an API token is issued, shown once, changed, rotated and revoked', async () => {
      const { page, api } = await begin({ hand });
      const works = async (token: string) =>
        (await service.clientOf(token).call('GET', '/api/v1/user-groups')).status === 200;
      await page.visit('api-tokens');
      await page.use(page.button('New API token'));
      await page.write(page.field('Name'), 'renderer');
      expect(await page.read(true, () => page.button('Create').isDisabled())).toBe(true);
      await page.use(page.button('Renderer'));
      expect(
        await page.read(true, () =>
          page.tab.getByRole('checkbox', { name: /^tokens:introspect/ }).isChecked(),
        ),
      ).toBe(true);
      await page.use(page.button('90 days'));
      const inDays = async () =>
        Math.round(
          (Date.parse(`${await page.field('Expires').inputValue()}Z`) - Date.now()) / 86_400_000,
        );
      expect(await page.read(90, inDays)).toBe(90);
      await page.use(page.button('Never'));
      await page.use(page.button('Create'));
      await page.dialog('API token renderer').waitFor();
      const first = await page.readSecret();
      // Nobody can read it again.
      await page.press('Escape', 'Escape');
      expect(await page.read(true, () => page.button('Done').isDisabled())).toBe(true);
      await page.use(page.button('Close'));
      expect(await page.read(first, () => page.readSecret())).toBe(first);
      await page.use(page.button('Copy and close'));
      expect(await page.read(first, () => page.clipboard())).toBe(first);
      expect(
        await page.read(expect.not.stringContaining(first), () => page.tab.content()),
      ).not.toContain(first);
      expect(await works(first)).toBe(false);

      const unfold = (row: string | RegExp) =>
        page.use(page.row(row).getByRole('button', { name: 'Actions for renderer' }));
      await unfold('renderer');
      await page.use(page.button('Edit'));
      await page.use(page.tab.getByRole('checkbox', { name: /^user-groups:read/ }));
      await page.write(page.field('Expires'), '2099-03-04T15:06');
      await page.write(page.field('Allowed IP ranges'), '127.0.0.0/8');
      await page.use(page.button('Save'));
      await page.row('user-groups:read').filter({ hasText: 'renderer' }).waitFor();
      expect(await works(first)).toBe(true);
      await page.use(page.row('renderer').getByRole('link'));
      await page.heading(/^renderer/).waitFor();
      await page.tab.getByRole('link', { name: /^test \(no\. \d+\)$/ }).waitFor();
      await page.shows('127.0.0.0/8');
      await page.use(page.tab.locator('main').getByRole('link', { name: 'API tokens' }));
      await page.heading('API tokens').waitFor();
      expect((await api.call('GET', '/api/v1/api-tokens')).body.api_tokens).toContainEqual(
        expect.objectContaining({
          name: 'renderer',
          expires_at: '2099-03-04T15:06:00.000Z',
          allowed_cidrs: ['127.0.0.0/8'],
        }),
      );

      await unfold('renderer');
      await page.use(page.button('Rotate'));
      await page.use(page.dialog('Rotate renderer').getByRole('button', { name: 'Rotate' }));
      const second = await page.readSecret();
      await page.use(page.tab.getByRole('checkbox', { name: 'I have stored it' }));
      await page.use(page.button('Done'));
      await page.row(/old, valid \d+ (min|h) more/).waitFor();
      expect(await Promise.all([works(first), works(second)])).toEqual([true, true]);

      await unfold(/old, valid \d+ (min|h) more/);
      await page.use(page.button('Revoke'));
      expect(
        await page.read(true, () =>
          page.dialog('Revoke').getByRole('button', { name: 'Revoke' }).isDisabled(),
        ),
      ).toBe(true);
      await page.write(page.field('Type its name renderer to confirm'), 'renderer');
      await page.use(page.dialog('Revoke').getByRole('button', { name: 'Revoke' }));
      await page.row(/old, valid \d+ (min|h) more/).waitFor({ state: 'detached' });
      expect(await Promise.all([works(first), works(second)])).toEqual([false, true]);
      expect(await page.read(1, () => page.row('renderer').count())).toBe(1);
      await page.use(page.tab.getByRole('checkbox', { name: 'Show revoked and expired (1)' }));
      await page.row('revoked').waitFor();
      const { body } = await api.call('GET', '/api/v1/api-tokens');
      const states = body.api_tokens.map(({ name, state }) => [name, state]);
      expect(states).toContainEqual(['renderer', 'revoked']);

      await page.write(page.field('Filter by name or last four characters'), second.slice(-4));
      expect(await page.read(1, () => page.tab.locator('tbody tr').count())).toBe(1);
      await page.use(page.row('renderer').getByRole('link'));
      await page.heading(/^renderer/).waitFor();
      await page.comesTo(/^api-tokens\/\d+$/);
      await page.use(page.tab.getByRole('link', { name: 'All of it is in the audit log' }));
      await page.comesTo(/^audit\?api_token_id=\d+$/);
    });

    test('the preset of readers shows no token of a group, and that of backends does', async () => {
      const { page } = await begin({ hand });
      await page.visit('api-tokens');
      await page.use(page.button('New API token'));
      const isOn = (scope: string) => page.tab.getByLabel(new RegExp(`^${scope}`)).isChecked();
      for (const [preset, shows] of [
        ['Read only', false],
        ['Backend', true],
        ['Support', false],
      ] as const) {
        await page.use(page.button(preset));
        const both = async () => [
          await isOn('user-groups:read'),
          await isOn('user-group-tokens:read'),
        ];
        expect(await page.read([true, shows], both)).toEqual([true, shows]);
      }
      await page.press('Escape');
      await page.use(page.button('Discard'));
    });

    test('an edit of an API token keeps the scope of a plugin', async () => {
      const seats = declareScope('seats:manage');
      // Nobody grants what they do not have.
      const { page, api, workspace } = await begin({
        hand,
        scopes: ['admin', 'tokens:rotate', seats],
      });
      await service.issueToken([seats], workspace);
      await page.visit('api-tokens');
      const edited = page.row(seats).filter({ hasNotText: 'admin' });
      await page.use(edited.getByRole('button', { name: /^Actions for/ }));
      await page.use(page.button('Edit'));
      expect(
        await page.read(true, () =>
          page.tab.getByRole('checkbox', { name: /^seats:manage/ }).isChecked(),
        ),
      ).toBe(true);
      await page.use(page.tab.getByRole('checkbox', { name: /^tokens:rotate/ }));
      await page.use(page.button('Save'));
      await edited.filter({ hasText: 'tokens:rotate' }).waitFor();
      const { body } = await api.call('GET', '/api/v1/api-tokens');
      expect(body.api_tokens.map(({ scopes }) => scopes.toSorted())).toContainEqual([
        seats,
        'tokens:rotate',
      ]);
    });

    test('schemas and data sources are registered, and a change of the policy tells what would break', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
      await page.visit('registry');
      await page.shows('No schema is registered');
      await page.use(page.button('New schema'));
      await page.write(page.field('ID'), 'sales');
      await page.write(page.field('Name'), 'Sales');
      await page.use(page.button('Register'));
      await page.heading('Sales').waitFor();

      await page.visit('registry/policy');
      await page.shows('1 user group would break');
      expect(
        await page.read(true, () => page.button('Require registered data sources').isDisabled()),
      ).toBe(true);
      const cause = page.row('warehouse is not registered');
      await cause.getByRole('link', { name: 'acme' }).waitFor();
      await page.use(cause.getByRole('button', { name: 'Register' }));
      await page.shows('Every mapping could be resolved');
      const dialog = page.dialog('Require registered data sources');
      await page.use(page.button('Require registered data sources'));
      await dialog.getByText('nothing would break').waitFor();
      await page.use(dialog.getByRole('button', { name: 'Require registered data sources' }));
      await page.shows(/Every mapping is resolved/);
      const { text } = await api.call('GET', '/api/v1/workspace');
      expect(text).toContain('"mapping_policy":"registered"');

      for (const [tab, name] of [
        ['schemas', 'Sales'],
        ['data-sources', 'warehouse'],
      ] as const) {
        await page.visit(`registry/${tab}`);
        await page.use(page.row(name).getByRole('link'));
        await page.row('acme').waitFor();
      }
      await page.use(page.button('Delete'));
      await page.dialog('This data source is in use').getByText('Used by 1 user group').waitFor();
      await page.use(
        page.dialog('This data source is in use').getByRole('button', { name: 'Close' }).last(),
      );

      await page.visit('registry/policy');
      await page.use(page.button('Stop requiring registered data sources'));
      await page.use(
        page
          .dialog('Stop requiring')
          .getByRole('button', { name: 'Stop requiring registered data sources' }),
      );
      await page.button('Require registered data sources').waitFor();
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
      await page.shows('Not known under the policy “open”');
      await page.use(page.button('Rename'));
      await page.write(page.field('Name'), 'Renamed');
      await page.use(page.button('Save'));
      await page.heading('Renamed').waitFor();
      expect(await call()).toContain('"name":"Renamed"');

      await page.use(page.button('Delete'));
      const submit = page.button('Delete for good');
      expect(await page.read(true, () => submit.isDisabled())).toBe(true);
      await page.write(page.field('Type its id unused to confirm'), 'unused');
      await page.use(submit);
      await page.row('The other one').waitFor();
      expect(await page.read(0, () => page.row('Renamed').count())).toBe(0);
      expect(
        await page.read('page', () =>
          page.tab.getByRole('link', { name: many }).getAttribute('aria-current'),
        ),
      ).toBe('page');
      const left = await call();
      expect([left.includes('unused'), left.includes('The other one')]).toEqual([false, true]);
    });

    test('what every group must have is changed, and the groups that lack it are told', async () => {
      const { page, api } = await begin({ hand });
      const variable = (no: number) => page.tab.getByRole('group', { name: `Variable ${no}` });
      await api.call('POST', '/api/v1/schemas', { provided_id: 'sales', name: 'Sales' });
      const token = await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
      await page.visit('registry/variables');
      await page.use(page.button('Edit variables'));
      await page.use(page.button('Variable'));
      await page.write(variable(1).getByLabel('Name'), 'not wanted');
      await page.use(page.button('Variable'));
      await page.write(variable(2).getByLabel('Name'), 'region');
      await page.select(variable(2).getByRole('combobox', { name: 'Type' }), 'boolean');
      await page.select(variable(2).getByRole('combobox', { name: 'If missing' }), 'required');
      await page.use(variable(1).getByRole('button', { name: 'Remove variable 1' }));
      await page.write(page.field('Required schemas, one a line'), 'sales');
      await page.use(page.button('Preview'));
      const preview = page.dialog('What this changes');
      await preview.getByRole('button', { name: 'Give what is new a default instead' }).waitFor();
      await preview
        .getByRole('row', { name: 'acme' })
        .getByText('Missing: region (yes or no).')
        .waitFor();
      expect(await api.isActive(token)).toBe(true);
      await page.use(page.button('Back'));
      await page.use(page.button('Preview'));
      const submit = preview.getByRole('button', { name: 'Save and deactivate 1 group' });
      expect(await page.read(true, () => submit.isDisabled())).toBe(true);
      await page.write(page.field('Type deactivate to confirm'), 'deactivate');
      await page.use(submit);
      await preview.waitFor({ state: 'detached' });
      const { text } = await api.call('GET', '/api/v1/workspace');
      expect(text).toContain(
        '"variables":[{"name":"region","type":"boolean","source":"group","required":true,"is_secret":false}]',
      );
      expect(text).toContain('"required_schemas":["sales"]');
      expect(await api.isActive(token)).toBe(false);
      await page.use(page.tab.getByRole('link', { name: 'Incomplete groups' }));
      await page.use(page.row('acme').filter({ hasText: 'Incomplete' }).getByRole('link'));
      await page.row('region').getByText('missing').waitFor();
      await page.row('schema in the mapping').getByText('present').waitFor();

      await page.visit('registry/variables');
      await page.use(page.button('Edit variables'));
      await page.use(variable(1).getByRole('button', { name: 'Remove variable 1' }));
      await page.use(page.button('Preview'));
      await preview.getByText('Nothing would break').waitFor();
      await page.use(preview.getByRole('button', { name: 'Save' }));
      await preview.waitFor({ state: 'detached' });
      expect(await api.isActive(token)).toBe(true);
    });

    test('a preview that has found nothing yet says so, and goes on', async () => {
      const { page, api } = await begin({ hand });
      const lines = Array.from({ length: 5001 }, (_, line) =>
        JSON.stringify({
          user_group_id: `group ${line}`,
          name: 'G',
          properties: line < 5000 ? { region: 'EMEA' } : {},
        }),
      );
      await api.call('POST', '/api/v1/user-groups/import', lines.join('\n'), NDJSON);
      await page.visit('registry/variables');
      await page.use(page.button('Edit variables'));
      await page.use(page.button('Variable'));
      await page.write(page.field('Name'), 'region');
      await page.select(page.tab.getByRole('combobox', { name: 'If missing' }), 'required');
      await page.use(page.button('Preview'));
      await page.shows('Nothing found yet: there is more to search.');
      await page.button('Save anyway').waitFor();
      await page.use(page.button('Search on'));
      await page.shows('1 group would become inactive');
      await page.row('group 5000').waitFor();
      await page.button('Save and deactivate 1 group').waitFor();
    });
  });
});
