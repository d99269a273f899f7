import { byEachHand } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';

const { begin } = withConsole('sqlite');

byEachHand((hand) => {
  test('everything that mappings name is registered at once, and can then be required', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'acme', { mapping: { sales: 'wh-us' } });
    await createGroup(api, 'globex', { mapping: { sales: 'wh-eu', 'a/b': 'wh-us' } });
    await page.visit('registry/policy');
    await page.row('The schema sales is not registered').filter({ hasText: '2' }).waitFor();
    await page
      .row('The schema a/b is not registered')
      .getByRole('link', { name: 'globex' })
      .waitFor();
    await page.shows('2 user groups would break');
    await page.use(page.button('Register all'));
    await page.shows('Every mapping could be resolved');
    const sources = (await api.call('GET', '/api/v1/data-sources')).text;
    expect([sources.includes('wh-us'), sources.includes('wh-eu')]).toEqual([true, true]);
    await page.use(page.button('Require registered data sources'));
    const dialog = page.dialog('Require registered data sources');
    await page.use(dialog.getByRole('button', { name: 'Require registered data sources' }));
    await page.button('Stop requiring registered data sources').waitFor();
  });

  test('viewing as a group is forbidden and allowed again', async () => {
    const { page, api } = await begin({ hand });
    const setting = async () => (await api.call('GET', '/api/v1/workspace')).text;
    await page.visit('registry/policy');
    await page.use(page.button('Turn off'));
    await page.use(page.button('Turn off support access'));
    await page.shows('Nobody can look at a dashboard as a user group.');
    expect(await setting()).toContain('"view_as":"forbidden"');
    await page.use(page.button('Turn on'));
    await page.use(page.button('Turn on support access'));
    await page.button('Turn off').waitFor();
    expect(await setting()).toContain('"view_as":"allowed"');
  });

  test('a requirement is previewed and undone, and overwrites nothing that somebody else has set meanwhile', async () => {
    const { page, api } = await begin({ hand });
    const set = (body?: object) => api.call(body ? 'PATCH' : 'GET', '/api/v1/workspace', body);
    const required = async () =>
      (JSON.parse((await set()).text) as { workspace: { variables: unknown[] } }).workspace
        .variables;
    const [region, plan] = ['region', 'plan'].map((name) => ({
      name,
      type: 'string',
      source: 'group',
      required: false,
      is_secret: false,
    }));
    const change = async (name: string) => {
      await page.use(page.button('Edit variables'));
      await page.use(page.button('Variable'));
      await page.write(page.field('Name'), name);
      await page.use(page.button('Preview'));
      await page.shows('Nothing would break');
      await page.use(page.dialog('What this changes').getByRole('button', { name: 'Save' }));
    };
    await page.visit('registry/variables');
    await change('region');
    await page.button('Undo').waitFor();
    expect(await required()).toEqual([region]);
    await page.use(page.button('Undo'));
    await page.button('Undo').waitFor({ state: 'detached' });
    expect(await page.read([], required)).toEqual([]);

    await page.tab.reload();
    await page.button('Edit variables').waitFor();
    await set({ variables: [plan] });
    await change('region');
    await page.dialog('What this changes').getByRole('alert').waitFor();
    page.takeRefusal(412);
    expect(await required()).toEqual([plan]);
  });

  test('a variable is declared with its type, default, allowed values and description, and is shown and kept', async () => {
    const { page, api } = await begin({ hand });
    const declared = async () =>
      (
        JSON.parse((await api.call('GET', '/api/v1/workspace')).text) as {
          workspace: { variables: unknown[] };
        }
      ).workspace.variables;
    await page.visit('registry/variables');
    await page.shows('No variables');
    await page.use(page.button('Edit variables'));
    await page.use(page.button('Variable'));
    await page.write(page.field('Name'), 'limits.seats');
    await page.select(page.tab.getByRole('combobox', { name: 'Type' }), 'integer');
    await page.select(page.tab.getByRole('combobox', { name: 'If missing' }), 'default');
    await page.write(page.field('Default'), '25');
    await page.write(page.field('Allowed values, one a line'), '5\n25');
    await page.write(page.field('Description'), 'How many people may look.');
    await page.use(page.button('Preview'));
    await page.use(page.dialog('What this changes').getByRole('button', { name: 'Save' }));
    const row = page.row('limits.seats');
    for (const words of ['5, 25', 'it has a default 25', 'How many people may look.']) {
      await row.getByText(words).waitFor();
    }
    const seats = {
      name: 'limits.seats',
      type: 'integer',
      source: 'group',
      required: false,
      default: 25,
      enum: [5, 25],
    };
    const all = [{ ...seats, description: 'How many people may look.', is_secret: false }];
    expect(await page.read(all, declared)).toEqual(all);

    await page.use(page.button('Edit variables'));
    await page.select(page.tab.getByRole('combobox', { name: 'If missing' }), 'null');
    await page.use(page.field('secret'));
    // The settings are no place for the values of a secret.
    await page.field('Allowed values, one a line').waitFor({ state: 'detached' });
    await page.use(page.button('Preview'));
    await page.use(page.dialog('What this changes').getByRole('button', { name: 'Save' }));
    await row.getByText('secret').waitFor();
    await row.getByText('it is null').waitFor();
    const { name, type, source, required } = seats;
    const secret = [
      { name, type, source, required, description: 'How many people may look.', is_secret: true },
    ];
    expect(await page.read(secret, declared)).toEqual(secret);

    await page.use(page.button('Edit variables'));
    await page.use(page.field('secret'));
    await page.write(page.field('Allowed values, one a line'), 'many');
    await page.use(page.button('Preview'));
    await page
      .dialog('Edit variables')
      .getByText('“many”: The workspace requires this variable')
      .waitFor();
    expect(await page.getsFocus(page.field('Allowed values, one a line'))).toBe(true);
    page.takeRefusal(422);
  });
});
