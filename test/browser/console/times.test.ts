import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

onEachDatabase((kind) => {
  const { begin } = withConsole(kind);

  test('times are shown and written in local time or in UTC, as the reader has chosen', async () => {
    const { page, api } = await begin({ timezone: 'Asia/Tokyo' });
    const ends = '2030-01-02T03:04:00.000Z';
    await createGroup(api, 'acme', {});
    await api.call('PATCH', '/api/v1/user-groups/acme', { valid_until: ends });
    const shown = (text: string) =>
      page.tab.locator(`time[datetime="${ends}"]`).filter({ hasText: text }).first();
    await page.visit('groups/acme');
    await shown('2 Jan 2030 12:04:00').waitFor();
    await page.button('Show times in UTC').click();
    await shown('2 Jan 2030 03:04:00').waitFor();
    await page.button('Edit').click();
    await page.shows(/^From then on no token of the group works\. In UTC\./);
    expect(await page.read('2030-01-02T03:04', () => page.field('Ends').inputValue())).toBe(
      '2030-01-02T03:04',
    );
    await page.field('Ends').fill('2031-05-06T07:08');
    await page.button('Save').click();
    await page.shows('6 May 2031');
    const { body } = await api.call('GET', '/api/v1/user-groups/acme');
    expect(body.user_group).toMatchObject({ valid_until: '2031-05-06T07:08:00.000Z' });

    await page.visit('audit?from=2020-01-01T00:00');
    await page.button('Show times in local time').click();
    await page.shows('Time (Asia/Tokyo)');
    const asked = page.tab.waitForRequest((call) => call.url().includes('audit-events?'));
    await page.field('From').fill('2020-01-02T09:00');
    await page.leave();
    expect(new URL((await asked).url()).searchParams.get('from')).toBe('2020-01-02T00:00:00.000Z');
  });

  test('what the list is filtered by is exported, however many match, and no token', async () => {
    const { page, api } = await begin();
    for (let n = 0; n < 205; n++) {
      await createGroup(api, `g${n}`, { properties: { region: n < 203 ? 'EMEA' : 'APAC' } });
    }
    await page.visit('groups?property=region&value=EMEA');
    await page.row('g202').waitFor();
    await page.button('Export these').click();
    const dialog = page.dialog('Export the user groups that match');
    const file = await page.saved(dialog.getByRole('button', { name: 'Export' }));
    const lines = file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toHaveLength(203);
    expect(lines).toContainEqual({
      provided_id: 'g7',
      name: 'g7',
      mapping: {},
      properties: { region: 'EMEA' },
      valid_until: null,
      suspended: false,
    });
    expect(file).not.toContain('ugt_');
  });

  test('a table is exported with a column for each schema and property, and no formula', async () => {
    const { page, api } = await begin();
    await createGroup(api, 'acme', {
      name: '=1+1',
      mapping: { sales: 42 },
      properties: { region: 'E, "W"', seats: 25 },
    });
    await createGroup(api, 'plain');
    await page.visit('groups');
    await page.row('plain').waitFor();
    await page.button('Export').click();
    const dialog = page.dialog('Export all user groups');
    await dialog.getByRole('radio', { name: 'CSV' }).click();
    const file = await page.saved(dialog.getByRole('button', { name: 'Export' }));
    const [head = '', ...rows] = file.trimEnd().split('\r\n');
    expect(head).toContain('mapping.sales,properties.region,properties.seats');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toContain("acme,'=1+1");
    expect(rows[0]).toContain('42,"E, ""W""",25');
  });

  test('the editor of a mapping offers every data source of the registry', async () => {
    const { page, api } = await begin();
    for (let n = 0; n < 205; n++) {
      await api.call('POST', '/api/v1/data-sources', {
        provided_id: `wh-${n}`,
        name: `Warehouse ${n}`,
      });
    }
    await createGroup(api, 'acme', { mapping: { sales: 'wh-1' } });
    await page.visit('groups/acme');
    await page.button('Edit').click();
    await page.field('Data source 1').fill('house 204');
    await page.tab.getByRole('option', { name: 'wh-204 Warehouse 204' }).click();
    await page.button('Save').click();
    await page.row('sales').getByText('Warehouse 204').waitFor();
  });

  test('the address of the audit log means the same in every zone, and each filter in it is shown', async () => {
    const { page, api } = await begin({ timezone: 'Asia/Tokyo' });
    await createGroup(api, 'acme');
    await page.visit('audit');
    await page.row('created acme').waitFor();
    await page.field('From').fill('2020-01-02T09:00');
    await page.leave();
    await page.comesTo('audit?from=2020-01-02T00%3A00%3A00.000Z');
    expect(await page.read('2020-01-02T09:00', () => page.field('From').inputValue())).toBe(
      '2020-01-02T09:00',
    );
    await page.button('Show times in UTC').click();
    expect(await page.read('2020-01-02T00:00', () => page.field('From').inputValue())).toBe(
      '2020-01-02T00:00',
    );
    await page.button('Last hour').click();
    await page.comesTo(/^audit\?from=\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A00\.000Z$/);
    await page.row('created acme').waitFor();

    await page.visit('audit?request_id=none-of-these&object_type=user_group');
    await page.shows('No event matches');
    await page.button('Remove the filter by Request').click();
    await page.row('created acme').waitFor();
    await page.button('Remove the filter by Object type').click();
    await page.comesTo('audit');
  });
});
