import type { ApiClient } from '../../support/api/api-client.ts';
import { byEachHand, type ConsolePage } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';

// The requests of the page do not depend on the database.
const { begin } = withConsole('sqlite');

const path = '/api/v1/user-groups/acme';

async function stored(api: ApiClient) {
  return (await api.call('GET', path)).body.user_group;
}

/** Writes a property into the row with this number. */
async function writeProperty(
  page: ConsolePage,
  no: number,
  type: string,
  name: string,
  value: string,
): Promise<void> {
  await page.use(page.button('Add a property'));
  await page.write(page.field(`Property ${no}`), name);
  await page.select(page.field(`Type of property ${no}`), type);
  if (type === 'boolean') await page.select(page.field(`Value of property ${no}`), value);
  else await page.write(page.field(`Value of property ${no}`), value);
}

byEachHand((hand) => {
  test('a group is written in rows, with data sources of the registry, and every digit as it is typed', async () => {
    const { page, api } = await begin({ hand });
    await api.call('POST', '/api/v1/data-sources', {
      provided_id: 'warehouse-emea',
      name: 'Warehouse EMEA',
    });
    await page.visit('groups');
    await page.use(page.button('New user group'));
    await page.write(page.field('ID'), 'acme');
    await page.write(page.field('Name'), 'Acme');
    await page.use(page.button('Add an entry'));
    await page.write(page.field('Schema 1'), 'sales');
    await page.write(page.field('Data source 1'), 'eme');
    await page.tab.getByRole('option', { name: /warehouse-emea/ }).waitFor();
    await page.press('ArrowDown', 'Enter');
    expect(await page.read('warehouse-emea', () => page.field('Data source 1').inputValue())).toBe(
      'warehouse-emea',
    );
    await page.use(page.button('Add an entry'));
    await page.write(page.field('Schema 2'), 'billing');
    await page.write(page.field('Data source 2'), '42');
    await page.use(page.field('internal no.'));
    await writeProperty(page, 1, 'number', 'share', '1.10e2');
    await writeProperty(page, 2, 'string', 'text', '007');
    await writeProperty(page, 3, 'boolean', 'vip', 'true');
    await writeProperty(page, 4, 'json', 'limits', '{"rows": 1e3}');
    await page.use(page.button('Add a property'));
    await page.write(page.field('Property 5'), 'gone');
    await page.use(page.button('Remove property 5'));
    const sent = page.tab.waitForRequest((call) => call.method() === 'PUT');
    await page.use(page.button('Create'));
    await page.heading('Acme').waitFor();
    expect((await sent).postData()).toBe(
      '{"name":"Acme","mapping":{"sales":"warehouse-emea","billing":42},' +
        '"properties":{"share":1.10e2,"text":"007","vip":true,"limits":{"rows": 1e3}}}',
    );
    page.takeAnyRefusals(404);
  });

  test('a data source is registered where it is named, and rows and JSON are the same object', async () => {
    const { page, api } = await begin({ hand });
    await api.send({
      method: 'PUT',
      path,
      body: '{"name":"Acme","properties":{"big":9007199254740991,"list":[1,2]}}',
    });
    await page.visit('groups/acme');
    await page.use(page.button('Edit'));
    await page.use(page.button('Add an entry'));
    await page.write(page.field('Schema 1'), 'sales');
    await page.write(page.field('Data source 1'), 'wh-mars');
    await page.tab.getByRole('option', { name: 'Register wh-mars' }).waitFor();
    await page.press('ArrowUp', 'Enter');
    await page.shows('Registered');
    await page.use(page.json('Mapping'));
    expect(JSON.parse(await page.field('Mapping').inputValue())).toEqual({ sales: 'wh-mars' });
    await page.use(page.json('Properties'));
    await page.write(
      page.tab.getByRole('textbox', { name: 'Properties' }),
      '{"big": 12345678901234567890, "list": [1, 2], "rate": 0.10}',
    );
    await page.use(
      page.tab.getByRole('group', { name: 'Properties' }).getByRole('radio', { name: 'Rows' }),
    );
    expect(
      await page.read('12345678901234567890', () => page.field('Value of property 1').inputValue()),
    ).toBe('12345678901234567890');
    expect(await page.read('[1, 2]', () => page.field('Value of property 2').inputValue())).toBe(
      '[1, 2]',
    );
    expect(await page.read('0.10', () => page.field('Value of property 3').inputValue())).toBe(
      '0.10',
    );
    await page.use(page.button('Save'));
    await page.shows('The number would lose digits');
    page.takeRefusal(422);
    expect(await page.getsFocus(page.field('Value of property 1'))).toBe(true);
    expect(
      await page.read('true', () => page.field('Value of property 1').getAttribute('aria-invalid')),
    ).toBe('true');
    expect(
      await page.read(null, () => page.field('Value of property 2').getAttribute('aria-invalid')),
    ).toBeNull();
    await page.write(page.field('Value of property 1'), '9007199254740991');
    await page.use(page.button('Save'));
    await page.shows('saved');
    const { text } = await api.call('GET', path);
    expect(text).toContain('"properties":{"big":9007199254740991,"list":[1,2],"rate":0.1}');
    const found = await api.call('GET', '/api/v1/data-sources?provided_id=wh-mars');
    expect(found.text).toContain('"name":"wh-mars"');
    page.takeAnyRefusals(404);
  });

  test('what the workspace requires comes first, and what is wrong is said at its row', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'acme', { properties: { seats: 25 } });
    const variables = [{ name: 'plan', type: 'string', required: true }];
    await api.call('PATCH', '/api/v1/workspace', { variables, required_schemas: ['sales'] });
    await page.visit('groups/acme');
    await page.use(page.button('Edit'));
    await page.dialog('Edit').getByText('required').first().waitFor();
    expect(await page.read('plan', () => page.field('Property 1').inputValue())).toBe('plan');
    expect(await page.read(false, () => page.field('Property 1').isEditable())).toBe(false);
    expect(await page.read('sales', () => page.field('Schema 1').inputValue())).toBe('sales');
    await page.write(page.field('Value of property 2'), '26');
    await page.use(page.button('Save'));
    await page.shows('The marked fields say why.');
    page.takeRefusal(422);
    expect(
      await page.read('true', () => page.field('Value of property 1').getAttribute('aria-invalid')),
    ).toBe('true');
    expect(
      await page.read(null, () => page.field('Value of property 2').getAttribute('aria-invalid')),
    ).toBeNull();
    const first = page.dialog('Edit').locator('[aria-invalid=true]').first();
    expect(await page.getsFocus(first)).toBe(true);
    await page.write(page.field('Value of property 2'), 'many');
    await page.shows('Write a number, such as 25 or -0.5.');
    expect(await page.read(true, () => page.button('Save').isDisabled())).toBe(true);
    await page.write(page.field('Value of property 2'), '30');
    await page.write(page.field('Value of property 1'), 'team');
    await page.write(page.field('Data source 1'), 'warehouse');
    await page.press('Escape');
    await page.use(page.button('Save'));
    await page.shows('saved');
    expect(await stored(api)).toMatchObject({
      mapping: { sales: 'warehouse' },
      properties: { plan: 'team', seats: 30 },
    });
    page.takeAnyRefusals(404);
  });

  test('a name that only begins with a required one can be typed, and its row removed', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'acme');
    await api.call('PATCH', '/api/v1/workspace', {
      variables: [{ name: 'region', type: 'string', required: true }],
      required_schemas: ['sales'],
    });
    await page.visit('groups/acme');
    await page.use(page.button('Edit'));
    await page.dialog('Edit').getByText('required').first().waitFor();
    for (const [add, field, name] of [
      ['Add a property', 'Property 2', 'region_code'],
      ['Add an entry', 'Schema 2', 'sales_old'],
    ] as const) {
      await page.use(page.button(add));
      await page.field(field).waitFor();
      await page.tabTo(page.field(field));
      await page.tab.keyboard.type(name);
      expect(await page.read(name, () => page.field(field).inputValue())).toBe(name);
    }
    expect(
      await page.read(2, () => page.dialog('Edit').getByText('required', { exact: true }).count()),
    ).toBe(2);
    await page.use(page.button('Remove entry 2'));
    await page.write(page.field('Data source 1'), 'warehouse');
    await page.press('Escape');
    await page.write(page.field('Value of property 1'), 'emea');
    await page.write(page.field('Value of property 2'), 'eu');
    await page.use(page.button('Save'));
    await page.shows('saved');
    expect(await stored(api)).toMatchObject({ properties: { region: 'emea', region_code: 'eu' } });
    page.takeAnyRefusals(404);
  });

  test('the end of a group is set in the zone of the reader, kept by other edits, and cleared', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'acme');
    await page.visit('groups/acme');
    await page.use(page.button('Edit'));
    await page.write(page.field('Ends'), '2031-03-04T14:37');
    await page.use(page.button('Save'));
    await page.shows('4 Mar 2031');
    const end = '2031-03-04T14:37:12.345Z';
    expect(await stored(api)).toMatchObject({ valid_until: '2031-03-04T14:37:00.000Z' });
    await api.call('PATCH', path, { valid_until: end });
    await page.visit('groups/acme');
    await page.use(page.button('Edit'));
    await page.write(page.field('Name'), 'Acme EMEA');
    await page.use(page.button('Save'));
    await page.heading('Acme EMEA').waitFor();
    expect(await stored(api)).toMatchObject({ valid_until: end });
    await page.use(page.button('Edit'));
    await page.use(page.button('Remove the end'));
    await page.use(page.button('Save'));
    await page.dialog('Edit').waitFor({ state: 'detached' });
    expect(await stored(api)).toMatchObject({ valid_until: null });
  });
});
